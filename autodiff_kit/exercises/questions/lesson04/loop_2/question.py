"""loop-2: Where the number of turns changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson00.shared import list_as_array

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

# Powers of the factor from the limit to both ends of the range: seven jumps, jumps without the limit, and none.
ENDS = ((-6.5, 1.5), (-9.5, -2.5), (0.25, 0.75))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    factor, limit = float(rng.choice([2, 3])), float(rng.integers(50, 200))
    for low, high in ENDS:
        lo, hi = limit * factor**low, limit * factor**high
        reply = yield Call("jumps", (limit, factor, lo, hi))
        if a.warned(reply):
            continue
        right = np.array(solution.jumps(limit, factor, lo, hi))
        powers = np.array([limit * factor**k for k in range(-12, 4)])
        steps = limit - factor * np.arange(np.ceil(limit / factor))
        mistaken = {
            "forgets-that-the-loop-may-not-run": powers[(lo < powers) & (powers < hi)],
            "one-too-few": right[right != limit],
            "steps-of-the-factor": np.sort(steps[(lo < steps) & (steps < hi)]),
        }
        got = require_real_array(list_as_array(reply.value), "jumps")
        a.case(np.sort(got) if got.ndim == 1 else got, right, mistaken, tol=1e-12, of="The list of jumps")


QUESTION = Question(
    id="loop-2",
    points=2,
    title="Where the number of turns changes",
    text="""For `while abs(x) < limit: x = x * factor`, the slope of what comes out is constant over stretches of x and jumps between them. List
all x at which it jumps, `lo` < x < `hi`, from small to large; all four are positive. Where it never jumps, the list is empty.""",
    writes=("jumps",),
    starter='''def jumps(limit, factor, lo, hi):
    """All x between lo and hi at which the loop's slope jumps, from small to large."""
    ...
''',
    check=check,
    messages={
        "forgets-that-the-loop-may-not-run": "Above the limit the body never runs: the slope is 1 on both sides there.",
        "one-too-few": "At the limit itself the number of turns changes, too: from 1 to none.",
        "steps-of-the-factor": "The loop multiplies: from one jump to the next x changes by a factor, not by a step.",
    },
    hints=(
        "For which x does x·fⁿ meet the limit exactly?",
        "n is 0, 1, 2 and so on: 0 as well.",
        "`[x for n in range(200) if lo < (x := limit / factor**n) < hi]`, turned round.",
    ),
    example=lambda rng: {"limit": float(rng.integers(50, 200)), "factor": 2.0, "lo": 1.0, "hi": 300.0},
)
