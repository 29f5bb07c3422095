"""floor-5: An annealing schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    from collections.abc import Generator

    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    # The starts are not left to luck: the ends are hardest, and a schedule that passes here passes the grader's check.
    starts = np.r_[0.05:0.95:12j, 4:5.5:6j]
    for steps in (40, int(rng.integers(41, 121))):
        schedule = yield from asked_schedule(a, steps)
        if schedule is None:
            return
        for target in (2, 3, 4):
            judge(a, starts, target, schedule)
        grows_slowly(a, schedule)


def grows_slowly(a: AttemptEvaluation, schedule: list[float]) -> None:
    """Whether s never falls, and grows by at most a half from one step to the next."""
    growth = np.array(schedule[1:]) / schedule[:-1]
    i = int(np.argmax(np.where(growth < 1, np.inf, growth)))
    facts: dict[str, Any] = {"i": i + 1, "s0": schedule[i], "s1": schedule[i + 1]}
    if not a.failed_cases:  # another fault says more
        words = translate("From step {i} on s goes from {s0} to {s1}.", "lesson06").format(**facts)
        name = "falls-again" if growth[i] < 1 else "jumps"
        a.behave(1 <= growth[i] <= 1.5 + 1e-9, name, words, half=False, **facts)


def thorough(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """Every target from hundreds of starts, with the fewest steps, the most, and some between."""
    starts = np.r_[0.05:0.95:200j, 4:5.5:200j]
    for steps in (40, *rng.integers(41, 119, 2), 119, 120):
        schedule = yield from asked_schedule(a, int(steps))
        if schedule is None:
            return
        for target in (2, 3, 4):
            judge(a, starts, target, schedule)
        grows_slowly(a, schedule)


def asked_schedule(a: AttemptEvaluation, steps: int) -> Generator[Call, CallResult, list[float] | None]:
    """The sharpness of each step; None if one is no sharpness."""
    schedule = []
    for i in range(steps):
        reply = yield Call("schedule", (i, steps))
        if a.warned(reply):
            return None
        s = require_real_array(reply.value, "schedule")
        if s.shape != () or not np.isfinite(s) or s <= 0:
            text = translate("{call} returned {got}; a sharpness is one number above 0.", "lesson06")
            a.fail(set(), text.format(call=f"schedule({i}, {steps})", got=format_value(reply.value)))
            return None
        schedule.append(float(s))
    return schedule


def judge(a: AttemptEvaluation, starts: np.ndarray, target: int, schedule: list[float]) -> None:
    """Whether the search arrives from each of the starts."""
    path = misconceptions.gradient_descent(starts, target, schedule)
    arrived = np.floor(path[-1]) == target
    away = np.abs(shared.soft_floor(path[-1], schedule[-1]) - target)
    if schedule[-1] < 15:
        temperature = schedule[-1] < schedule[0] and 1 / schedule[-1] >= 15
        name = (
            "gives-the-temperature" if temperature else "anneals-backwards" if schedule[0] >= 15 else "never-sharpens"
        )
        err = float(abs(shared.soft_floor(np.array(target + 0.25), schedule[-1]) - target))
        a.fail(
            {name},
            translate("The last s is {s}; at least 15 is asked for.", "lesson06").format(s=format_value(schedule[-1])),
            err=err,
            s0=schedule[0],
            s1=schedule[-1],
        )
    elif not arrived.all() or away.max() > 0.02:
        _lost_5(a, path, schedule, arrived)


def _lost_5(a: AttemptEvaluation, path: np.ndarray, schedule: list[float], arrived: np.ndarray) -> None:
    lost = int(np.argmin(arrived))
    start = float(path[0, lost])
    sharp = next((i for i, s in enumerate(schedule) if s > 8), len(schedule) - 1)
    name = "starts-sharp" if schedule[0] > 8 else "" if arrived.all() else "sharpens-too-soon"
    facts = {
        "s": schedule[0],
        "x": start if name == "starts-sharp" else float(path[sharp, lost]),
        "d": float(shared.slope(np.array(start), schedule[0])),
        "i": sharp,
    }
    text = translate("From {start} the search ends at {end}.", "lesson06")
    words = text.format(start=format_value(start), end=format_value(float(path[-1, lost])))
    a.fail({name} - {""}, words, **facts)


QUESTION = Question(
    id="floor-5",
    points=3,
    title="An annealing schedule",
    text="""The check minimises (soft_floor(x, s) − target)² by gradient descent with learning rate 0.1. Your `schedule(i, steps)`
gives the sharpness s of step i. The targets are 2, 3 and 4; there are 40 to 120 steps. From every start in (0.05, 0.95) and (4, 5.5)
the search must end where floor(x) is the target and soft_floor(x, s) is within 0.02 of it. The last s must be at least 15, and
it is reached slowly: from one step to the next s grows by at most a half of itself, and it never falls. Any schedule that does this passes.""",
    writes=("schedule",),
    starter='''def schedule(i, steps):
    """The sharpness of step i = 0 ... steps-1."""
    ...
''',
    check=check,
    messages={
        "starts-sharp": "The first s is {s}, and there the derivative at the start {x} is {d}: too small to move. Which s gives a larger derivative at the start?",
        "jumps": "The search arrives, but at step {i} your s jumps from {s0} to {s1}. Let it grow by at most a half of itself from one step to the next.",
        "falls-again": "The search arrives, but at step {i} your s falls from {s0} to {s1}. Let it only grow.",
        "never-sharpens": "The last s is {s1}. There soft_floor is still {err} away from floor a quarter of the way to the next jump. At least 15 is asked for.",
        "anneals-backwards": "Your s falls from {s0} to {s1}. The search needs a soft function first and a sharp one at the end.",
        "gives-the-temperature": "Your values fall from {s0} to {s1}, as a temperature 1/s does. The schedule returns the sharpness s.",
        "sharpens-too-soon": "At step {i}, when s first exceeds 8, x is {x}, still far from the target. Let s grow more slowly.",
    },
    hints=(
        "Print the derivative of soft_floor at 0.3 for s = 1, 4, 15. Which s lets the search begin?",
        "Begin near 1, end above 15, and let s grow gradually in between.",
        "`1 * 20**(i/(steps-1))`",
    ),
    example=lambda rng: {
        "steps": int(rng.integers(40, 120)),
        "target": int(rng.integers(2, 5)),
        "start": float(rng.uniform(0.05, 0.95).__round__(2)),
    },
    thorough=thorough,
)
