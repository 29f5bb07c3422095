"""mask-3: The pull of the masked softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from ..mask_2 import solution as mask_2_solution
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


LONG = 1500  # the Jacobian of such a row has 18 MB, so that the grader sees it from outside of the process
ROOM = 2**20


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for bad in (None, 1e6, np.nan, np.inf):
        for dtype, tol in ((np.float64, 1e-12), (np.float32, 2e-5)):
            keep = shared.random_masks(rng, (4, 6), empty=True)
            w = mask_2_solution.masked_softmax(rng.normal(size=(4, 6)), keep).astype(dtype)
            g = rng.normal(size=(4, 6)).astype(dtype)
            clean = np.where(keep, g, 0).astype(dtype)
            g[~keep] = g[~keep] if bad is None else bad
            reply = yield Call("masked_softmax_pull", (w, keep, g))
            leak = "" if bad is None else "padding-leaks-nan"
            if a.warned(reply, leak, nan=bad):
                continue
            pulled_3(a, reply.value, (w, keep, clean), bad, tol)
    if not a.failed_cases:
        keep = shared.random_masks(rng, (2, LONG))
        w = mask_2_solution.masked_softmax(rng.normal(size=keep.shape), keep)
        g = np.where(keep, rng.normal(size=keep.shape), 0.0)
        reply = yield Call("masked_softmax_pull", (w, keep, g), memory=True)
        if not a.warned(reply):
            pulled_3(a, reply.value, (w, keep, g), None, 1e-12)
            words = translate("The values are right, but {peak} bytes were in use at once.", "lesson09")
            mb = f"{reply.peak / 2**20:.1f}"
            a.behave(reply.peak <= ROOM, "builds-the-jacobian", words.format(peak=reply.peak), n=LONG, mb=mb)


def pulled_3(
    a: AttemptEvaluation, value: object, given: tuple[Array, Array, Array], bad: float | None, tol: float
) -> None:
    """Judge a gradient of the scores."""
    w, keep, clean = given
    got = require_real_array(value, "masked_softmax_pull")
    if bad is not None and not np.isfinite(got).all():
        a.fail(
            {"padding-leaks-nan"},
            translate("The gradient has NaN or infinity in it where g is {g} at the padding.", "lesson09").format(
                g=bad
            ),
            nan=bad,
        )
        return
    mistaken = {
        "diagonal-only": w * (1 - w) * clean,
        "weights-times-g": w * clean,
        "g-itself": clean,
        "centred-over-length": w * (clean - clean.mean(-1, keepdims=True)),
    }
    row = float((w * (1 - w) * clean)[1].sum())
    want = solution.masked_softmax_pull(w, keep, clean)
    if a.case(value, want, mistaken, tol=tol, facts={"s": row}, dtype=w.dtype.type):
        a.behave(
            bool(np.all(got[~keep] == 0)),
            text=translate("At the padding and in empty rows the gradient must be exactly 0.", "lesson09"),
            half=False,
        )


QUESTION = Question(
    id="mask-3",
    points=3,
    title="The pull of the masked softmax",
    text="""Write the pull of the masked softmax. Its inputs are the weights `w`, the mask `keep` and the cotangent `g` of the weights; its result is
the gradient with respect to the scores. The gradient must be exactly 0 at the padding and in empty rows, whatever `g` holds there (it may be NaN). Do
not build the Jacobian of a row. The result has the dtype of `w`.""",
    writes=("masked_softmax_pull",),
    without=("ak.nn.softmax", "ak.nn.masked_softmax"),
    starter='''def masked_softmax_pull(w, keep, g):
    """The gradient of the scores; w are the weights that the masked softmax gave, g is their gradient."""
    ...
''',
    check=check,
    messages={
        "diagonal-only": "The effect of a score on the other weights is missing. The gradient of the second row sums to {s}; it must sum to 0, since adding one number to all scores changes nothing.",
        "builds-the-jacobian": "The values are right, but {mb} MB were in use at once for a row of {n} scores: the Jacobian of the row was built. The sum of w·g over the row is one number; subtract it from g.",
        "g-itself": "That is g with zeros at the padding. This is only the pull of the mask: the softmax between scores and weights has a pull, too.",
        "weights-times-g": "That is w·g. The weights of a row sum to 1, so a higher weight makes the others smaller; this part is missing.",
        "centred-over-length": "The plain mean of g was subtracted. The positions do not have equal weights: which mean belongs here?",
        "padding-leaks-nan": "g was {nan} at a position with weight 0, and 0 times it is nan. Set g to 0 there first, with where.",
    },
    hints=(
        "A score changes its own weight, and, through the sum in the denominator, all others.",
        "What do all entries of a row have in common? Compute it once per row and subtract it.",
        "`w * (g - (w*g).sum(-1, keepdims=True))`, after where.",
    ),
    example=lambda rng: {
        "w": np.array([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]]),
        "keep": np.array([[True, True, False], [False, False, False]]),
        "g": rng.normal(size=(2, 3)).round(2),
    },
)
