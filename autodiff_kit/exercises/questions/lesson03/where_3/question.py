"""where-3: x log y, right at the corner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

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
                "xlogy is to give back (value, pull), where pull is a function: pull(g) gives (dx, dy)."
            )
        if value_3(a, value, x, y):
            yield from way_back_3(a, pull, x, y, rng.normal(size=7))


def value_3(a: AttemptEvaluation, value: object, x: Array, y: Array) -> bool:
    """Judge the values; what was added to y is worked out from the last entry."""
    got = require_real_array(value, "The value of xlogy")
    e = float(np.exp(got[-1] / x[-1]) - y[-1]) if got.shape == x.shape else 0.0
    added = x * np.log(y + e) if e > 1e-12 else None  # less is rounding
    mistaken = {"adds-eps": added, "zero-times-infinity": x * np.log(y)}
    want = solution.xlogy(x, y)[0]
    return a.case(value, want, mistaken, tol=1e-10, of="The value of xlogy", facts={"e": f"{e * x[-1] / y[-1]:.2g}"})


def way_back_3(a: AttemptEvaluation, pull: ReturnedFunction, x: Array, y: Array, g: Array) -> CheckScript:
    """Judge what the pull gives for one cotangent."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply, "slope-not-guarded"):
        return
    parts = [require_real_array(part, "pull") for part in unpack_tuple(reply, "pull", ("dx", "dy"))]
    if any(part.shape != x.shape for part in parts):
        raise LearnerCodeError(f"pull is to give back dx and dy as arrays of the shape of x, {x.shape}.")
    right = solution.xlogy(x, y)[1]
    mistaken = {
        "slope-not-guarded": np.stack([g * np.log(y), g * x / y]),
        "ignores-the-cotangent": np.stack(right(np.ones(7))),
        "guards-too-much": np.stack([np.where(x == 0, 0, part) for part in right(g)]),
    }
    facts = {"y": float(y[1]), "d": float(np.log(y[1]))}
    a.case(np.stack(parts), np.stack(right(g)), mistaken, tol=1e-10, of="What pull gives (dx, dy)", facts=facts)


QUESTION = Question(
    id="where-3",
    points=2,
    title="x log y, right at the corner",
    text="""Entropies need x log y with the value 0 at x = 0, also where y is 0. Give the value and its pull: `pull(g)` gives `(dx, dy)` for a
cotangent g, one entry for each entry of `x` and `y`. With NumPy; a floating-point warning counts as a failure. The slopes are those of
x log y wherever it has them; at (0, 0), where log y is −inf and x/y is 0/0, both are 0, which is the kit's rule.""",
    writes=("xlogy",),
    starter='''def xlogy(x, y):
    """x log y with 0 at (0, 0): give back (value, pull), where pull(g) gives (dx, dy)."""
    ...
''',
    check=check,
    messages={
        "zero-times-infinity": "0·log 0 is nan: log was asked for 0. A where around the product comes too late.",
        "slope-not-guarded": "dx = log y is −inf at (0, 0), and dy = x/y is 0/0; by the kit's rule both are 0.",
        "adds-eps": "Changes every value, by {e} in the last entry.",
        "ignores-the-cotangent": "Your pull answers the same for every g.",
        "guards-too-much": "At x = 0 and y = {y} the slope dx is log y = {d}: only (0, 0) has none.",
    },
    hints=(
        "A where on an input: which of the two does log not bear?",
        "Twice: the value needs it, and so does the pull.",
        "`s = np.where(y == 0, 1, y)`, and the same guard in the pull: `(g * np.log(s), g * x / s)`.",
    ),
    example=lambda rng: {
        "x": np.r_[0.0, rng.uniform(0.1, 3, 2).round(2)],
        "y": np.r_[0.0, rng.uniform(0.1, 3, 2).round(2)],
    },
)
