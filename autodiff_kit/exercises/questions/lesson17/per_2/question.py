"""per-2: The mean of clipped gradients."""

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
    """Inputs, residuals and a bound: the first gradient is 0, the second is shorter than C, others and the mean longer.

    The length of the third lies between C and its root, so that its square lies on the other side of C. Some residual
    is larger than C.
    """
    count, wide = int(rng.integers(4, 9)), int(rng.integers(2, 5))
    C = float(rng.uniform(0.3, 0.6) if rng.random() < 0.5 else rng.uniform(1.6, 2.5))
    X, r = rng.normal(size=(count, wide)), rng.normal(size=count)
    length = np.linalg.norm(X, axis=1)
    r = np.sign(r) * rng.uniform(1.5, 6.0, size=count) * C / (2 * length)
    r[:3] = 0.0, 0.2 * C / length[1], C**0.75 / (2 * length[2])
    mean = np.mean(2 * r[:, None] * X, axis=0)
    return (X, r, C) if np.linalg.norm(mean) > 1.05 * C and np.abs(r).max() > 1.05 * C else drawn(rng)


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
            "not-clipped": G.mean(axis=0),
            "clips-each-element": np.clip(G, -C, C).mean(axis=0),
            "stretches-the-short-ones": misconceptions.mean_of_rescaled(G, C),
            "sum-not-mean": want * len(G),
            "half-the-slope": misconceptions.clipped_mean(G / 2, C),
            "forgets-the-root": misconceptions.shortened(G, C, misconceptions.row_norms(G) ** 2),
            "compares-the-square": misconceptions.shortened_by_squares(G, C),
            "drops-the-long-ones": (G * (misconceptions.row_norms(G) <= C)).mean(axis=0),
            "averages-the-short-ones": G[misconceptions.row_norms(G)[:, 0] <= C].mean(axis=0),
            "clips-the-residual": 2 * (np.clip(r, -C, C)[:, None] * X).mean(axis=0),
            "zero-gradient-divides": np.full(want.shape, np.nan),
        }
        a.case(reply.value, want, mistaken, tol=1e-10, facts={"n": len(G), "i": 0})


def example_2(rng: np.random.Generator) -> dict[str, object]:
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
    return {"X": X, "r": rng.permutation([-1.0, 2.0, 0.0]), "C": 1.0}


QUESTION = Question(
    id="per-2",
    points=2,
    title="The mean of clipped gradients",
    text="""Example b has the input `X[b]` and the residual `r[b]` = X[b]·w − y[b]; its loss is `r[b]**2`. Write `clip_mean`: the mean over the examples of the
*clipped* gradients with respect to w. Clipping shortens a gradient that is longer than `C` to the length `C` and keeps its direction; a shorter one stays as
it is. A gradient may be 0. There must be no warnings.""",
    writes=("clip_mean",),
    starter='''def clip_mean(X, r, C):
    """The mean of the gradients of r[b]**2 with respect to w, each at most C long."""
    ...
''',
    check=check,
    messages={
        "clips-the-mean": "The mean was clipped, so one long gradient still decides its direction. Clip each gradient before the mean.",
        "clips-each-element": "Each entry was limited to C. The bound is for the length of the whole gradient.",
        "stretches-the-short-ones": "Gradients shorter than C were made longer, to the length C. They must stay as they are.",
        "forgets-the-root": "The sum of squares was used as the length. The length of a gradient is its square root.",
        "compares-the-square": "The square of a length was compared with C. Compare the length itself.",
        "drops-the-long-ones": "Gradients longer than C were replaced by 0. They must be shortened to the length C.",
        "averages-the-short-ones": "Only gradients that are not longer than C are in this mean. The others must be shortened to the length C and counted too.",
        "clips-the-residual": "The residuals were limited to C. The bound is for the length of the gradient, which also depends on X[b].",
        "zero-gradient-divides": "Example {i} has the gradient 0, and there was a division by its length, 0.",
        "not-clipped": "That is the mean of the gradients without clipping.",
        "sum-not-mean": "The result is {n} times too large: it is the sum, and the mean is asked for.",
        "half-the-slope": "The gradients are half as long as they should be, before clipping. The derivative of r² with respect to r is 2r.",
    },
    hints=(
        "You need the length of each example's gradient.",
        "Which axis holds the entries of one gradient? Take the lengths along it, and the mean along the other.",
        "`G = 2 * r[:, None] * X`, `n = norm(G, axis=1)`, and `C / np.maximum(n, C)` is never a division by 0.",
    ),
    example=example_2,
)
