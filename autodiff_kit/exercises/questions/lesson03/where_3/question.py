"""where-3: x log y with a finite gradient at (0, 0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(2):
        edge = float(rng.uniform(1.5, 3))
        x, y = np.r_[0.0, 0.0, rng.uniform(0.1, 3, 5)], np.r_[0.0, edge, rng.uniform(0.1, 3, 5)]
        reply = yield Call("xlogy", (x, y))
        if a.warned(reply, "zero-times-infinity"):
            continue
        value, pull = unpack_tuple(reply, "xlogy", ("value", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                translate(
                    "xlogy must return (value, pull), where pull is a function of g that returns (dx, dy).", "lesson03"
                )
            )
        if value_3(a, value, x, y):
            yield from gradients_3(a, pull, x, y, rng.normal(size=7))


def value_3(a: AttemptEvaluation, value: object, x: Array, y: Array) -> bool:
    """Judge the values; what was added to y is worked out from the last entry."""
    what = translate("The value of xlogy", "lesson03")
    got = require_real_array(value, what)
    e = float(np.exp(got[-1] / x[-1]) - y[-1]) if got.shape == x.shape else 0.0
    added = x * np.log(y + e) if e > 1e-12 else None  # less is rounding
    mistaken = {"adds-eps": added, "zero-times-infinity": x * np.log(y)}
    want = solution.xlogy(x, y)[0]
    return a.case(value, want, mistaken, tol=1e-10, of=what, facts={"e": f"{e * x[-1] / y[-1]:.2g}"})


def elsewhere(got: Array, model: Array) -> Array | None:
    """The learner's gradients if they are the model's everywhere but at (0, 0), where a guard may stand."""
    return got if values_close(got[:, 1:], model[:, 1:], 1e-10) else None


def gradients_3(a: AttemptEvaluation, pull: ReturnedFunction, x: Array, y: Array, g: Array) -> CheckScript:
    """Judge the two gradients for one cotangent."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply, "slope-not-guarded"):
        return
    parts = [require_real_array(part, "pull") for part in unpack_tuple(reply, "pull", ("dx", "dy"))]
    if any(part.shape != x.shape for part in parts):
        text = translate("pull must return dx and dy as arrays of the shape of x, {shape}.", "lesson03")
        raise LearnerCodeError(text.format(shape=x.shape))
    right = solution.xlogy(x, y)[1]
    mistaken: dict[str, Array | None] = {
        "slope-not-guarded": np.stack([g * np.log(y), g * x / y]),
        "ignores-the-cotangent": np.stack(right(np.ones(7))),
        "swaps-dx-and-dy": np.stack(right(g)[::-1]),
        "guards-too-much": np.stack([np.where(x == 0, 0, part) for part in right(g)]),
    }
    got = np.stack(parts)
    with np.errstate(all="ignore"):
        e = float(np.exp(got[0, 0] / g[0]))  # what log got at (0, 0), if dx is not 0 there
        mistaken |= {
            "eps-in-the-slope": elsewhere(got, np.stack([g * np.log(y + e), g * x / (y + e)]))
            if 0 < e < 0.01
            else None,
            "infinity-replaced": elsewhere(got, np.stack(right(g))) if 1e300 < abs(got[0, 0]) < np.inf else None,
            "differentiates-x-log-x": elsewhere(got, np.stack([g * (np.log(y) + 1), g * x / y])),
            "y-for-log-y": elsewhere(got, np.stack([g * y, g * x / y])),
            "dy-without-x": elsewhere(got, np.stack([g * np.log(y), g / y])),
        }
    facts = {"y": float(y[1]), "d": float(np.log(y[1])), "e": e, "dx": float(got[0, 0])}
    a.case(
        got, np.stack(right(g)), mistaken, tol=1e-10, of=translate("What pull gives (dx, dy)", "lesson03"), facts=facts
    )


QUESTION = Question(
    id="where-3",
    points=2,
    title="x log y with a finite gradient at (0, 0)",
    text="""The entropy of a distribution is made of terms x log y, which are set to 0 where x is 0. Write `xlogy(x, y)` with NumPy for two arrays of one shape.
It returns the value, 0 at (0, 0) and x log y elsewhere, and a function `pull`: for a cotangent g of that shape, `pull(g)` returns `(dx, dy)`. At (0, 0) both are 0, by
convention; elsewhere they are g times the partial derivatives of x log y. In the check, y is 0 only where x is 0 too. A floating-point warning fails the case.""",
    writes=("xlogy",),
    without=("ak.xlogy",),
    starter='''def xlogy(x, y):
    """x log y, and 0 at (0, 0): return (value, pull); pull(g) returns (dx, dy)."""
    ...
''',
    check=check,
    messages={
        "zero-times-infinity": "The value at (0, 0) is 0 · log 0, which is nan. np.log gets the 0 before a where around the product can remove the result.",
        "slope-not-guarded": "The values are right, but pull divides by 0 or takes log 0 at (0, 0). Both gradients are 0 there.",
        "adds-eps": "The value of the last entry is off by {e}. A constant added to y changes every entry.",
        "eps-in-the-slope": "At (0, 0) dx is g · log({e}), and 0 is expected. A constant was added to y, or y was kept above a limit. Choose the input of log where y is 0.",
        "infinity-replaced": "At (0, 0) dx is {dx}. log 0 is −inf there, and np.nan_to_num turns −inf into the smallest float, not into 0. Choose the input of log where y is 0.",
        "differentiates-x-log-x": "dx is g · (log y + 1), the slope of x log x. Here x and y are two variables: if only x moves, is log y constant?",
        "y-for-log-y": "dx is g · y. The partial derivative of x log y with respect to x is what x is multiplied by.",
        "dy-without-x": "dy is g / y. If only y moves, which factor stands before log y?",
        "ignores-the-cotangent": "Your pull returns the same for every g. Each gradient is g times a partial derivative.",
        "guards-too-much": "At x = 0 and y = {y}, dx is g · log y, and log y is {d}; you gave 0. Only (0, 0) is an exception.",
        "swaps-dx-and-dy": "Your pull returns (dy, dx); expected (dx, dy).",
    },
    hints=(
        "Which of the two functions, log and the quotient in the slope, cannot take y = 0?",
        "Change the input of log where y is 0. The value needs this, and the gradients need it too.",
        "`s = np.where(y == 0, 1, y)`, and the same s in pull: `(g * np.log(s), g * x / s)`.",
    ),
    example=lambda rng: {
        "x": np.r_[0.0, rng.uniform(0.1, 3, 2).round(2)],
        "y": np.r_[0.0, rng.uniform(0.1, 3, 2).round(2)],
    },
)
