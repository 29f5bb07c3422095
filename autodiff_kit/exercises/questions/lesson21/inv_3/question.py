"""inv-3: A gradient from values alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
SIGMA = 0.1


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, count in ((4, 4), (8, 8), (4, 3)):
        hill, x = misconceptions.OffsetQuadratic.draw(rng, n), rng.normal(size=n)
        E = misconceptions.orthogonal_sign_probes(rng, n)[:count]
        F = Callback(hill, "F")
        reply = yield Call("es_gradient", (F, x, SIGMA, E))
        asked = F.calls
        if a.warned(reply):
            continue
        words = f"es_gradient with {count} probes in {n} numbers"
        if a.case(reply.value, right(hill, x, E), mistaken(hill, x, E), tol=1e-8, of=words):
            words = f"F was called {asked} times; two calls a probe are {2 * count}."
            a.behave(asked <= 2 * count, "", words)


def right(hill: misconceptions.OffsetQuadratic, x: Array, E: Array) -> Array:
    """The mean over the mirrored pairs; of a quadratic each difference is exact."""
    return misconceptions.mean_over_probes(lambda e: float(hill.gradient(x) @ e), E)


def mistaken(hill: misconceptions.OffsetQuadratic, x: Array, E: Array) -> dict[str, object]:
    """What other estimates give."""
    want, middle = right(hill, x, E), hill(x)
    return {
        "no-partner": misconceptions.mean_over_probes(lambda e: hill(x + SIGMA * e) / SIGMA, E),
        "one-sided": misconceptions.mean_over_probes(lambda e: (hill(x + SIGMA * e) - middle) / SIGMA, E),
        "forgets-the-two": 2 * want,
        "sum-not-mean": len(E) * want,
    }


QUESTION = Question(
    id="inv-3",
    points=3,
    title="A gradient from values alone",
    text="""`F` takes an array and gives one number; it has no gradient. Each row e of `E` is a probe, an array of +1 and −1. Estimate the gradient of F at `x` from values alone: look at both points of
a mirrored pair, σ to either side of x along e; the difference, per unit of length along e, times e, is one probe's estimate. Give the mean over the probes, with two calls of F for each.""",
    writes=("es_gradient",),
    starter='''def es_gradient(F, x, sigma, E):
    """The mean of the estimates of all probes, the rows of E."""
    ...
''',
    check=check,
    messages={
        "no-partner": "The constant 50 came in.",
        "one-sided": "Curvature came in.",
        "forgets-the-two": "The two points are 2σ apart.",
        "sum-not-mean": "Mean over the probes, not sum.",
    },
    hints=(
        "Two values for each probe: F at x + σe, and F at x − σe.",
        "Their difference over the distance 2σ is a number: how F climbs along e. Times e it is an array.",
        "`np.mean([(F(x + sigma * e) - F(x - sigma * e)) / (2 * sigma) * e for e in E], axis=0)`",
    ),
    praise="Every case is right. With as many orthogonal probes as numbers, the estimate of a quadratic is exact.",
    example=lambda rng: _example_3(rng.integers(-3, 4, 2).astype(float)),
)


def _example_3(x: Array) -> dict[str, object]:
    hill = misconceptions.OffsetQuadratic(np.array([[2.0, 1.0], [1.0, 4.0]]), np.array([1.0, -1.0]))
    return {"F": lambda z: hill(np.asarray(z)), "x": x, "sigma": SIGMA, "E": np.array([[1.0, 1.0], [1.0, -1.0]])}
