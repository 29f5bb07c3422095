"""quant-2: Fake quantisation and its pull."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

from .. import shared
from ..quant_1 import solution as quant_1_solution
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for bits in (2, 3, 4):
        lo, hi, bits = shared.random_range(rng, bits, bits % 2)
        x = entries(rng, lo, hi, bits)
        reply = yield Call("fake_quant", (x, lo, hi, bits))
        if a.warned(reply):
            continue
        value, pull = unpack_tuple(reply, "fake_quant", ("y", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                "fake_quant is to give back (y, pull), where pull is a function: pull(g) gives (dx, dmin, dmax)."
            )
        want = solution.fake_quant(x, lo, hi, bits)[0]
        raw = shared.quantised_from_raw_end(x, lo, hi, bits)
        facts = {"z": float(shared.quantised_from_raw_end(np.zeros(1), lo, hi, bits)[0])}
        if a.case(value, want, {"range-not-nudged": raw}, tol=1e-9, of="y", facts=facts):
            yield from way_back_2(a, pull, x, (lo, hi, bits), rng.uniform(0.5, 2, size=x.size))


def entries(rng: np.random.Generator, lo: float, hi: float, bits: int) -> Array:
    """Numbers inside, outside, and between the raw ends and the nudged ones; 0 among them."""
    _, first, last = quant_1_solution.nudged(lo, hi, bits)
    outside = [lo - 1.0, first - 0.3, hi + 1.0, last + 0.2, last + 0.4]
    drawn: Array = np.r_[rng.uniform(first, last, 5), 0.0, outside, (lo + first) / 2, (hi + last) / 2]
    return drawn


def way_back_2(
    a: AttemptEvaluation, pull: ReturnedFunction, x: Array, given: shared.QuantisationRange, g: Array
) -> CheckScript:
    """Judge what the pull gives for one cotangent: first x, and then the two ends."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply):
        return
    dx, *ends = (require_real_array(part, "pull") for part in unpack_tuple(reply, "pull", ("dx", "dmin", "dmax")))
    if any(end.size != 1 for end in ends):
        raise LearnerCodeError("min and max are one number each, and so are dmin and dmax.")
    lo, hi, bits = given
    want, *right = solution.fake_quant(x, lo, hi, bits)[1](g)
    mistaken = {
        "straight-through-everywhere": g,
        "rounding-kills-the-gradient": np.zeros(x.size),
        "mask-of-the-raw-range": misconceptions.vjp_by_raw_range(x, lo, hi, g),
    }
    facts = {"far": round(hi + 1.0, 4), "between": round(misconceptions.value_between_ranges(*given), 4)}
    if a.case(dx, want, mistaken, tol=1e-9, of="dx", facts=facts):
        mistaken = {"min-and-max-get-nothing": np.zeros(2), "min-and-max-swapped": np.array(right[::-1])}
        a.case(
            np.array([float(end.ravel()[0]) for end in ends]), np.array(right), mistaken, tol=1e-9, of="(dmin, dmax)"
        )


QUESTION = Question(
    id="quant-2",
    points=3,
    title="Fake quantisation and its pull",
    text="""Every entry of `x` goes to the nearest level of the range `(lo, hi)`, nudged as in the question before; what is beyond an end is clamped to it. Give back `(y, pull)`:
the values, and a function that takes a cotangent `g`, one entry for each of x, to `(dx, dmin, dmax)`. On the way back rounding counts as the identity. What was clamped does not move with x but with the end
that it was clamped to: its part of g goes to `dmin` or `dmax`, which are one number each. With NumPy.""",
    writes=("fake_quant",),
    starter='''def fake_quant(x, lo, hi, bits):
    """Values on levels: give back (y, pull), where pull(g) gives (dx, dmin, dmax)."""
    ...
''',
    check=check,
    messages={
        "range-not-nudged": "The levels are counted from the raw end, and 0 comes back as {z}. Nudge the range first.",
        "straight-through-everywhere": "{far} is outside: when it moves, y stays. It passes its part to max, not to x.",
        "rounding-kills-the-gradient": "Nothing comes into x. Here rounding counts as the identity, on the way back.",
        "mask-of-the-raw-range": "{between} is inside (lo, hi) and outside the nudged range: it was clamped. The nudged ends decide.",
        "min-and-max-get-nothing": "What is clamped moves with the end that it was clamped to: when that end moves, so does y.",
        "min-and-max-swapped": "Values below the range are clamped to min, and values above it to max.",
    },
    hints=(
        "Three groups of entries: below, inside, above.",
        "The nudged ends separate them. Inside, y moves as x does; outside, as an end does.",
        "`dx = np.where(inside, g, 0.0)`, and `dmin = g[below].sum()`.",
    ),
    example=lambda rng: {"x": rng.normal(size=4).round(2), "lo": -1.25, "hi": 1.0, "bits": 2},
)
