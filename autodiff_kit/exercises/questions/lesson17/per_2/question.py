"""per-2: Clip each, then average."""

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


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Inputs, residuals and a bound: the first gradient is 0, the second is shorter than C, others and the mean longer."""
    count, wide = int(rng.integers(4, 9)), int(rng.integers(2, 5))
    X, r, C = rng.normal(size=(count, wide)), rng.normal(size=count), float(rng.uniform(0.5, 2.0))
    length = np.linalg.norm(X, axis=1)
    r = np.sign(r) * rng.uniform(1.5, 6.0, size=count) * C / (2 * length)
    r[0], r[1] = 0.0, 0.2 * C / length[1]
    mean = np.mean(2 * r[:, None] * X, axis=0)
    return (X, r, C) if np.linalg.norm(mean) > 1.05 * C else drawn(rng)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        X, r, C = drawn(rng)
        reply = yield Call("clip_mean", (X, r, C))
        if a.warned(reply, "zero-gradient-divides", i=0):
            continue
        G = 2 * r[:, None] * X
        want = misconceptions.clipped_mean(G, C)
        mistaken = {
            "clips-the-mean": misconceptions.mean_then_clipped(G, C),
            "clips-each-element": np.clip(G, -C, C).mean(axis=0),
            "stretches-the-short-ones": misconceptions.mean_of_rescaled(G, C),
            "sum-not-mean": want * len(G),
            "half-the-slope": misconceptions.clipped_mean(G / 2, C),
            "zero-gradient-divides": np.full(want.shape, np.nan),
        }
        a.case(reply.value, want, mistaken, tol=1e-10, facts={"n": len(G), "i": 0})


def example_2(rng: np.random.Generator) -> dict[str, object]:
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
    return {"X": X, "r": rng.permutation([-1.0, 2.0, 0.0]), "C": 1.0}


QUESTION = Question(
    id="per-2",
    points=2,
    title="Clip each, then average",
    text="""Example b has the input `X[b]` and the residual `r[b]` = X[b]·w − y[b]; its loss is `r[b]**2`. Give the mean over the examples of their gradients with respect to w, each
clipped to length `C`: what is longer than `C` is shortened to it, and keeps its direction. A gradient may be 0.""",
    writes=("clip_mean",),
    starter='''def clip_mean(X, r, C):
    """The mean of the gradients of r[b]**2 with respect to w, each at most C long."""
    ...
''',
    check=check,
    messages={
        "clips-the-mean": "You clipped the mean: one long example still steers all of it. Clip each, then average.",
        "clips-each-element": "C bounds the length of the vector, not each entry.",
        "stretches-the-short-ones": "What is shorter than C stays as it is; yours has the length C now.",
        "zero-gradient-divides": "Example {i} has the gradient 0, and C is divided by its length: 0/0 or C/0.",
        "sum-not-mean": "{n} times too large: a mean is asked for, not a sum.",
        "half-the-slope": "The loss is r², and its slope 2r; yours is that of r²/2, and lengths count now.",
    },
    hints=(
        "You need the length of each example's gradient.",
        "Each gradient times `min(1, C/n)`, with n its length; then the mean over the examples.",
        "`G = 2 * r[:, None] * X`, `n = norm(G, axis=1)`, and `C / np.maximum(n, C)` is never a division by 0.",
    ),
    example=example_2,
)
