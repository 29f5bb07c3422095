"""floor-3: Hard forward, soft backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for dtype, tol in ((np.float64, 1e-10), (np.float32, 2e-4)):
        for s in (2.0, 8.0, 300.0):
            K = int(rng.integers(5, 8))
            x = np.r_[rng.uniform(0.2, K + 0.8, 12), -0.6, -1.5, K + 1.4, 1, 3, 5].astype(dtype)
            g = rng.normal(size=x.shape).astype(dtype)
            reply = yield Call("surrogate", (x, s, K))
            if a.warned(reply):
                continue
            value, pull = unpack_tuple(reply, "surrogate", ("value", "pull"))
            hard = np.clip(np.floor(x), 0, K)
            a.case(
                value,
                hard,
                {
                    "relaxes-the-forward": shared.soft_floor(x, s, K),
                    "not-clipped": np.floor(x),
                    "rounds": np.clip(np.round(x), 0, K),
                },
                tol=tol,
                of=translate("The value of surrogate", "lesson06"),
                dtype=dtype,
                leaves="changes-the-dtype",
            )
            if not isinstance(pull, ReturnedFunction):
                raise LearnerCodeError(
                    translate(
                        "The second value that surrogate returns must be a function of the incoming gradient g.",
                        "lesson06",
                    )
                )
            back = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
            if not a.warned(back):
                pulled(a, back, g, shared.slope(x, s, K), s, tol)


def pulled(a: AttemptEvaluation, back: CallResult, g: np.ndarray, slope: np.ndarray, s: float, tol: float) -> None:
    """Judge what came back for a cotangent."""
    if back.value is None:
        a.fail({"no-gradient-at-all"}, translate("pull returned None.", "lesson06"))
        return
    mistaken = {
        "uses-floor's-own-slope": np.zeros_like(g),
        "ignores-the-cotangent": slope,
        "straight-through": g,
        "forgets-the-sharpness": g * slope / s,
        "sharpness-twice": g * slope * s,
        "adds-the-cotangent": g + slope,
    }
    a.case(back.value, g * slope, mistaken, tol=tol, of="pull(g)", dtype=g.dtype.type, leaves="changes-the-dtype")


QUESTION = Question(
    id="floor-3",
    points=2,
    title="Hard forward, soft backward",
    text="""Write a function in the form that `@ak.custom_gradient` takes, but without the decorator. `surrogate(x, s, K)` returns two things: the value, which is
exactly floor (clipped to 0 … K), and a function `pull(g)`. It multiplies the incoming gradient g by the derivative of the smooth
staircase Σ σ(s(x − k)), k = 1 … K, entry by entry. Both keep the dtype of x: for float32 they are float32.""",
    writes=("surrogate",),
    without=("ak.relax.soft_floor",),
    starter='''def surrogate(x, s, K):
    """Return (value, pull): floor of x clipped to 0...K, and a function of the incoming gradient g."""
    ...
''',
    check=check,
    messages={
        "relaxes-the-forward": "The value is the smooth staircase. It must be floor: 1.7 gives 1. Only the derivative is taken from the staircase.",
        "not-clipped": "The value is floor without the clip. Below 0 it must be 0, and above K it must be K.",
        "rounds": "The value is that of round: 1.7 gives 2. floor gives 1.",
        "sharpness-twice": "pull is too large by a factor of s. The derivative of σ(s(x − k)) has this factor once.",
        "adds-the-cotangent": "pull adds g to the derivative. By the chain rule it is multiplied by the incoming gradient g.",
        "changes-the-dtype": "x is float32, and a result is float64. Both results have the dtype of x: look for a constant array or a conversion that is float64.",
        "uses-floor's-own-slope": "pull gives 0, the derivative of floor itself. Here the rule uses another derivative, that of the smooth staircase.",
        "no-gradient-at-all": "pull gives None, as floor itself does. Here the rule returns g times the derivative of the smooth staircase.",
        "ignores-the-cotangent": "pull returns the derivative alone. By the chain rule it must be multiplied by the incoming gradient g.",
        "straight-through": "pull returns g unchanged: that is the straight-through estimator. Here g is multiplied by the derivative of the staircase.",
        "forgets-the-sharpness": "pull is too small by a factor of s. What does the chain rule give for σ(s(x − k))?",
    },
    hints=(
        "Two things are returned: an array, and a function that takes g.",
        "Differentiate one step σ(s(x − k)) with respect to x. What is the inner derivative?",
        "`lambda g: g * sum(s*sig(s*(x-k))*sig(-s*(x-k)) for k in range(1, K+1))`",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(0.2, 5.8, 4)).round(2),
        "s": float(rng.integers(2, 9)),
        "K": 5,
        "g": rng.normal(size=4).round(2),
    },
)
