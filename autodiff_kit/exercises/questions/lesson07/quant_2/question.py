"""quant-2: Fake quantisation and its pull."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from ..quant_1 import solution as quant_1_solution
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    ranges = [shared.random_range(rng, bits, bits % 2) for bits in (2, 3, 4)]
    ranges.append((1.25, 4.25, 2))  # 0 lies outside; the nudged ends are 0 and 3, without a rounding error
    for lo, hi, bits in ranges:
        x = entries(rng, lo, hi, bits)
        reply = yield Call("fake_quant", (x, lo, hi, bits))
        if a.warned(reply):
            continue
        value, pull = unpack_tuple(reply, "fake_quant", ("y", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                translate(
                    "fake_quant must return (y, pull), where pull is a function: pull(g) returns (dx, dmin, dmax).",
                    "lesson07",
                )
            )
        want = solution.fake_quant(x, lo, hi, bits)[0]
        raw = shared.quantised_from_raw_end(x, lo, hi, bits)
        facts = {"z": float(shared.quantised_from_raw_end(np.zeros(1), lo, hi, bits)[0])}
        scale = quant_1_solution.nudged(lo, hi, bits)[0]
        values = {
            "range-not-nudged": raw,
            "not-clamped": np.floor(x / scale + 0.5) * scale,
            "gives-the-level-number": misconceptions.level_numbers(value, want, scale),
        }
        if a.case(value, want, values, tol=1e-9, of="y", facts=facts):
            yield from pulled_2(a, pull, x, (lo, hi, bits), rng.uniform(0.5, 2, size=x.size))


def entries(rng: np.random.Generator, lo: float, hi: float, bits: int) -> Array:
    """Numbers inside, outside, and between the raw ends and the nudged ones; 0 among them."""
    _, first, last = quant_1_solution.nudged(lo, hi, bits)
    outside = [lo - 1.0, first - 0.3, hi + 1.0, last + 0.2, last + 0.4]
    drawn: Array = np.r_[rng.uniform(first, last, 5), 0.0, outside, (lo + first) / 2, (hi + last) / 2]
    if lo > 0:
        drawn = np.r_[drawn, last]  # an end is not outside
    return drawn


def pulled_2(
    a: AttemptEvaluation, pull: ReturnedFunction, x: Array, given: shared.QuantisationRange, g: Array
) -> CheckScript:
    """Judge what the pull gives for one cotangent: first x, and then the two ends."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    if a.warned(reply):
        return
    dx, *ends = (require_real_array(part, "pull") for part in unpack_tuple(reply, "pull", ("dx", "dmin", "dmax")))
    if any(end.size != 1 for end in ends):
        raise LearnerCodeError(translate("min and max are one number each, and so are dmin and dmax.", "lesson07"))
    lo, hi, bits = given
    want, *right = solution.fake_quant(x, lo, hi, bits)[1](g)
    mistaken = {
        "straight-through-everywhere": g,
        "rounding-kills-the-gradient": np.zeros(x.size),
        "mask-of-the-raw-range": misconceptions.vjp_by_raw_range(x, lo, hi, g),
        "mask-of-the-rounded": misconceptions.vjp_by_rounded(x, lo, hi, bits, g),
        "ignores-the-cotangent": misconceptions.vjp_without_cotangent(dx, want),
    }
    facts = {
        "far": round(hi + 1.0, 4),
        "near": round(quant_1_solution.nudged(*given)[2] + 0.2, 4),
        "between": round(misconceptions.value_between_ranges(*given), 4),
    }
    if a.case(dx, want, mistaken, tol=1e-9, of="dx", facts=facts):
        _, first, last = quant_1_solution.nudged(*given)
        mistaken = {
            "min-and-max-get-nothing": np.zeros(2),
            "min-and-max-swapped": np.array(right[::-1]),
            "counts-clamped-entries": np.array([(x < first).sum(), (x > last).sum()], float),
        }
        a.case(
            np.array([float(end.ravel()[0]) for end in ends]), np.array(right), mistaken, tol=1e-9, of="(dmin, dmax)"
        )


QUESTION = Question(
    id="quant-2",
    points=3,
    title="Fake quantisation and its pull",
    text="""Nudge the range `(lo, hi)` as in the question before. Clamp each entry of `x` to the nudged range, and round it to the nearest level.
Return `(y, pull)`: the rounded values as floats, and a function. For a cotangent `g` with one entry for each entry of x, `pull(g)` returns
`(dx, dmin, dmax)`. In it rounding and nudging count as the identity. A clamped entry depends on an end and not on x, so its entry of g goes
to `dmin` or `dmax`, which are one number each. An entry counts as clamped if it lies outside the nudged range. Use NumPy.""",
    writes=("fake_quant",),
    without=("ak.relax.fake_quant",),
    starter='''def fake_quant(x, lo, hi, bits):
    """Rounded values: return (y, pull), where pull(g) returns (dx, dmin, dmax)."""
    ...
''',
    check=check,
    messages={
        "range-not-nudged": "Your levels start at lo, so 0 is rounded to {z}. Nudge the range first.",
        "straight-through-everywhere": "Every entry of x gets its g. But {far} is outside the range: when it changes, y does not. Its part goes to max.",
        "rounding-kills-the-gradient": "dx is 0 everywhere, as the derivative of rounding is. In the pull rounding counts as the identity.",
        "mask-of-the-raw-range": "Your dx uses lo and hi as limits. {between} lies between an end of (lo, hi) and the nudged end. Which of the two decides whether it is clamped?",
        "mask-of-the-rounded": "{near} is beyond the nudged range, but less than half a scale: your dx counts it as inside. It is clamped. (Some libraries use your rule.)",
        "ignores-the-cotangent": "Your dx has ones instead of entries of g. By the chain rule each entry is multiplied by its g.",
        "not-clamped": "Your y has values outside the nudged range. Clamp before rounding.",
        "gives-the-level-number": "Your y holds the numbers of the levels. Fake quantisation returns floats: multiply by the scale.",
        "min-and-max-get-nothing": "dmin and dmax are 0. A clamped entry has the value of an end, so y changes when that end does.",
        "counts-clamped-entries": "dmin and dmax are the numbers of clamped entries. By the chain rule each of these entries contributes its g.",
        "min-and-max-swapped": "Values below the range are clamped to min, and values above it to max.",
    },
    hints=(
        "Divide the entries into three groups: below the range, inside, above.",
        "For each group: what does y depend on, x or one of the ends?",
        "`dx = np.where(inside, g, 0.0)`, and `dmin = g[below].sum()`.",
    ),
    example=lambda rng: {"x": rng.normal(size=4).round(2), "lo": -1.25, "hi": 1.0, "bits": 2},
)
