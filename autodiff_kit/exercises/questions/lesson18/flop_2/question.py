"""flop-2: The cheapest brackets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def chain(rng: np.random.Generator, ahead_wins: bool) -> list[int]:
    """Sizes for which neither sweep is the cheapest order, and greed is not, either."""
    best = solution.cheapest
    while True:
        dims = [int(size) for size in rng.integers(2, 40, size=int(rng.integers(5, 8)))]
        ahead, back, greed = (
            misconceptions.forward_mode_cost(dims),
            misconceptions.reverse_mode_cost(dims),
            misconceptions.greedy_cost(dims),
        )
        if best(dims) < min(ahead, back, greed) and (ahead < back) == ahead_wins and ahead != back:
            return dims


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for k in range(6):
        dims = chain(rng, ahead_wins=k % 2 == 0)
        reply = yield Call("cheapest", (dims,))
        if a.warned(reply):
            continue
        want = solution.cheapest(dims)
        ahead, back, greed = (
            misconceptions.forward_mode_cost(dims),
            misconceptions.reverse_mode_cost(dims),
            misconceptions.greedy_cost(dims),
        )
        mistaken = {
            "always-forward": float(ahead),
            "always-reverse": float(back),
            "better-of-the-two-sweeps": float(min(ahead, back)),
            "greedy": float(greed),
        }
        a.case(reply.value, float(want), mistaken, tol=0.0, facts=partial(_prices, want))


def _prices(best: int, got: np.ndarray) -> dict[str, object]:
    return {"a": int(got), "b": best}


QUESTION = Question(
    id="flop-2",
    points=3,
    title="The cheapest brackets",
    text="""A function is a chain of steps: step i has `dims[i]` inputs and `dims[i + 1]` outputs, and so a Jacobian of shape (dims[i + 1], dims[i]). The Jacobian of the whole is their product,
and the order of the products is free. Forward mode starts at the input, reverse mode at the output; there are more. Give the smallest number of multiplications, as a whole number: a product of (m, k) and (k, n) takes mkn.""",
    writes=("cheapest",),
    starter='''def cheapest(dims):
    """The fewest multiplications that give the Jacobian of the chain."""
    ...
''',
    check=check,
    messages={
        "always-forward": "From the input all the way costs {a}; {b} is possible.",
        "always-reverse": "From the output all the way costs {a}; {b} is possible.",
        "better-of-the-two-sweeps": "The better of the two directions costs {a}; an order that starts in the middle costs {b}.",
        "greedy": "The cheapest first product led to {a} in all; {b} is possible.",
    },
    hints=(
        "Put brackets, not directions. The last product joins two parts: where is the cut?",
        "The best of each part does not depend on the other part: best of the left, best of the right, and the price of joining.",
        "A table over (i, j), short parts first: `min(best[i, k] + best[k, j] + dims[i]*dims[k]*dims[j] for k between)`.",
    ),
    example=lambda rng: {"dims": [int(one) for one in rng.integers(2, 12, size=5)]},
)
