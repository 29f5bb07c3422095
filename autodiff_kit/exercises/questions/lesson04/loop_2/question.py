"""loop-2: Where the number of turns changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import as_real_array, require_real_array
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
            "ignores-the-range": list_as_array(reply.value)
            if ignores_the_range(reply.value, limit, factor, lo, hi)
            else None,
            "one-too-few": right[right != limit],
            "steps-of-the-factor": np.sort(steps[(lo < steps) & (steps < hi)]),
        }
        got = require_real_array(list_as_array(reply.value), "jumps")
        a.case(np.sort(got) if got.ndim == 1 else got, right, mistaken, tol=1e-12, of="The list of jumps")


def ignores_the_range(value: object, limit: float, factor: float, lo: float, hi: float) -> bool:
    """Whether every entry is a jump of the loop, all inside the range are there, and some lie outside."""
    got = as_real_array(list_as_array(value))
    right = np.array(solution.jumps(limit, factor, lo, hi))
    if got is None or got.ndim != 1 or got.size <= right.size or not (np.isfinite(got) & (got > 0)).all():
        return False
    turns = np.log(limit / got) / np.log(factor)
    inside = np.sort(got[(got > lo) & (got < hi)])
    every_entry_is_a_jump = bool(np.all((np.abs(turns - np.round(turns)) < 1e-9) & (turns > -0.5)))
    return every_entry_is_a_jump and inside.shape == right.shape and bool(np.allclose(inside, right, rtol=1e-12))


QUESTION = Question(
    id="loop-2",
    points=2,
    title="Where the number of turns changes",
    text="""Let y(x) be the result of `while abs(x) < limit: x = x * factor`. Its slope is constant on intervals of x and jumps between them. Write `jumps(limit, factor, lo, hi)`: it
returns a list of all x with `lo` < x < `hi` at which the slope jumps, from small to large. All four numbers are positive and factor is greater than 1. If there is no such x, the list is empty.""",
    writes=("jumps",),
    starter='''def jumps(limit, factor, lo, hi):
    """All x between lo and hi at which the loop's slope jumps, from small to large."""
    ...
''',
    check=check,
    messages={
        "forgets-that-the-loop-may-not-run": "Your list has entries above the limit. There the loop takes no turn, and the slope is 1 on both sides.",
        "one-too-few": "Your list lacks x = limit. The number of turns changes there too, from 1 to 0.",
        "steps-of-the-factor": "Your entries differ by a constant. The loop multiplies, so from one jump to the next x changes by a constant factor.",
        "ignores-the-range": "Your list has entries outside lo < x < hi, or at its ends.",
    },
    hints=(
        "From which x does the loop reach the limit exactly?",
        "Count the turns that this takes: 0, 1, 2 and so on. Which x belongs to each number?",
        "`[x for n in range(200) if lo < (x := limit / factor**n) < hi]`, in reverse order.",
    ),
    example=lambda rng: {"limit": float(rng.integers(50, 200)), "factor": 2.0, "lo": 1.0, "hi": 300.0},
)
