"""hess-3: A Hessian-vector product from two gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
        of = translate("H v by moving {h:g} along v", "lesson20").format(h=h)
        if not values_close(got, want, TOLERANCE) and all(np.array_equal(z, x) for z in places.asked):
            words = translate("{of}: grad was asked at x {k} times, and nowhere else.", "lesson20").format(
                of=of, k=len(places.asked)
            )
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
    unit = v / np.linalg.norm(v)
    mistaken |= {"points-exchanged": -both, "normalises-v": (g(x + h * unit) - g(x - h * unit)) / (2 * h)}
    gradients = (ahead, here, behind)
    nearest = min(gradients, key=lambda one: float(np.abs(got - one).max())) if got.shape == want.shape else here
    mistaken |= {"does-not-divide": ahead - behind, "gradient-itself": nearest}
    return mistaken, {"e": float(np.abs(one - want).max()), "e2": float(np.abs(both - want).max())}


QUESTION = Question(
    id="hess-3",
    points=2,
    title="A Hessian-vector product from two gradients",
    text="""Now `grad` takes an array and returns an array, and nothing can be pushed or pulled through it. Compute H v from the gradients at two points, one a step `h` ahead of `x` along `v` and one a step
behind it. f is not quadratic, and the result must be right to a relative error of 10⁻⁶.""",
    writes=("hv_by_moving",),
    starter='''def hv_by_moving(grad, x, v, h):
    """H v from the gradients at two points."""
    ...
''',
    check=check,
    messages={
        "never-moves": "Both gradients were computed at x, so their difference is 0. At which two points are they needed?",
        "one-sided": "The result is a one-sided difference, with an error of {e}. A difference of points on both sides of x has an error of {e2} here.",
        "divides-by-h": "The result is twice what is expected. How far apart are the two points?",
        "points-exchanged": "The result has the opposite sign. Subtract the gradient behind x from the gradient ahead of it.",
        "normalises-v": "The result is Hv divided by |v|: v was divided by its length first. Move by h·v, with v as it is.",
        "does-not-divide": "The result is the difference of the two gradients. Divide it by the distance of the points.",
        "gradient-itself": "The result is a gradient, not a difference of two gradients.",
        "shifts-by-a-constant": "h was added to every entry of x, which moves x along (1, …, 1). Move it along v.",
    },
    hints=(
        "A derivative of the gradient along v: where would you ask for the gradient?",
        "Use points on both sides of x, so that the terms with h² in the two gradients cancel.",
        "The difference of the two, divided by `2 * h`.",
    ),
    example=lambda rng: _example(shared.QuarticGradient.draw(rng, 3), rng),
)


def _example(bowl: shared.QuarticGradient, rng: np.random.Generator) -> dict[str, object]:
    x, v = rng.normal(size=3).round(2), rng.normal(size=3).round(2)
    return {"grad": misconceptions.RecordedGradient(bowl).at, "x": x, "v": v, "h": 1e-4, "H": bowl.hessian(x)}
