"""per-1: One gradient for each example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for count, wide, out in ((5, 3, 4), (4, 3, 3), (2, 1, 5), (6, 4, 2)):
        X, D, w = rng.normal(size=(count, wide)), rng.normal(size=(count, out)), rng.uniform(0.2, 3.0, size=count)
        einsum = misconceptions.counted_einsum()
        reply = yield Call("per_example", (einsum, X, D, w))
        if a.warned(reply):
            continue
        plain = X[:, :, None] * D[:, None, :]
        want = plain * w[:, None, None]
        mistaken = {
            "sums-over-the-batch": want.sum(axis=0),
            "outer-the-wrong-way": want.swapaxes(1, 2),
            "forgets-the-weights": plain,
            "divides-by-the-count": want / count,
        }
        if a.case(reply.value, want, mistaken, tol=1e-10, facts={"B": count}):
            calls = einsum.calls
            name = "loops" if calls == count else "" if calls else "einsum-not-asked"
            words = translate(
                "The gradients are right, but einsum was called {calls} times for {count} examples; one call is enough.",
                "lesson17",
            ).format(calls=calls, count=count)
            a.behave(calls == 1, name, words, B=count)


QUESTION = Question(
    id="per-1",
    points=2,
    title="One gradient for each example",
    text="""A dense layer computes `X @ W`. `X` has the shape (B, in), one row for each example. Row b of `D`, of shape (B, out), is the gradient of example b's loss
with respect to its own outputs. Write `per_example`: the gradients of the B losses with respect to `W`, each multiplied by its weight `w[b]`, as an array of
shape (B, in, out).

Use the `einsum` that you are given. It works like `np.einsum` and counts its calls: one call must be enough for all examples, and all products of `X` with `D` must be made in it.""",
    writes=("per_example",),
    starter='''def per_example(einsum, X, D, w):
    """(B, in, out): the gradient of each example's loss with respect to W, times w[b]; einsum is called once."""
    ...
''',
    check=check,
    messages={
        "sums-over-the-batch": "The examples were summed: that is the batch gradient. Expected are {B} gradients, each with the shape of W.",
        "loops": "The gradients are right, but einsum was called {B} times. Which index must stay in the result, so that one call computes them all?",
        "outer-the-wrong-way": "Each gradient has the shape (out, in); W has the shape (in, out).",
        "forgets-the-weights": "The gradients are right for weights of 1. Multiply the gradient of example b by `w[b]`.",
        "divides-by-the-count": "The gradients were divided by {B}, the number of examples. Each is the gradient of its own loss, and no mean is taken.",
        "einsum-not-asked": "The gradients are right, but `einsum` was not called. Compute them with one call of it.",
    },
    hints=(
        "The gradient of one example is an outer product. Of which two vectors?",
        "In einsum's notation the batch gradient is `bi,bo->io`, which sums over b. Here b must stay.",
        '`einsum("bi,bo->bio", X, w[:, None] * D)`.',
    ),
    example=lambda rng: {
        "einsum": misconceptions.limited_einsum,
        "X": rng.integers(-3, 4, (3, 2)).astype(float),
        "D": rng.integers(-3, 4, (3, 2)).astype(float),
        "w": np.array([1.0, 2.0, 0.5]),
    },
)
