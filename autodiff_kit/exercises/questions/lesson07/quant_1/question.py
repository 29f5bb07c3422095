"""quant-1: A range in which 0 is 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
PARTS = ("scale", "low", "high")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    around = [shared.random_range(rng, bits, bits % 2) for bits in (2, 3, 5, 8)]
    aside = [misconceptions.range_without_zero(rng, int(rng.integers(2, 9)), sign) for sign in (1, -1)]
    for lo, hi, bits in (*around, *aside):
        reply = yield Call("nudged", (lo, hi, bits))
        if a.warned(reply):
            continue
        judge_1(a, np.array([_one(part) for part in unpack_tuple(reply, "nudged", PARTS)]), lo, hi, bits)


def _one(part: object) -> float:
    got = require_real_array(part, "nudged")
    if got.size != 1:
        text = translate("nudged must return three numbers, ({parts}); one of them has shape {shape}.", "lesson07")
        raise LearnerCodeError(text.format(parts=", ".join(PARTS), shape=got.shape))
    return float(got.ravel()[0])


def judge_1(a: AttemptEvaluation, got: Array, lo: float, hi: float, bits: int) -> None:
    """Judge one answer; each mistake is its own three numbers."""
    scale, first, last = solution.nudged(lo, hi, bits)
    wide = (hi - lo) / 2**bits
    place = np.clip(np.floor(-lo / wide + 0.5), 0, 2**bits)
    mistaken = {
        "range-not-nudged": np.array([scale, lo, hi]),
        "scale-by-2-to-the-bits": np.array([wide, -place * wide, (2**bits - place) * wide]),
        "nudges-one-end": misconceptions.nudged_at_one_end(lo, hi, bits, got),
        "rounds-one-way-only": misconceptions.nudged_with_place(lo, hi, bits, np.ceil if got[1] < first else np.floor),
        "zero-outside-not-handled": misconceptions.nudged_without_limits(lo, hi, bits),
        "extends-the-range": np.array(solution.nudged(min(lo, 0.0), max(hi, 0.0), bits)),
    }
    if got.shape == (3,) and abs(got[0] - wide) < 1e-10:  # whatever was made of a scale that is too small
        mistaken["scale-by-2-to-the-bits"] = got
    facts = {
        "lo": round(lo, 4),
        "hi": round(hi, 4),
        "z": float(shared.quantised_from_raw_end(np.zeros(1), lo, hi, bits)[0]),
        "n": 2**bits,
        "gaps": 2**bits - 1,
    }
    a.case(got, np.array([scale, first, last]), mistaken, tol=1e-10, of="(scale, low, high)", facts=facts)


QUESTION = Question(
    id="quant-1",
    points=2,
    title="A range in which 0 is 0",
    text="""With `bits` bits there are $2^{bits}$ levels at equal distances, from `lo` to `hi`. Values that are 0 must stay exactly 0, so both ends
are shifted by the same amount, the smallest for which 0 is a level. Return `(scale, low, high)`: the distance of two neighbouring levels, and
the two ends of the nudged range. If 0 is outside the range, shift it until the nearer end is 0; the width stays the same.""",
    writes=("nudged",),
    starter='''def nudged(lo, hi, bits):
    """The range shifted so that 0 is a level: return (scale, low, high)."""
    ...
''',
    check=check,
    messages={
        "range-not-nudged": "Your range is the one that came in. In it 0 is not a level: it is rounded to {z}.",
        "scale-by-2-to-the-bits": "Your scale is (hi − lo)/{n}. There are {n} levels; how many gaps lie between them?",
        "nudges-one-end": "One end moved and the other stayed, so the scale does not fit the range. Both ends are shifted by the same amount.",
        "rounds-one-way-only": "Your range is shifted further than needed: the place of 0 is rounded always up, or always down. Which level is nearest?",
        "zero-outside-not-handled": "The range from {lo} to {hi} does not contain 0, and neither does yours. Its nearer end must become 0.",
        "extends-the-range": "For the range from {lo} to {hi} you moved one end only, so the range became wider. Shift it as a whole: the width stays.",
    },
    hints=(
        "Start at lo and count in steps of the scale. After how many steps would 0 come?",
        "This count is seldom an integer. Which integer is right, and which values may it have at all?",
        "`low = -place*scale; high = (2**bits - 1 - place)*scale`.",
    ),
    example=lambda rng: {
        "lo": round(-float(rng.uniform(0.5, 2)), 2),
        "hi": round(float(rng.uniform(0.5, 2)), 2),
        "bits": int(rng.integers(2, 5)),
    },
)
