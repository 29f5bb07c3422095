"""Sentences with sentiment labels, a vocabulary that turns words into ids, and padding to equal length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autodiff_kit.errors import ShapeError, StructureError

__all__ = ["LabelledSentences", "Vocabulary", "padded", "sentences", "tokens"]

LABELS = ("displeased", "pleased")
TRAIN = 400  # the first rows of the file; the remaining 200 are the test set

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True)
class LabelledSentences:
    """Sentences with their sentiment labels.

    Parameters
    ----------
    texts : tuple of str
        The sentences.
    labels : ndarray of int64, shape (n,)
        1 if the speaker is pleased, 0 if not.
    """

    texts: tuple[str, ...]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.texts)


def sentences(part: Literal["all", "train", "test"] = "all") -> LabelledSentences:
    """Sentences of 2 to 12 words about everyday things; the label says whether the speaker is pleased.

    Parameters
    ----------
    part : {"all", "train", "test"}, optional
        All 600, the first 400 or the last 200. In each part, half of the sentences are pleased.

    Returns
    -------
    LabelledSentences
        Texts and labels in the order of the file, the same on every machine.

    Raises
    ------
    StructureError
        If there is no such part.

    Examples
    --------
    >>> train, test = sentences("train"), sentences("test")
    >>> len(train), len(test), int(test.labels.sum())
    (400, 200, 100)
    """
    parts = {"all": slice(None), "train": slice(TRAIN), "test": slice(TRAIN, None)}
    if part not in parts:
        raise StructureError(f"there is no part {part!r} of the sentences; choose one of {', '.join(parts)}")
    lines = (files(__package__) / "sentences.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines][parts[part]]
    labels = np.array([LABELS.index(label) for label, _ in rows], dtype=np.int64)
    return LabelledSentences(tuple(text for _, text in rows), labels)


def tokens(text: str) -> list[str]:
    """Split a sentence into its words.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        The words in lower case; an apostrophe inside a word is kept, other punctuation and digits are dropped.

    Examples
    --------
    >>> tokens("My sister's tea: exactly right!")
    ['my', "sister's", 'tea', 'exactly', 'right']
    """
    return _WORD.findall(text.lower())


class Vocabulary:
    """Word ids: 0 is padding, 1 any unknown word, the others follow in alphabetical order.

    Parameters
    ----------
    texts : iterable of str
        The sentences whose words get ids: those of the training set, so that the test set stays unseen.
    at_least : int, optional
        How often a word must occur to get a separate id.

    Attributes
    ----------
    words : tuple of str
        The word of each id.

    Examples
    --------
    >>> vocabulary = Vocabulary(["good tea", "bad tea"])
    >>> vocabulary.words
    ('(padding)', '(unknown)', 'bad', 'good', 'tea')
    >>> vocabulary.ids("Good coffee")
    [3, 1]
    """

    PADDING = 0
    UNKNOWN = 1

    def __init__(self, texts: Iterable[str], at_least: int = 1) -> None:
        counts = Counter(word for text in texts for word in tokens(text))
        known = sorted(word for word, count in counts.items() if count >= at_least)
        self.words: tuple[str, ...] = ("(padding)", "(unknown)", *known)
        self._ids = {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def ids(self, text: str) -> list[int]:
        """The id of each word of a sentence.

        Parameters
        ----------
        text : str
            A sentence.

        Returns
        -------
        list of int
            One id for each word, never 0.
        """
        return [self._ids.get(word, self.UNKNOWN) for word in tokens(text)]


def padded(ids: Sequence[Sequence[int]], length: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Pad rows of ids with zeros to equal length, with a mask of the positions that are words.

    Parameters
    ----------
    ids : sequence of sequences of int
        One row of word ids for each sentence; a row may be empty.
    length : int, optional
        The length to pad to; by default that of the longest row.

    Returns
    -------
    ids : ndarray of int64, shape (n, length)
        The ids, then 0 up to the end of each row.
    keep : ndarray of bool, shape (n, length)
        True at the words, False at the padding.

    Raises
    ------
    ShapeError
        If a row is longer than ``length``; the first such row is named.

    Examples
    --------
    >>> ids, keep = padded([[7, 4], [5]], length=3)
    >>> ids.tolist(), keep.tolist()
    ([[7, 4, 0], [5, 0, 0]], [[True, True, False], [True, False, False]])
    """
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    width = longest if length is None else length
    if longest > width:
        row = int(np.argmax(lengths > width))
        raise ShapeError(
            f"row {row} has {lengths[row]} words, which is more than length={width}; "
            f"give length={longest} or more, or omit it"
        )
    out = np.zeros((len(lengths), width), dtype=np.int64)
    keep = np.arange(width) < lengths[:, None]
    out[keep] = [i for row in ids for i in row]
    return out, keep
