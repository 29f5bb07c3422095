"""mask-2: A masked softmax for every kind of row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import (
    first_mismatch,
    format_distinct,
    format_value,
    require_real_array,
    values_close,
)
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, describe_difference
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
LOWERED = "minus-1e9-is-not-minus-infinity"
EMPTY = "empty-row-0/0"
CASES_2 = ("plain", "empty row", "nan kept", "nan padded", "inf padded", "large", "far")


def scores_2(rng: np.random.Generator, case: str, dtype: type) -> tuple[Array, Array]:
    """Scores and mask of a case; in "nan kept" it is row 1 that is broken."""
    keep = shared.random_masks(rng, (4, 6), empty=case == "empty row")
    scores: Array = (rng.normal(size=(4, 6)) * 2).astype(dtype)
    if case == "large":
        scores += 100 if dtype is np.float16 else 1000
    if case == "far":
        scores -= 1e12
    if case == "nan kept":
        scores[1, np.argmax(keep[1])] = np.nan
    if case.endswith("padded"):
        scores[~keep] = np.nan if case.startswith("nan") else np.inf
    return scores, keep


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for dtype, tol in ((np.float64, 1e-8), (np.float32, 1e-5), (np.float16, 4e-3)):
        for case in CASES_2 if dtype is np.float64 else CASES_2[:-1]:
            scores, keep = scores_2(rng, case, dtype)
            for empty in ("zero", "nan"):
                reply = yield Call("masked_softmax", (scores, keep, empty))
                pad = {"nan": case.split()[0]}
                if not a.warned(reply, warned_name(a, case, dtype), **pad):
                    rows_2(a, reply, (scores, keep, empty, case), 1e-3 if case == "far" else tol)


def warned_name(a: AttemptEvaluation, case: str, dtype: type) -> str:
    """The misconception behind a floating-point warning."""
    before = set().union(*(failed.names for failed in a.failed_cases))
    if dtype is np.float16 and LOWERED in before:
        return LOWERED  # such a number overflows in float16
    if case == "empty row":
        return "eps-vanishes-in-float16" if dtype is np.float16 and EMPTY not in before else EMPTY
    return "padding-leaks-nan" if case.endswith("padded") else "finite-fill" if case == "far" else ""


def rows_2(a: AttemptEvaluation, reply: CallResult, given: tuple[Array, Array, str, str], tol: float) -> None:
    """Judge the rows of one answer."""
    scores, keep, empty, case = given
    want = np.array(solution.masked_softmax(scores, keep, empty))
    got = require_real_array(reply.value, "masked_softmax")
    if case == "nan kept" and got.shape == want.shape:
        want[1] = np.nan
        got[1] = np.nan if np.isnan(got[1]).any() else got[1]
    if values_close(got, want, tol):
        came = np.asarray(reply.value).dtype
        words = translate(
            "The values are right as {came}; the dtype of the scores, {wanted}, is asked for.", "lesson09"
        ).format(came=came, wanted=scores.dtype)
        a.behave(came == scores.dtype, text=words)
        return
    weights = got[0] if got.ndim == 2 else got
    facts = {"nan": case.split()[0], "policy": repr(empty), "weights": weights, "sum": float(weights.sum())}
    facts["whole"] = f"{weights_sum(got, keep):.12g}"
    a.fail(_names_2(a, got, want, given, tol), _first_wrong_row(got, want, given, tol), **facts)


def weights_sum(got: Array, keep: Array) -> float:
    """The sum of the weights of the first row that is not empty."""
    return float(got[int(np.argmax(keep.any(-1)))].sum()) if got.shape == keep.shape else 0.0


def _first_wrong_row(got: Array, want: Array, given: tuple[Array, Array, str, str], tol: float) -> str:
    """The first row that is not right: its kind, and what it came from."""
    if got.shape != want.shape:
        return describe_difference("masked_softmax", got, want, tol)
    scores, keep, empty, case = given
    row = first_mismatch(got, want, tol)[0]
    kind = "plain" if case in ("empty row", "nan kept") else case
    if not keep[row].any():
        kind = "empty row"
    elif np.isnan(scores[row][keep[row]]).any():
        kind = "nan kept"
    text = translate(
        'masked_softmax(scores, keep, "{empty}"), row {row} ({kind}): scores {scores}, mask {keep}, got {got}, '
        "expected {want}.",
        "lesson09",
    )
    texts = format_distinct(got[row], want[row])
    told = {"scores": format_value(scores[row].astype(float)), "keep": format_value(keep[row])}
    return text.format(empty=empty, row=row, kind=_words_of(kind), got=texts[0], want=texts[1], **told)


def _words_of(kind: str) -> str:
    """A kind of row as it is named in a message."""
    return {
        "plain": translate("an ordinary row", "lesson09"),
        "empty row": translate("an empty row", "lesson09"),
        "nan kept": translate("nan at a kept position", "lesson09"),
        "nan padded": translate("nan at the padding", "lesson09"),
        "inf padded": translate("inf at the padding", "lesson09"),
        "large": translate("large scores", "lesson09"),
        "far": translate("scores near −10¹²", "lesson09"),
    }[kind]


def _names_2(
    a: AttemptEvaluation, got: Array, want: Array, given: tuple[Array, Array, str, str], tol: float
) -> set[str]:
    scores, keep, _, case = given
    if got.shape != want.shape:
        return set()
    with np.errstate(all="ignore"):
        cleared = np.where(np.isfinite(scores) | keep, scores, 0).astype(float)
        zeroed = shared.softmax(cleared) * keep
    full = keep.any(-1) & np.isfinite(zeroed).all(-1)
    if full.any() and values_close(got[full], zeroed[full], tol) and not values_close(got[full], want[full], tol):
        return {"zero-after"}
    if full.any() and _is_scaled_down(got[full], want[full], tol):
        return {"eps-in-the-sum"}
    if case == "far":
        return {"finite-fill", *({LOWERED} if any(LOWERED in failed.names for failed in a.failed_cases) else ())}
    if case == "nan kept":
        return {"hides-a-real-nan"} if np.isfinite(got[1]).all() else set()
    if case.endswith("padded"):
        return set() if np.isfinite(got).all() else {"padding-leaks-nan"}
    if case != "empty row":
        return set()
    if abs(got[0].sum() - 1) < 5e-3:
        return {LOWERED}
    either = [solution.masked_softmax(scores, keep, policy) for policy in ("zero", "nan")]
    return {"ignores-the-policy"} if any(values_close(got, one, tol) for one in either) else set()


def _is_scaled_down(got: Array, want: Array, tol: float) -> bool:
    """Whether the weights are right but for a factor a little below 1 in each row."""
    sums = got.sum(-1, keepdims=True)
    small = bool(np.all((sums > 0.98) & (sums < 1)))
    return small and values_close(got / sums, want, tol) and not values_close(got, want, tol)


QUESTION = Question(
    id="mask-2",
    points=3,
    title="A masked softmax for every kind of row",
    text="""Write a masked softmax over the last axis that is right for three kinds of row:

- an ordinary row: weights over the kept positions, whatever the padding holds, NaN and infinities included, and however far below 0 the scores are (−10¹² in float64);
- an empty row (nothing is kept): all 0 with `empty="zero"`, all NaN with `empty="nan"`;
- a broken row (a kept score is NaN): at least one NaN in this row, and none in the others.

The weights have the dtype of the scores (float64, float32 or float16). There must be no warnings.""",
    writes=("masked_softmax",),
    without=("ak.nn.masked_softmax",),
    starter='''def masked_softmax(scores, keep, empty="zero"):
    """Softmax over the kept scores of the last axis; an empty row is all 0, or all NaN."""
    ...
''',
    check=check,
    messages={
        "minus-1e9-is-not-minus-infinity": "The empty row got the weights {weights}; all 0 or all NaN is expected. With every score lowered by a large number, the softmax still gives weights that sum to 1. Use the mask to find empty rows.",
        "zero-after": "The weights of the first row sum to {sum}, not 1. They were set to 0 after a softmax over all positions, so the padding is still in the sum Z. Mask the scores before the softmax.",
        "finite-fill": "All scores of a row were near −10¹², below the number that stands for −inf at the padding. So the padding had the largest score of the row. Below every score is only −inf; or take the maximum over the kept scores.",
        "eps-in-the-sum": "The weights of an ordinary row sum to {whole}, not 1: a small number was added to the sum that divides them. Add nothing; use the mask to find empty rows.",
        "empty-row-0/0": "In the empty row every score is −inf and the sum is 0, and −inf − (−inf) and 0/0 are nan, with a warning. Find empty rows with the mask, before the subtraction and the division.",
        "eps-vanishes-in-float16": "A number such as 1e-9 is 0 in float16, so the empty row is still 0/0. Use the mask, not the sum, to find empty rows.",
        "hides-a-real-nan": "A kept score was NaN, and the row has no NaN in it. Replace values by the mask only; nan_to_num also hides errors.",
        "padding-leaks-nan": "The padding held {nan}, and it reached the weights. Multiplying by a mask does not help, since 0·nan and 0·inf are nan. Replace padded scores with where, before the maximum and before exp.",
        "ignores-the-policy": "The empty row does not follow empty={policy}.",
    },
    hints=(
        "Which of the three kinds of row does your function get right so far?",
        "Use where before exp. What is the maximum of a row in which nothing is kept?",
        "`none = ~keep.any(-1, keepdims=True); out = e / where(none, 1, z)`",
    ),
    example=lambda rng: {
        "scores": rng.normal(size=(3, 4)).round(2),
        "keep": shared.random_masks(rng, (3, 4), empty=True),
    },
)
