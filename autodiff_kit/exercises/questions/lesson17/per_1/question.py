"""per-1: One gradient for each example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

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
        }
        if a.case(reply.value, want, mistaken, tol=1e-10, facts={"B": count}):
            calls = einsum.calls
            name = "loops" if calls == count else "" if calls else "einsum-not-asked"
            words = f"{calls} calls of einsum for {count} examples; one call makes them all."
            a.behave(calls == 1, name, words, B=count)


QUESTION = Question(
    id="per-1",
    points=2,
    title="One gradient for each example",
    text="""A dense layer gives `X @ W`; `X` is (B, in), one row for each example, and row b of `D`, (B, out), is the gradient of example b's loss with respect to
its own outputs. Give the gradients of the B losses with respect to `W`, each times its weight `w[b]`: an array (B, in, out). You are given `einsum`, which does what `np.einsum` does and counts its calls: one call has to do
for all examples, and every product of an `X` with a `D` goes through it.""",
    writes=("per_example",),
    starter='''def per_example(einsum, X, D, w):
    """(B, in, out): the gradient of each example's loss with respect to W, times w[b]; einsum is called once."""
    ...
''',
    check=check,
    messages={
        "sums-over-the-batch": "The examples were added up, as a batch's gradient has them: {B} gradients, each of W's shape, are wanted.",
        "loops": "Right, with {B} calls. Keep the letter of the examples in the answer, and one call makes them all.",
        "outer-the-wrong-way": "Each of them is (out, in); W is (in, out).",
        "forgets-the-weights": "The gradients are right for weights of 1; `w[b]` belongs to example b.",
        "einsum-not-asked": "The numbers are right, but einsum was not called, so that nobody can tell whether a loop made them.",
    },
    hints=(
        "The gradient of one example is an outer product: of its x and its d.",
        "In einsum's letters the batch gradient is `bi,bo->io`. The b that is summed away there is to stay.",
        '`einsum("bi,bo->bio", X, w[:, None] * D)`.',
    ),
    example=lambda rng: {
        "einsum": misconceptions.limited_einsum,
        "X": rng.integers(-3, 4, (3, 2)).astype(float),
        "D": rng.integers(-3, 4, (3, 2)).astype(float),
        "w": np.array([1.0, 2.0, 0.5]),
    },
)
