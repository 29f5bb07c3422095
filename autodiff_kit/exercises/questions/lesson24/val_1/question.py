"""val-1: A gradient from values alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
        facts = {"n": n, "count": count}
        words = translate("es_gradient with {count} probes in {n} numbers", "lesson24").format(**facts)
        if a.case(reply.value, right(hill, x, E), mistaken(hill, x, E), tol=1e-8, of=words, facts=facts):
            words = translate("F was called {asked} times; two calls a probe are {allowed}.", "lesson24").format(
                asked=asked, allowed=2 * count
            )
            a.behave(asked <= 2 * count, "", words)


def right(hill: misconceptions.OffsetQuadratic, x: Array, E: Array) -> Array:
    """The mean over the mirrored pairs; of a quadratic each difference is exact."""
    return misconceptions.mean_over_probes(lambda e: float(hill.gradient(x) @ e), E)


def mistaken(hill: misconceptions.OffsetQuadratic, x: Array, E: Array) -> dict[str, object]:
    """What other estimates give."""
    want, middle, n = right(hill, x, E), hill(x), len(x)
    average = E.mean(axis=0)
    return {
        "no-partner": misconceptions.mean_over_probes(lambda e: hill(x + SIGMA * e) / SIGMA, E),
        "one-sided": misconceptions.mean_over_probes(lambda e: (hill(x + SIGMA * e) - middle) / SIGMA, E),
        "forgets-the-two": 2 * want,
        "sum-not-mean": len(E) * want,
        "unit-vectors": hill.gradient(x),
        "mean-over-unit-vectors": hill.gradient(x) / n,
        "probes-averaged-first": float(hill.gradient(x) @ average) * average,
        "not-multiplied-by-e": np.full(n, np.mean([float(hill.gradient(x) @ e) for e in E])),
        "divided-by-n": want / n,
        "divided-by-root-n": want / np.sqrt(n),
        "divided-twice": want / len(E),
    }


QUESTION = Question(
    id="val-1",
    points=3,
    title="A gradient from values alone",
    text="""`F` takes an array and gives one number, but no gradient. Each row e of `E` is a probe, an array of +1 and −1. Estimate the gradient of F at `x` from values alone. A mirrored pair consists of the
points x + σe and x − σe. The difference of their values, divided by 2σ and multiplied by e, is the estimate of one probe. Return the mean over the probes, with two calls of F for each.""",
    writes=("es_gradient",),
    starter='''def es_gradient(F, x, sigma, E):
    """The mean of the estimates of all probes, the rows of E."""
    ...
''',
    check=check,
    messages={
        "no-partner": "One value per probe was used, so the constant 50 of F came into the estimate. The other point of the pair cancels it.",
        "one-sided": "The second value was taken at x itself, so the curvature of F came into the estimate. Take it at the mirrored point.",
        "forgets-the-two": "The estimate is twice as large as expected. The points of a pair are 2σ apart along e.",
        "sum-not-mean": "These are sums over the probes. The mean is expected.",
        "unit-vectors": "This is a pair for each of the {n} numbers, along unit vectors. Move along the {count} probes, the rows of E.",
        "mean-over-unit-vectors": "This is the mean over {n} unit vectors. Move along the {count} probes, the rows of E, and take the mean over them.",
        "probes-averaged-first": "The rows of E, or their differences, were averaged before the product. Multiply each difference by its own probe, then average.",
        "not-multiplied-by-e": "All entries are the same number: the mean slope along the probes. Multiply the slope along each probe by the probe itself, e, before the mean.",
        "divided-by-n": "The estimate is n = {n} times too small. Use each probe as it is, not as a unit vector, and divide by the number of probes only.",
        "divided-by-root-n": "The estimate is √{n} times too small, as if a probe had been divided by its length. Use each probe as it is.",
        "divided-twice": "The estimate is {count} times too small: it was divided twice by the number of probes.",
    },
    hints=(
        "Which two values does one probe take?",
        "The difference gives one number for a probe. How does it become an array like x?",
        "`np.mean([(F(x + sigma * e) - F(x - sigma * e)) / (2 * sigma) * e for e in E], axis=0)`",
    ),
    praise="Every case is right. With as many orthogonal probes as numbers, the estimate of a quadratic is exact.",
    example=lambda rng: _example_3(rng.integers(-3, 4, 2).astype(float)),
)


def _example_3(x: Array) -> dict[str, object]:
    hill = misconceptions.OffsetQuadratic(np.array([[2.0, 1.0], [1.0, 4.0]]), np.array([1.0, -1.0]))
    return {"F": lambda z: hill(np.asarray(z)), "x": x, "sigma": SIGMA, "E": np.array([[1.0, 1.0], [1.0, -1.0]])}
