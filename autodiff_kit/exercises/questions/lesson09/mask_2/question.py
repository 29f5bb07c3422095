"""mask-2: One function for every row, the empty one too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
CASES_2 = ("plain", "empty row", "nan kept", "nan padded", "inf padded")


def scores_2(rng: np.random.Generator, case: str, dtype: type) -> tuple[Array, Array]:
    """Scores and mask of a case; in "nan kept" it is row 1 that is broken."""
    keep = shared.random_masks(rng, (4, 6), empty=case == "empty row")
    scores: Array = (rng.normal(size=(4, 6)) * 2).astype(dtype)
    if case == "nan kept":
        scores[1, np.argmax(keep[1])] = np.nan
    if case.endswith("padded"):
        scores[~keep] = np.nan if case.startswith("nan") else np.inf
    return scores, keep


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for dtype, tol in ((np.float64, 1e-8), (np.float32, 1e-5), (np.float16, 4e-3)):
        for case in CASES_2:
            scores, keep = scores_2(rng, case, dtype)
            for empty in ("zero", "nan"):
                reply = yield Call("masked_softmax", (scores, keep, empty))
                leaks = "padding-leaks-nan" if case.endswith("padded") else ""
                small = "eps-vanishes-in-float16" if case == "empty row" and dtype is np.float16 else ""
                pad = {"nan": case.split()[0]}
                if not a.warned(reply, leaks or small, **pad):
                    rows_2(a, reply, (scores, keep, empty, case), tol)


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
        a.behave(came == scores.dtype, text=f"Right values as {came}; {scores.dtype} went in, and is to come out.")
        return
    facts = {"nan": case.split()[0], "policy": repr(empty), "weights": got[0] if got.ndim == 2 else got}
    a.fail(
        _names_2(got, want, given, tol),
        f'masked_softmax(scores, keep, "{empty}") is not right; the case is: {case}.',
        **facts,
    )


def _names_2(got: Array, want: Array, given: tuple[Array, Array, str, str], tol: float) -> set[str]:
    scores, keep, _, case = given
    if got.shape != want.shape:
        return set()
    if case == "nan kept":
        return {"hides-a-real-nan"} if np.isfinite(got[1]).all() else set()
    if case.endswith("padded"):
        return set() if np.isfinite(got).all() else {"padding-leaks-nan"}
    if case != "empty row":
        return set()
    if abs(got[0].sum() - 1) < 5e-3:
        return {"minus-1e9-is-not-minus-infinity"}
    either = [solution.masked_softmax(scores, keep, policy) for policy in ("zero", "nan")]
    return {"ignores-the-policy"} if any(values_close(got, one, tol) for one in either) else set()


QUESTION = Question(
    id="mask-2",
    points=3,
    title="One function for every row, the empty one too",
    text="""Write a masked softmax that holds for three kinds of row. An ordinary row: weights over the kept keys, whatever stands in the
padding, NaN and infinities too. An empty row (nothing kept): all 0 with `empty="zero"`, all NaN with `empty="nan"`. A broken row (a kept score is
NaN): the row must show it, the others must not. The dtype of the scores (float64, float32, float16) is the dtype of the weights. No warnings.""",
    writes=("masked_softmax",),
    starter='''def masked_softmax(scores, keep, empty="zero"):
    """Softmax over the kept scores of the last axis; an empty row is all 0, or all NaN."""
    ...
''',
    check=check,
    messages={
        "minus-1e9-is-not-minus-infinity": "A row with nothing to attend to attends anyway: {weights}. In float32 all scores round to −1e9 and become equal, in float64 they keep their order.",
        "eps-vanishes-in-float16": "1e-9 is 0 in float16, so 0/0 is back. Decide the empty row by the mask, not by the sum.",
        "hides-a-real-nan": "A kept score was NaN and your answer looks healthy. nan_to_num hides the next bug too.",
        "padding-leaks-nan": "Padding held {nan} and reached the row: 0·nan is nan. Choose with where, before exp.",
        "ignores-the-policy": "empty={policy} was asked for.",
    },
    hints=(
        "Three kinds of row: ordinary, empty, broken.",
        "where before exp, and a stand-in for the maximum of an empty row.",
        "`none = ~keep.any(-1, keepdims=True); out = e / where(none, 1, z)`",
    ),
    example=lambda rng: {
        "scores": rng.normal(size=(3, 4)).round(2),
        "keep": shared.random_masks(rng, (3, 4), empty=True),
    },
)
