"""hess-3: The same from two gradients, at points that have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
TOLERANCE = 1e-6


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for h in (1e-4, 3e-5):
        places = misconceptions.RecordedGradient(shared.QuarticGradient.draw(rng, 5))
        x, v = rng.normal(size=5), rng.normal(size=5)
        reply = yield Call("hv_by_moving", (places.callback, x, v, h))
        if a.warned(reply):
            continue
        want, got = places.bowl.hessian(x) @ v, require_real_array(reply.value, "hv_by_moving")
        of = f"H v by moving {h:g} along v"
        if not values_close(got, want, TOLERANCE) and all(np.array_equal(z, x) for z in places.asked):
            words = f"{of}: grad was asked at x {len(places.asked)} times, and nowhere else."
            a.fail({"never-moves"} if places.asked else set(), words)
            continue
        mistaken, facts = wrong_3(places, x, v, h, got)
        a.case(reply.value, want, mistaken, tol=TOLERANCE, of=of, facts=facts)


def wrong_3(
    places: misconceptions.RecordedGradient, x: Array, v: Array, h: float, got: Array
) -> tuple[dict[str, Array], dict[str, Any]]:
    """What each misconception gives; from one side it may be either."""
    g, want = places.at, places.bowl.hessian(x) @ v
    ahead, here, behind = g(x + h * v), g(x), g(x - h * v)
    sides = ((ahead - here) / h, (here - behind) / h)
    one = min(sides, key=lambda side: float(np.abs(got - side).max())) if got.shape == want.shape else sides[0]
    both = (ahead - behind) / (2 * h)
    mistaken = {"one-sided": one, "divides-by-h": 2 * both, "shifts-by-a-constant": (g(x + h) - g(x - h)) / (2 * h)}
    return mistaken, {"e": float(np.abs(one - want).max()), "e2": float(np.abs(both - want).max())}


QUESTION = Question(
    id="hess-3",
    points=2,
    title="The same from two gradients, at points that have moved",
    text="""Now `grad` is a black box that takes an array: no push, no pull. Give H v from two of its answers at points that lie `h` ahead of `x` and behind
it, along `v`. f has third derivatives, and the result is to be right to 10⁻⁶.""",
    writes=("hv_by_moving",),
    starter='''def hv_by_moving(grad, x, v, h):
    """H v from gradients at two moved points."""
    ...
''',
    check=check,
    messages={
        "never-moves": "Both gradients were taken at x: their difference is 0.",
        "one-sided": "Error {e}; two-sided it is {e2}.",
        "divides-by-h": "The points are 2h apart.",
        "shifts-by-a-constant": "Every entry was moved by h: that is the direction (1, …, 1). Move along v.",
    },
    hints=(
        "A derivative of the gradient along v: where would you ask for the gradient?",
        "At `x + h * v` and at `x - h * v`, so that what bends cancels.",
        "The difference of the two, divided by `2 * h`.",
    ),
    example=lambda rng: _example(shared.QuarticGradient.draw(rng, 3), rng),
)


def _example(bowl: shared.QuarticGradient, rng: np.random.Generator) -> dict[str, object]:
    x, v = rng.normal(size=3).round(2), rng.normal(size=3).round(2)
    return {"grad": misconceptions.RecordedGradient(bowl).at, "x": x, "v": v, "h": 1e-4, "H": bowl.hessian(x)}
