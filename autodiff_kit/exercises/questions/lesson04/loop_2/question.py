"""loop-2: Where the number of turns changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson00.shared import list_as_array
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from typing import Any

    from autodiff_kit.exercises.protocol import CheckScript

    Array = np.ndarray[Any, Any]

__all__ = ["QUESTION"]

# Powers of the factor from the limit to both ends of the range: seven jumps, jumps without the limit, and none.
ENDS = ((-6.5, 1.5), (-9.5, -2.5), (0.25, 0.75))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    factor, limit = float(rng.choice([2, 3])), float(rng.integers(50, 200))
    ranges = [(limit, limit * factor**low, limit * factor**high) for low, high in ENDS]
    lo = float(rng.integers(2, 7))  # a jump, without a rounding error
    ranges.append((lo * factor**3, lo, lo * factor**2.5))
    cases = [(factor, *given) for given in ranges]
    cases.append((1.25, limit, limit * 1.25**-30.5, limit * 1.25**0.5))  # many turns, and a factor that is no integer
    for factor, limit, lo, hi in cases:
        reply = yield Call("jumps", (limit, factor, lo, hi))
        if a.warned(reply):
            continue
        right = np.array(solution.jumps(limit, factor, lo, hi))
        powers = np.array([limit * factor**k for k in range(-12, 4)])
        steps = limit - factor * np.arange(np.ceil(limit / factor))
        mistaken: dict[str, object] = {
            "forgets-that-the-loop-may-not-run": powers[(lo < powers) & (powers < hi)],
            "one-too-few": right[right != limit],
            "steps-of-the-factor": np.sort(steps[(lo < steps) & (steps < hi)]),
            "includes-lo": np.append(lo, right) if limit == lo * factor**3 else None,
        }
        got = require_real_array(list_as_array(reply.value), "jumps")
        ascending = np.sort(got) if got.ndim == 1 else got
        if not values_close(ascending, mistaken["includes-lo"], 1e-12):
            mistaken["ignores-the-range"] = ascending if ignores_the_range(ascending, limit, factor, lo, hi) else None
        what = translate("The list of jumps", "lesson04")
        if a.case(ascending, right, mistaken, tol=1e-12, of=what, facts={"lo": lo}):
            text = translate("{what} has the right entries in the order {got}.", "lesson04")
            words = text.format(what=what, got=format_value(got))
            a.behave(bool(np.array_equal(got, ascending)), "largest-first", words, of=what)


def ignores_the_range(got: Array, limit: float, factor: float, lo: float, hi: float) -> bool:
    """Whether every entry is a jump of the loop, all inside the range are there, and some lie outside."""
    right = np.array(solution.jumps(limit, factor, lo, hi))
    if got.ndim != 1 or got.size <= right.size or not (np.isfinite(got) & (got > 0)).all():
        return False
    turns = np.log(limit / got) / np.log(factor)
    inside = got[(got > lo) & (got < hi)]
    every_entry_is_a_jump = bool(np.all((np.abs(turns - np.round(turns)) < 1e-9) & (turns > -0.5)))
    return every_entry_is_a_jump and inside.shape == right.shape and bool(np.allclose(inside, right, rtol=1e-12))


QUESTION = Question(
    id="loop-2",
    points=2,
    title="Where the number of turns changes",
    text="""Let y(x) be the result of `while abs(x) < limit: x = x * factor`. Its slope is constant on intervals of x and jumps between them. Write `jumps(limit, factor, lo, hi)`: it
returns the list of all x with `lo` < x < `hi` at which the slope jumps, the smallest x first. All four numbers are positive and factor is greater than 1. If there is no such x, the list is empty.""",
    writes=("jumps",),
    starter='''def jumps(limit, factor, lo, hi):
    """All x between lo and hi at which the loop's slope jumps, the smallest first."""
    ...
''',
    check=check,
    messages={
        "forgets-that-the-loop-may-not-run": "Your list has entries above the limit. There the loop takes no turn, and the slope is 1 on both sides.",
        "one-too-few": "Your list lacks x = limit. The number of turns changes there too, from 1 to 0.",
        "steps-of-the-factor": "Your entries differ by a constant. The loop multiplies, so from one jump to the next x changes by a constant factor.",
        "largest-first": "Your list has the right entries, but in another order. The smallest x comes first.",
        "includes-lo": "Your list contains lo = {lo}. Only x with lo < x belong to it, and lo itself does not.",
        "ignores-the-range": "Your list has entries outside lo < x < hi, or at its ends.",
    },
    hints=(
        "From which x does the loop reach the limit exactly?",
        "Count the turns that this takes: 0, 1, 2 and so on. Which x belongs to each number?",
        "`[x for n in range(200) if lo < (x := limit / factor**n) < hi]`, in reverse order.",
    ),
    example=lambda rng: {"limit": float(rng.integers(50, 200)), "factor": 2.0, "lo": 1.0, "hi": 300.0},
)
