"""floor-3: Hard forward, soft backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for dtype, tol in ((np.float64, 1e-10), (np.float32, 2e-4)):
        for s in (2.0, 8.0, 300.0):
            K = int(rng.integers(5, 8))
            x = np.r_[rng.uniform(0.2, K + 0.8, 12), 1, 3, 5].astype(dtype)
            g = rng.normal(size=x.shape).astype(dtype)
            reply = yield Call("surrogate", (x, s, K))
            if a.warned(reply):
                continue
            value, pull = unpack_tuple(reply, "surrogate", ("value", "pull"))
            hard = np.clip(np.floor(x), 0, K)
            a.case(
                value,
                hard,
                {"relaxes-the-forward": shared.soft_floor(x, s, K)},
                tol=tol,
                of="The value of surrogate",
                dtype=dtype,
            )
            if not isinstance(pull, ReturnedFunction):
                raise LearnerCodeError(
                    "The second thing that surrogate gives back is a function of the incoming gradient g."
                )
            back = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
            if not a.warned(back):
                pulled(a, back, g, shared.slope(x, s, K), tol)


def pulled(a: AttemptEvaluation, back: CallResult, g: np.ndarray, slope: np.ndarray, tol: float) -> None:
    """Judge what came back for a cotangent."""
    if back.value is None:
        a.fail({"no-gradient-at-all"}, "pull gave back None.")
        return
    mistaken = {
        "uses-floor's-own-slope": np.zeros_like(g),
        "ignores-the-cotangent": slope,
        "straight-through": g,
    }
    a.case(back.value, g * slope, mistaken, tol=tol, of="pull(g)", dtype=g.dtype.type)


QUESTION = Question(
    id="floor-3",
    points=2,
    title="Hard forward, soft backward",
    text="""Write the rule that `@ak.custom_gradient` wants: `surrogate(x, s, K)` gives back the value, exactly floor (clipped to
0 … K), and a function `pull(g)` that weighs the incoming gradient by the
slope of the soft staircase Σ σ(s(x−k)), k = 1 … K.""",
    writes=("surrogate",),
    starter='''def surrogate(x, s, K):
    """Give back (value, pull): floor of x clipped to 0...K, and a function of the incoming gradient g."""
    ...
''',
    check=check,
    messages={
        "relaxes-the-forward": "The value must stay hard: 1.7 gives 1. Only the way back is soft.",
        "uses-floor's-own-slope": "That is floor's own slope, 0. The rule is yours to write; it need not be true.",
        "no-gradient-at-all": "None is what floor itself has. The rule is yours to write; it need not be true.",
        "ignores-the-cotangent": "You returned the slope without multiplying by the incoming g, so nothing after this op is heard.",
        "straight-through": "You passed g on unchanged: a good rule, but the one asked for weighs it by Σ s·σ·(1−σ).",
    },
    hints=(
        "Two things are returned: a value, and a function of g.",
        "σ' = σ(1−σ), and s comes out by the chain rule.",
        "`lambda g: g * sum(s*sig(s*(x-k))*sig(-s*(x-k)) for k in range(1, K+1))`",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(0.2, 5.8, 4)).round(2),
        "s": float(rng.integers(2, 9)),
        "K": 5,
        "g": rng.normal(size=4).round(2),
    },
)
