"""custom-1: log(1 + eˣ), with a rule of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
FAR = (0.0, 1000.0, -1000.0, 90.0, -40.0, -60.0)
TAIL = slice(-2, None)  # where 1 + exp(x) is 1


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    drawn, seed = np.r_[rng.normal(size=6) * 5, FAR], rng.normal(size=12)
    for dtype, tol in ((np.float64, 1e-12), (np.float32, 1e-6)):
        x, g = drawn.astype(dtype), seed.astype(dtype)
        reply = yield Call("log1pexp", (x,))
        if a.warned(reply, "overflows" if "overflow" in reply.warning else ""):
            continue
        value, pull = unpack_tuple(reply, "log1pexp", ("value", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                "log1pexp is to give back (value, pull), where pull is a function of the incoming gradient g."
            )
        if value_1(a, value, x, tol):
            yield from way_back_1(a, pull, x, g, tol)


def value_1(a: AttemptEvaluation, value: object, x: Array, tol: float) -> bool:
    """Judge the values; those in the tail are small, and judged by their ratio."""
    want = solution.log1pexp(x)[0]
    mistaken = {"overflows": misconceptions.composed_log1pexp(x)}
    what = "The value of log1pexp"
    if not a.case(value, want, mistaken, tol=tol, of=what, dtype=x.dtype.type):
        return False
    off = np.abs(require_real_array(value, what)[TAIL] / want[TAIL] - 1).max()
    return a.behave(bool(off < 1e-4), "loses-the-tail", f"{what} at −40 is off by {100 * off:.0f} %.", half=False)


def way_back_1(a: AttemptEvaluation, pull: ReturnedFunction, x: Array, g: Array, tol: float) -> CheckScript:
    """Judge what the pull gives for one cotangent."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply, "stable-value-unstable-slope"):
        return
    slope = misconceptions.sigmoid(x)
    mistaken = {
        "stable-value-unstable-slope": g * misconceptions.composed_derivative(x),
        "ignores-the-cotangent": slope,
        "slope-of-the-wrong-side": g * misconceptions.sigmoid(-x),
    }
    a.case(reply.value, g * slope, mistaken, tol=tol, of="What pull gives", dtype=x.dtype.type)


QUESTION = Question(
    id="custom-1",
    points=3,
    title="A logarithm with a rule of its own",
    text="""Write log(1 + eˣ) as `@ak.custom_gradient` wants it: its value, and a function `pull(g)` that gives x the gradient for a g that comes in. With NumPy, for an array
`x` of float64 or float32, which may hold anything from −1000 to 1000; the answers have the dtype of `x`. A floating-point warning counts as a failure, and at −40 the value is 4.2·10⁻¹⁸, not 0.""",
    writes=("log1pexp",),
    starter='''def log1pexp(x):
    """log(1 + exp(x)): give back (value, pull), where pull(g) is the gradient for x."""
    ...
''',
    check=check,
    messages={
        "overflows": "exp(1000) is more than a float can hold: take out what is large before.",
        "loses-the-tail": "1 + e⁻⁴⁰ is 1, and its log is 0; log1p does not add the 1 first.",
        "stable-value-unstable-slope": "The value is safe; the slope is inf/inf.",
        "ignores-the-cotangent": "You gave back the slope. Multiply it by the g that comes in.",
        "slope-of-the-wrong-side": "That is σ(−x). For large x the function is nearly x itself: its slope is 1 there.",
    },
    hints=(
        "max(x, 0) plus something that is never large.",
        "log1p of exp(−|x|) is that something.",
        "The slope is σ(x): with `e = np.exp(-np.abs(x))` it is `np.where(x > 0, 1, e) / (1 + e)`.",
    ),
    example=lambda rng: {"x": np.r_[rng.normal(size=2).round(2), 0.0, 1000.0, -40.0], "g": rng.normal(size=5).round(2)},
)
