"""mask-3: The way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from ..mask_2 import solution as mask_2_solution
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


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


def pulled_3(
    a: AttemptEvaluation, value: object, given: tuple[Array, Array, Array], bad: float | None, tol: float
) -> None:
    """Judge a gradient of the scores."""
    w, keep, clean = given
    got = require_real_array(value, "masked_softmax_pull")
    if bad is not None and not np.isfinite(got).all():
        a.fail({"padding-leaks-nan"}, f"NaN or infinity came out where g was {bad} at the padding.", nan=bad)
        return
    mistaken = {
        "diagonal-only": w * (1 - w) * clean,
        "weights-times-g": w * clean,
        "centred-over-length": w * (clean - clean.mean(-1, keepdims=True)),
    }
    row = float((w * (1 - w) * clean)[1].sum())
    want = solution.masked_softmax_pull(w, keep, clean)
    if a.case(value, want, mistaken, tol=tol, facts={"s": row}, dtype=w.dtype.type):
        a.behave(
            bool(np.all(got[~keep] == 0)),
            text="Into the padding and into empty rows exactly 0 is asked for.",
            half=False,
        )


QUESTION = Question(
    id="mask-3",
    points=3,
    title="The way back",
    text="""Write the pull of the masked softmax, from its weights alone: the gradient of the scores for an incoming gradient `g`. Exactly 0
goes into the padding and into empty rows, whatever `g` holds there (it may be NaN). The Jacobian of a row is not to be built.""",
    writes=("masked_softmax_pull",),
    starter='''def masked_softmax_pull(w, keep, g):
    """The gradient of the scores; w are the weights that the masked softmax gave, g is their gradient."""
    ...
''',
    check=check,
    messages={
        "diagonal-only": "Raising one weight lowers the others; that part is missing. Your row sums to {s}; adding a constant to all scores changes nothing, so it must be 0.",
        "weights-times-g": "Close: subtract what the row has in common, Σ w g.",
        "centred-over-length": "You subtracted the plain mean of g; it is the mean by weight.",
        "padding-leaks-nan": "g was {nan} at a place whose weight is 0, and 0·nan is nan. Clear g there first.",
    },
    hints=(
        "J = diag(w) − w wᵀ.",
        "Never build it: two products are enough.",
        "`w * (g - (w*g).sum(-1, keepdims=True))`, after where.",
    ),
    example=lambda rng: {
        "w": np.array([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]]),
        "keep": np.array([[True, True, False], [False, False, False]]),
        "g": rng.normal(size=(2, 3)).round(2),
    },
)
