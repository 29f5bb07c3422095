"""Lesson 09's widget: weights, outputs and gradients of four ways to mask, and a batch that shares one factor W."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets import MaskedAttention
from autodiff_kit.widgets.lesson09 import DESIGNS, SENTENCES, STEP


def near(values: Any, digits: int = 4) -> list[float]:
    return [round(float(x), digits) + 0.0 for x in np.asarray(values).ravel()]


@pytest.mark.parametrize(
    ("design", "kept", "output", "leak"),
    [("zero", 0.6, 14.0, -5.6), ("renorm", 1.0, 23.3333, 0.0), ("minusinf", 1.0, 23.3333, 0.0)],
)
def test_the_lessons_numbers(design: str, kept: float, output: float, leak: float) -> None:
    """Zeroing after the softmax still sends -5.6 into the padding; the other designs send nothing."""
    widget = MaskedAttention(design=design)
    assert widget.keep == [True, True, True, False]
    assert near([widget.kept_sum, widget.output, widget.grads[3]]) == [kept, output, leak]
    assert near(widget.before) == [0.1, 0.2, 0.3, 0.4]
    assert widget.weights[3] == 0.0


def test_minus_ten_leaves_a_little() -> None:
    widget = MaskedAttention(design="additive")
    assert widget.c == -10.0
    assert f"{widget.weights[3]:.2e}" == "3.03e-05"
    assert widget.grads[3] > 0
    widget.c = -1e9
    assert (widget.weights[3], widget.grads[3]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("dtype", "weights"), [("float32", [0.25, 0.25, 0.25, 0.25]), ("float64", [0.1, 0.2, 0.3, 0.4])]
)
def test_all_masked_by_minus_a_billion_depends_on_the_dtype(dtype: str, weights: list[float]) -> None:
    widget = MaskedAttention(design="additive", c=-1e9, dtype=dtype, keep=[False] * 4)
    assert near(widget.weights) == weights
    assert widget.weights.dtype == np.dtype(dtype)


def test_all_masked_by_minus_infinity_is_nan() -> None:
    widget = MaskedAttention(design="minusinf", keep=[False] * 4)
    assert np.isnan(widget.weights).all()
    assert math.isnan(widget.output)
    assert widget.get_state()["weights"] == ["nan"] * 4


def test_an_empty_row_is_what_the_policy_says() -> None:
    widget = MaskedAttention(design="renorm", keep=[False] * 4)
    assert near(widget.weights) == near(widget.grads) == [0.0] * 4
    assert widget.output == 0.0
    widget.empty = "nan"
    assert np.isnan(widget.weights).all()
    assert math.isnan(widget.w_grad)


def test_one_empty_row_spoils_the_factor_that_all_rows_share() -> None:
    """The loss leaves the empty row out, and W's gradient is nan all the same, and W after one step."""
    widget = MaskedAttention(design="minusinf")
    assert [row["name"] for row in widget.batch] == ["the cat sat", "stop now", "(empty)"]
    assert [math.isnan(row["output"]) for row in widget.batch] == [False, False, True]
    assert math.isnan(widget.w_grad)
    assert math.isnan(widget.w_next)
    assert (widget.get_state()["w_grad"], widget.get_state()["w_next"]) == ("nan", "nan")


@pytest.mark.parametrize("design", ["zero", "renorm", "additive"])
def test_other_designs_keep_the_factor_finite(design: str) -> None:
    widget = MaskedAttention(design=design, dtype="float64")
    kept = [row["slope"] for row in widget.batch[:2]]
    assert widget.w_grad == pytest.approx(sum(kept))
    assert widget.w_next == pytest.approx(1.0 - STEP * widget.w_grad)


@pytest.mark.parametrize("design", DESIGNS)
def test_gradients_are_those_of_the_output(design: str) -> None:
    """Against differences, in NumPy, of each design written out."""
    widget = MaskedAttention(design=design, dtype="float64", sentence=1)
    case = SENTENCES[1]
    keep, values = np.array(case.keep), np.array(case.values)

    def output(scores: Any) -> float:
        shifted = scores + {"minusinf": -np.inf, "additive": widget.c}.get(design, 0.0) * np.where(keep, 0.0, 1.0)
        if design == "minusinf":
            shifted = np.where(keep, scores, -np.inf)
        weights = np.exp(shifted) / np.exp(shifted).sum()
        if design in ("zero", "renorm"):
            weights = weights * keep
        return float((weights / (weights.sum() if design == "renorm" else 1.0)) @ values)

    scores, h = np.log(np.array(case.counts, float)), 1e-6
    with np.errstate(invalid="ignore"):
        rough = [(output(scores + h * e) - output(scores - h * e)) / (2 * h) for e in np.eye(scores.size)]
    assert np.asarray(widget.grads) == pytest.approx(rough, abs=1e-6)


@pytest.mark.parametrize("sentence", range(len(SENTENCES)))
def test_a_sentence_masks_its_padding(sentence: int) -> None:
    widget = MaskedAttention(design="renorm")
    widget.set_state({"sentence": sentence, "asked": 1})
    case = SENTENCES[sentence]
    padding = np.array([token == "[pad]" for token in widget.tokens])
    assert widget.tokens[: len(case.words)] == list(case.words)
    assert widget.keep == (~padding).tolist()
    assert not np.asarray(widget.weights)[padding].any()
    assert not np.asarray(widget.grads)[padding].any()
    assert widget.kept_sum == pytest.approx(1.0)
    assert widget.answered == 1


def test_every_padded_position_gets_the_leak() -> None:
    """Lesson 09's own -5.6 is no accident of one position: each of several padded scores is moved."""
    widget = MaskedAttention(design="zero", sentence=1)
    assert widget.tokens.count("[pad]") == 4
    assert len([g for g in widget.grads[2:] if g < -0.1]) == 4


def test_a_mask_of_the_learners_stays_until_another_sentence() -> None:
    widget = MaskedAttention(keep=[False, True, True, True])
    assert widget.keep == [False, True, True, True]
    widget.design = "renorm"
    assert widget.keep == [False, True, True, True]
    widget.sentence = 2
    assert widget.keep == list(SENTENCES[2].keep)
    widget.keep = [False] * 6
    widget.dtype = "float64"
    assert widget.keep == [False] * 6


def test_the_mask_of_a_new_sentence_is_part_of_the_same_answer() -> None:
    answers = []

    class Counted(MaskedAttention):
        def compute_outputs(self) -> dict[str, Any]:
            answers.append(self.sentence)
            return super().compute_outputs()

    widget = Counted()
    widget.set_state({"sentence": 3, "asked": 1})
    assert answers == [0, 3]
    assert widget.answered == 1


@pytest.mark.parametrize(
    "bad", [{"design": "hope"}, {"dtype": "float16"}, {"empty": "one"}, {"sentence": 5}, {"stage": 4}], ids=repr
)
def test_values_outside_their_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError):
        MaskedAttention(**bad)


def test_the_twin_says_it_in_text() -> None:
    text = str(MaskedAttention().as_table())
    assert text.startswith("Design zero, float32: kept weights sum to 0.6000, the output is 14.0000")
    assert [line.split()[-1] for line in text.splitlines()[2:]] == ["-0.4000", "1.2000", "4.8000", "-5.6000"]
