"""custom-1: log(1 + eˣ) with its own gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
FAR = (0.0, 1000.0, -1000.0, 90.0, -40.0, -60.0)
TAIL = slice(-2, None)  # where 1 + exp(x) is 1


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    drawn = np.r_[rng.normal(size=6) * 5, rng.uniform(0.1, 0.9, 2) * (1, -1), FAR]  # with numbers near 0 on both sides
    seed = rng.normal(size=len(drawn))
    for dtype, tol in ((np.float64, 1e-12), (np.float32, 1e-6)):
        x, g = drawn.astype(dtype), seed.astype(dtype)
        reply = yield Call("log1pexp", (x,))
        if a.warned(reply, "overflows" if "overflow" in reply.warning else ""):
            continue
        value, pull = unpack_tuple(reply, "log1pexp", ("value", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                translate("log1pexp must return (value, pull), where pull is a function of the gradient g.", "lesson05")
            )
        if value_1(a, value, x, tol):
            yield from gradient_1(a, pull, x, g, tol)


def value_1(a: AttemptEvaluation, value: object, x: Array, tol: float) -> bool:
    """Judge the values; those in the tail are small, and judged by their ratio."""
    want = solution.log1pexp(x)[0]
    mistaken = {"overflows": misconceptions.composed_log1pexp(x)}
    what = translate("The value of log1pexp", "lesson05")
    if not a.case(value, want, mistaken, tol=tol, of=what, dtype=x.dtype.type):
        return False
    off = np.abs(require_real_array(value, what)[TAIL] / want[TAIL] - 1).max()
    words = translate("{what} at −40 is off by {percent} %.", "lesson05").format(what=what, percent=f"{100 * off:.0f}")
    return a.behave(bool(off < 1e-4), "loses-the-tail", words, half=False)


def gradient_1(a: AttemptEvaluation, pull: ReturnedFunction, x: Array, g: Array, tol: float) -> CheckScript:
    """Judge what the pull gives for one cotangent."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply, "stable-value-unstable-slope"):
        return
    slope = misconceptions.sigmoid(x)
    mistaken = {
        "stable-value-unstable-slope": g * misconceptions.composed_derivative(x),
        "ignores-the-cotangent": slope,
        "slope-of-max": g * (x > 0),
        "slope-of-the-wrong-side": g * misconceptions.sigmoid(-x),
    }
    a.case(reply.value, g * slope, mistaken, tol=tol, of=translate("What pull gives", "lesson05"), dtype=x.dtype.type)


QUESTION = Question(
    id="custom-1",
    points=3,
    title="log(1 + eˣ) with its own gradient",
    text="""Write log(1 + eˣ) in the form that `@ak.custom_gradient` asks for, but without the decorator: `log1pexp(x)` returns the value and a function `pull`; `pull(g)` returns the gradient of x. `x` is a
NumPy array of float64 or float32 with entries from −1000 to 1000, and both results have its dtype. At x = −40 the value is 4.2·10⁻¹⁸, not 0. A floating-point warning fails the case.""",
    writes=("log1pexp",),
    without=("ak.softplus", "ak.sigmoid", "ak.log_sigmoid", "ak.logaddexp"),
    starter='''def log1pexp(x):
    """log(1 + exp(x)): return (value, pull); pull(g) returns the gradient of x."""
    ...
''',
    check=check,
    messages={
        "overflows": "exp(x) overflows for large x: exp(1000) is inf. Rewrite the value so that exp gets only numbers up to 0.",
        "loses-the-tail": "Your value at x = −40 is too inexact. In floats 1 + e⁻⁴⁰ is exactly 1, and its log is 0; use np.log1p.",
        "stable-value-unstable-slope": "The value is right, but pull computes exp of a large number, and then inf/inf. Rewrite the slope as well.",
        "ignores-the-cotangent": "Your pull returns the slope. Multiply it by g.",
        "slope-of-the-wrong-side": "Your slope is σ(−x). For large x the function is nearly x, so its slope is near 1 there.",
        "slope-of-max": "Your slope is that of max(x, 0), 0 or 1. The second part of log(1 + eˣ) has a slope too.",
    },
    hints=(
        "Split the function into max(x, 0) and a rest that is never large.",
        "The rest is a logarithm of 1 plus something small. Which NumPy function computes that without adding the 1?",
        "`np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))`; with `e = np.exp(-np.abs(x))` the slope is `np.where(x > 0, 1, e) / (1 + e)`.",
    ),
    example=lambda rng: {"x": np.r_[rng.normal(size=2).round(2), 0.0, 1000.0, -40.0], "g": rng.normal(size=5).round(2)},
)
