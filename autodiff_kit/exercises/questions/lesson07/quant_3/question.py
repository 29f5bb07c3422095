"""quant-3: A range that x itself gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from ..quant_2 import solution as quant_2_solution
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for bits in (2, 3, 4):
        x = misconceptions.data_with_nudged_range(rng, bits, bits % 2)
        g = rng.uniform(0.5, 2, size=x.size)
        reply = yield Call("total", (x, bits, g))
        if a.warned(reply):
            continue
        dx, dmin, dmax = quant_2_solution.fake_quant(x, x.min(), x.max(), bits)[1](g)
        first = dx.copy()
        first[x.argmin()] += dmin
        first[x.argmax()] += dmax
        last = dx.copy()
        last[x.size - 1 - x[::-1].argmin()] += dmin
        last[x.size - 1 - x[::-1].argmax()] += dmax
        each = dx + dmin * (x == x.min()) + dmax * (x == x.max())
        mistaken = {
            "range-taken-for-constant": dx,
            "one-everywhere": g,
            "first-of-a-tie-takes-all": taken(reply.value, first, last),
            "each-of-a-tie-takes-all": each,
        }
        facts = {"i": int(np.flatnonzero((dx == 0) & (x != x.min()) & (x != x.max()))[0])}
        a.case(reply.value, solution.total(x, bits, g), mistaken, tol=1e-9, of="The gradient", facts=facts)


def taken(got: object, first: Array, last: Array) -> Array:
    """One entry of a tie has it all: the first, or the last where that is what came."""
    return last if isinstance(got, np.ndarray) and got.shape == last.shape and np.allclose(got, last) else first


QUESTION = Question(
    id="quant-3",
    points=3,
    title="A range that x itself gives",
    text="""Now `min` and `max` are those of x: `x.min()` and `x.max()`, nudged as before. For a cotangent `g`, one entry for each of x, give the whole gradient by x of $\\sum_i g_i\\,y_i$, where y is x
fake-quantised with `bits` bits. What comes into min and max comes home to x; where several entries are the minimum (or the maximum), they share it equally.""",
    writes=("total",),
    starter='''def total(x, bits, g):
    """The gradient by x, where min and max are x's own."""
    ...
''',
    check=check,
    messages={
        "range-taken-for-constant": "Sum your entries: less came home than went in. min is one of the x, and so is max: what they get comes home there.",
        "one-everywhere": "Entry {i} is outside the nudged range: it was clamped, and its part goes to an extreme.",
        "first-of-a-tie-takes-all": "Several entries are the extreme, and one of them got it all. Equals share.",
        "each-of-a-tie-takes-all": "Several entries are the extreme, and each of them got it all: more came home than went in. Equals share.",
    },
    hints=(
        "Two ways lead from y to x: straight through, and by way of the ends.",
        "The second way ends at the entries that equal the minimum or the maximum. Add, place by place.",
        "`at = x == x.min(); dx[at] += dmin / at.sum()`, and the same for the maximum.",
    ),
    example=lambda rng: {"x": misconceptions.data_with_nudged_range(rng, 2).round(2), "bits": 2, "g": np.ones(9)},
)
