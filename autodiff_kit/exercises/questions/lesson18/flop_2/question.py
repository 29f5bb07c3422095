"""flop-2: The cheapest order of products."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by, shorter
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def chain(rng: np.random.Generator, ahead_wins: bool) -> list[int]:
    """Sizes for which no sweep is the cheapest order, neither is one of each kind, nor a greedy one."""
    best = solution.cheapest
    while True:
        dims = [int(size) for size in rng.integers(2, 40, size=int(rng.integers(5, 8)))]
        ahead, back, greed, cut = (
            misconceptions.forward_mode_cost(dims),
            misconceptions.reverse_mode_cost(dims),
            misconceptions.greedy_cost(dims),
            misconceptions.one_cut_cost(dims),
        )
        if best(dims) < min(greed, cut) and cut < min(ahead, back) and (ahead < back) == ahead_wins and ahead != back:
            return dims


def smaller_chains(dims: list[int]) -> Iterator[tuple[list[int]]]:
    """Fewer sizes, at least those of one matrix, then one size halved."""
    yield from ((sizes,) for sizes in shorter(dims) if len(sizes) > 1)
    yield from (([*dims[:k], size // 2, *dims[k + 1 :]],) for k, size in enumerate(dims) if size > 3)


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
            "one-cut": float(misconceptions.one_cut_cost(dims)),
            "counts-additions": 2.0 * want,
        }
        a.case(reply.value, float(want), mistaken, tol=0.0, facts=partial(_prices, want))


def _prices(best: int, got: np.ndarray) -> dict[str, object]:
    return {"a": int(got), "b": best}


QUESTION = Question(
    id="flop-2",
    points=3,
    title="The cheapest order of products",
    text="""A function is a chain of steps. Step i has `dims[i]` inputs and `dims[i + 1]` outputs, so its Jacobian has the shape (dims[i + 1], dims[i]). The
Jacobian of the chain is the product of these matrices, and the products may be computed in any order. Forward mode starts at the input, reverse mode at the
output, and there are other orders. Write `cheapest`: the smallest possible number of multiplications, as an integer. A product of the shapes (m, k) and (k, n) takes mkn.""",
    writes=("cheapest",),
    starter='''def cheapest(dims):
    """The fewest multiplications that give the Jacobian of the chain."""
    ...
''',
    check=check,
    counterexample=counterexample_by(smaller_chains, solution.cheapest, 0.0),
    messages={
        "always-forward": "Multiplying from the input on (forward mode) takes {a} multiplications; {b} is possible.",
        "always-reverse": "Multiplying from the output on (reverse mode) takes {a} multiplications; {b} is possible.",
        "better-of-the-two-sweeps": "The better of forward and reverse mode takes {a} multiplications; an order that starts elsewhere takes {b}.",
        "one-cut": "Forward mode up to one cut and reverse mode after it takes {a} multiplications; {b} is possible. The best order of each part need not be a sweep.",
        "counts-additions": "{a} is twice the smallest number of multiplications, {b}. Additions are not counted here: a product takes mkn.",
        "greedy": "Always taking the cheapest product next leads to {a} multiplications; {b} is possible.",
    },
    hints=(
        "The last product joins two parts of the chain. Where can the cut between them be?",
        "The best order of one part does not depend on the other part. Which three costs add up for one cut?",
        "A table over (i, j), short parts first: `min(best[i, k] + best[k, j] + dims[i]*dims[k]*dims[j] for k between)`.",
    ),
    example=lambda rng: {"dims": [int(one) for one in rng.integers(2, 12, size=5)]},
)
