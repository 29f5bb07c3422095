"""quant-3: A range computed from x."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from ..quant_2 import solution as quant_2_solution
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    right = False
    for bits in (2, 3, 4, 5, 8):  # with an odd number of bits entries below the range are clamped, else above it
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
            "range-taken-for-constant": None if right else dx,  # that would be wrong in each case
            "min-left-out" if bits % 2 else "max-left-out": dx,
            "one-everywhere": g,
            "first-of-a-tie-takes-all": taken(reply.value, first, last),
            "each-of-a-tie-takes-all": each,
            "overwrites-instead-of-adding": misconceptions.overwritten(x, dx, dmin, dmax),
            "min-and-max-swapped": misconceptions.shared_out(x, dx, dmax, dmin),
        }
        facts = {"i": int(np.flatnonzero((dx == 0) & (x != x.min()) & (x != x.max()))[0])}
        right |= a.case(
            reply.value,
            solution.total(x, bits, g),
            mistaken,
            tol=1e-9,
            of=translate("The gradient", "lesson07"),
            facts=facts,
        )


def taken(got: object, first: Array, last: Array) -> Array:
    """One entry of a tie has it all: the first, or the last where that is what came."""
    return last if isinstance(got, np.ndarray) and got.shape == last.shape and np.allclose(got, last) else first


QUESTION = Question(
    id="quant-3",
    points=3,
    title="A range computed from x",
    text="""Now the range is computed from x: it is `x.min()` to `x.max()`, nudged as before. Let y be x, fake-quantised with `bits` bits. For a
cotangent `g`, return the whole gradient of $\\sum_i g_i\\,y_i$ with respect to x by the straight-through rule. It includes what goes through min
and max. Where several entries equal the minimum (or the maximum), they share its gradient equally.""",
    writes=("total",),
    without=("ak.relax.fake_quant",),
    starter='''def total(x, bits, g):
    """The gradient with respect to x, where min and max are computed from x."""
    ...
''',
    check=check,
    messages={
        "min-left-out": "Your gradient contains what goes to max, but not what goes to min. Min is an entry of x as well.",
        "max-left-out": "Your gradient contains what goes to min, but not what goes to max. Max is an entry of x as well.",
        "range-taken-for-constant": "The sum of your gradient is smaller than the sum of g: what goes to min and max is missing. Both are entries of x.",
        "one-everywhere": "Your gradient is g itself. But entry {i} is outside the nudged range and clamped, so its part goes to min or max.",
        "first-of-a-tie-takes-all": "Several entries equal the minimum or maximum, and one of them got the whole gradient. They share it equally.",
        "each-of-a-tie-takes-all": "Several entries equal the minimum or maximum, and each got the whole gradient. They share it: the sum must stay the same.",
        "overwrites-instead-of-adding": "The smallest or largest entry lost its own part of g. Two parts reach it, and they add.",
        "min-and-max-swapped": "The gradient of min went to the largest entry, and that of max to the smallest.",
    },
    hints=(
        "y depends on x in two ways: directly inside the range, and through its two ends.",
        "Use the three results of the question before. Which entries of x is min, and what do they get?",
        "`at = x == x.min(); dx[at] += dmin / at.sum()`, and the same for the maximum.",
    ),
    example=lambda rng: {"x": misconceptions.data_with_nudged_range(rng, 2).round(2), "bits": 2, "g": np.ones(9)},
)
