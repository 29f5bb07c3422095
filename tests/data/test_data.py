"""The data sets: their contents, and that they are the same on every machine."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pytest

from autodiff_kit import data
from autodiff_kit.errors import AutodiffError


def test_digits_equal_those_of_scikit_learn():
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn, the source of the copy, is not here")
    source = datasets.load_digits()
    images, labels = data.digits()
    np.testing.assert_array_equal(images, source.data)
    np.testing.assert_array_equal(labels, source.target)


def test_digits_have_the_promised_shapes_and_range():
    images, labels = data.digits()
    assert (images.shape, labels.shape) == ((1797, 64), (1797,))
    assert (images.dtype, labels.dtype) == (np.float64, np.int64)
    assert (images.min(), images.max()) == (0, 16)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_each_call_gives_fresh_arrays():
    images, _ = data.digits()
    images[:] = -1
    assert data.digits()[0].min() == 0


def test_the_licence_is_next_to_the_digits():
    text = (files("autodiff_kit.data") / "LICENCE-digits.txt").read_text(encoding="utf-8")
    assert "CC BY 4.0" in text
    assert "Alpaydin" in text


def test_sentences_are_many_balanced_and_of_different_lengths():
    everything = data.sentences()
    lengths = Counter(len(data.tokens(text)) for text in everything.texts)
    assert len(everything) == len(set(everything.texts)) == 600
    assert (min(lengths), max(lengths)) == (2, 12)
    assert all(lengths[n] >= 4 for n in range(2, 13))
    for part in ("train", "test"):
        one = data.sentences(part)
        assert one.labels.sum() * 2 == len(one)


def test_train_and_test_share_no_sentence_and_cover_all():
    train, test = data.sentences("train"), data.sentences("test")
    assert not set(train.texts) & set(test.texts)
    assert train.texts + test.texts == data.sentences().texts


def test_lessons_rely_on_this_very_file():
    raw = (files("autodiff_kit.data") / "sentences.tsv").read_bytes()
    assert (
        sha256(raw.replace(b"\r\n", b"\n")).hexdigest()
        == "960fb9cba79475a791d07d27ed558ecc1d4c0c51b22b81699bbbd2cea4e814ea"
    )


def test_an_unknown_part_is_named():
    with pytest.raises(AutodiffError, match=r"no part 'dev'.*train"):
        data.sentences("dev")


def test_words_keep_their_apostrophes_and_accents():
    assert data.tokens("The CAFÉ didn't open at 8, alas...") == [
        "the",
        "café",
        "didn't",
        "open",
        "at",
        "alas",
    ]


def test_a_rare_word_is_unknown_and_never_padding():
    vocabulary = data.Vocabulary(["tea tea", "milk"], at_least=2)
    assert vocabulary.ids("Tea, milk, honey") == [2, 1, 1]
    assert len(vocabulary) == 3
    train = data.sentences("train")
    known = data.Vocabulary(train.texts)
    assert min(min(known.ids(text)) for text in train.texts) == 2
    assert [known.words[i] for i in known.ids("The bread")] == ["the", "bread"]


def test_padding_takes_the_longest_row_or_more():
    ids, keep = data.padded([[3], [4, 5, 6], []])
    assert ids.tolist() == [[3, 0, 0], [4, 5, 6], [0, 0, 0]]
    assert keep.sum(1).tolist() == [1, 3, 0]
    wide, kept = data.padded([[3], [4, 5, 6], []], length=5)
    np.testing.assert_array_equal(wide[:, :3], ids)
    assert not kept[:, 3:].any()


def test_no_rows_give_an_empty_array():
    ids, keep = data.padded([])
    assert ids.shape == keep.shape == (0, 0)


def test_too_short_a_length_names_the_row():
    with pytest.raises(AutodiffError, match=r"row 1 has 3 words.*length=3 or more"):
        data.padded([[1], [1, 2, 3]], length=2)
    with pytest.raises(ValueError, match="row 0"):
        data.padded([[1]], length=0)


def test_the_nile_is_the_series_that_everyone_knows():
    years, flows = data.nile()
    assert (len(years), int(years[0]), int(years[-1])) == (100, 1871, 1970)
    assert np.abs(flows - flows.round()).max() == 0
    # Means of the years before and after the dam of 1898, and the driest year, as published.
    assert (round(flows[:28].mean(), 2), round(flows[28:].mean(), 2)) == (1097.75, 849.97)
    assert (int(years[flows.argmin()]), flows.min()) == (1913, 456)
