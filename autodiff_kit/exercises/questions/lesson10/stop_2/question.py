"""stop-2: One stop that changes no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


class Counted:
    """``stop_gradient``, noting what it is given: a number that comes back has no path behind it."""

    def __init__(self) -> None:
        self.given: list[Array] = []

    def __call__(self, value: Any) -> Any:
        from autodiff_kit.core.constant import constant

        self.given.append(np.array(value, float))
        return constant(self.given[-1])


def stopped_as_nan(value: Any) -> Any:
    """A stop that returns nan for every number."""
    from autodiff_kit.core.constant import constant

    return constant(np.full(np.shape(value), np.nan))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for shape in ((3, 6), (2, 5)):
        x, c = rng.normal(size=shape) + rng.normal(), rng.normal(size=shape)
        stop = Counted()
        reply = yield Call("instance_norm", (x, Callback(stop, "stop")), wrt=(0,), seed=c)
        if a.warned(reply):
            continue
        words = translate("The value of instance_norm(x, stop)", "lesson10")
        mistaken = misconceptions.other_normalisations(x)
        if a.case(reply.value, misconceptions.normalised(x), mistaken, tol=1e-10, of=words) and gradient_2(
            a, reply.gradients[0], x, c, len(stop.given)
        ):
            place_2(a, stop.given, x)
            # A result of stop that is nan must be seen in the value, if it is used.
            probe = yield Call("instance_norm", (x, Callback(stopped_as_nan, "stop")), wrt=(0,), seed=c, quiet=True)
            used = bool(np.isnan(require_real_array(probe.value, words)).any())
            a.behave(
                used or len(stop.given) != 1, "stop-not-used", translate("The result of stop is not used.", "lesson10")
            )


def gradient_2(a: AttemptEvaluation, gradient: object, x: Array, c: Array, stops: int) -> bool:
    """Judge the gradient; each wrong place of a stop has one of its own."""
    if gradient is None:
        a.fail(
            set(),
            translate(
                "The gradient of x is None: no path from x to the result is left. Use the kit's operations throughout.",
                "lesson10",
            ),
        )
        return False
    mistaken = {
        "stops-the-mean-above-too" if stops < 2 else "stops-every-mean": misconceptions.normalised_vjp(
            x, c, mean=False
        ),
        "stops-the-variance": misconceptions.normalised_vjp(x, c, variance=False),
        "stops-both": misconceptions.normalised_vjp(x, c, mean=False, variance=False),
    }
    words = translate(
        "The gradient of x, with one stop" if stops == 1 else "The gradient of x, with {n} stops", "lesson10"
    ).format(n=stops)
    facts = lambda got: {"s": float(got.sum(-1).reshape(-1)[0])}  # noqa: E731
    return a.case(gradient, misconceptions.normalised_vjp(x, c), mistaken, tol=1e-10, of=words, facts=facts)


def place_2(a: AttemptEvaluation, given: list[Array], x: Array) -> None:
    """With the gradient right: was one mean stopped, and nothing else?"""
    n = len(given)
    text = translate("The gradient is right; stop was called {n} times, and once is asked for.", "lesson10").format(n=n)
    if a.behave(n == 1, "" if n else "no-stop-at-all", text):
        means = x.mean(-1, keepdims=True)
        one = given[0].size in (means.size, x.size) and np.allclose(given[0].reshape(len(x), -1), means)
        a.behave(one, "", translate("The argument of stop is not the mean of each row.", "lesson10"))


QUESTION = Question(
    id="stop-2",
    points=3,
    title="One stop that changes no gradient",
    text="""Normalise each row: return (x − μ)/√(v + 0.00001), where μ is the mean of the row and v = mean((x − μ)²) its variance. Call `stop`
exactly once, on a mean of each row, so that the gradient stays that of the function without any stop. `x` is a tensor of shape (rows,
columns). The argument `stop` does what `ak.stop_gradient` does, and counts its calls. You may compute the mean more than once. (To try your
function, pass `ak.stop_gradient`.)""",
    writes=("instance_norm",),
    without=("ak.nn.instance_norm", "ak.nn.layer_norm"),
    starter='''def instance_norm(x, stop):
    """(x - mean) / sqrt(variance + 0.00001) for each row, with one free stop."""
    ...
''',
    check=check,
    messages={
        "stops-the-mean-above-too": "The first row of your gradient sums to {s} instead of 0: the mean in the numerator is stopped, and its path matters. Use the stopped mean where its path carries 0.",
        "stops-every-mean": "stop was called on both means, and the first row of your gradient sums to {s} instead of 0. The path of one of them carries 0; stop that one alone.",
        "stop-not-used": "stop was called on a mean, but its result is not used. Put the value that it returns into the formula.",
        "forgets-epsilon": "Your values are those of (x − μ)/√v: the 0.00001 in the root is missing.",
        "stops-the-variance": "The variance as a whole is stopped. But it depends on every x, and its path matters.",
        "stops-both": "Both the mean in the numerator and the variance are stopped, so only the direct path is left; the first row of the gradient sums to {s} instead of 0.",
        "no-stop-at-all": "The gradient is right, but `stop` was not called. Put it around one mean.",
        "normalises-over-all-rows": "Your mean and variance are those of the whole array. Each row has its own: which axis?",
        "divides-by-n-minus-1": "Your variance divides by n − 1. Here it is the mean of the squared deviations, over n.",
        "epsilon-outside-the-root": "The 0.00001 belongs to the variance, inside the root.",
        "divides-by-the-variance": "You divided by the variance. The root is missing.",
    },
    hints=(
        "μ is used in two places. For which of them is the gradient through μ always 0?",
        "What do the deviations x − μ sum to? In which place does their sum appear?",
        "The μ inside the variance: `((x - stop(mu))**2)`, and the other one as it is.",
    ),
    example=lambda rng: {"x": rng.normal(size=(2, 4)).round(2)},
)
