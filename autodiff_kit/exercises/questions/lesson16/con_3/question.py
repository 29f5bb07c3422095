"""con-3: The nearest shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import as_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    right = solution.to_simplex
    for n in (20, 5, 2, 1, 0):
        if n == 0:  # already allowed: it must stay
            v = right(rng.normal(size=6))
        else:
            v = np.clip(2 * rng.normal(size=n), -3, 1.5)
            v[:3] = (1.2, -1.5, 0.9)[:n]  # so that more than one stays, and one is clipped
        reply = yield Call("to_simplex", (v,))
        if a.warned(reply):
            continue
        judge_3(a, reply.value, v, right(v))


def judge_3(a: AttemptEvaluation, answer: object, v: Any, want: Any) -> None:
    """Judge one projection, with what its misconceptions would give."""
    spread = misconceptions.shifted_to_sum_one(v)
    mistaken = {
        "clip-and-rescale": misconceptions.clipped_and_rescaled(v),
        "softmax-is-not-a-projection": misconceptions.softmax(v),
        "one-shift-only": spread,
        "shift-then-clip": np.maximum(spread, 0),
        "shift-clip-rescale": misconceptions.clipped_and_rescaled(spread),
        "largest-takes-all": (np.arange(len(v)) == np.argmax(v)).astype(float),
    }
    got = as_real_array(answer)
    fits = got is not None and got.shape == v.shape
    facts = {
        "p": want,
        "i": int(np.argmin(spread)),
        "s": float(np.maximum(spread, 0).sum()),
        "far": misconceptions.distance(v, got) if fits and got is not None else 0.0,
        "near": misconceptions.distance(v, want),
    }
    a.case(answer, want, mistaken, tol=1e-10, of="to_simplex(v)", facts=facts)


QUESTION = Question(
    id="con-3",
    points=3,
    title="The nearest shares",
    text="""Shares are numbers that are not negative and add up to 1. Give the shares w that are *nearest* to a vector v: with w ≥ 0
and Σw = 1, the sum of (w − v)² is least. `v` is an array of one or more entries.""",
    writes=("to_simplex",),
    starter='''def to_simplex(v):
    """The nearest point to v whose entries are not negative and add up to 1."""
    ...
''',
    check=check,
    messages={
        "clip-and-rescale": "These are shares, but not the nearest: their distance from v is {far}, and {p} has the distance {near}.",
        "softmax-is-not-a-projection": "Softmax makes shares of any vector, but it also moves most vectors that are shares already. A projection leaves them.",
        "one-shift-only": "The sum is 1, but entry {i} is negative.",
        "shift-then-clip": "After the negative entries were set to 0, the sum is {s}. The shift must be chosen with that in mind.",
        "shift-clip-rescale": "After the shift and the clip you divided by the sum. These are shares, but their distance from v is {far}, and {p} has the distance {near}. A single other shift before the clip makes the sum 1.",
        "largest-takes-all": "You gave everything to the largest entry. The distance is {far}, and {p} has the distance {near}.",
    },
    hints=(
        "Suppose you knew which entries end above 0. By how much does each of them change?",
        "They all change by the same number, and the others become 0. Which entries can these be? Sorting v helps.",
        "With u sorted from large to small and τ_k = (u_1 + … + u_k − 1)/k, take the largest k with u_k > τ_k; w = max(v − τ_k, 0).",
    ),
    example=lambda rng: {"v": rng.normal(size=4).round(2)},
)
