"""loop-1: The slope of a loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from collections.abc import Generator

    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

EXACT, NEAR = 1e-13, 1e-6  # a difference is near the slope, except where it leads over a jump


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    factor, limit = float(rng.choice([2, 4])), 16.0 * float(rng.integers(3, 12))
    positive = (
        float(rng.uniform(0.5, 3)),
        limit / factor**3,
        limit / factor**4,
        float(np.nextafter(limit / factor**3, 0.0)),
        limit * 1.5,
    )
    yield from compare_with_loop(a, positive, limit, factor)
    # Without abs() a negative float doubles for ever; a NumPy number overflows, and the overflow ends the call. The
    # product with a NumPy factor is one; x itself stays a float, which `x *= factor` does not change.
    below, factor = -float(rng.uniform(0.5, 3)), 6 - factor  # the other one of 2 and 4
    probe = yield Call("loop", (below, limit, np.array(factor)), errors=("Exception",))
    if not a.warned(probe, name_for_negative(a), x=below, limit=limit):
        yield from compare_with_loop(a, (below, -limit / factor**2), limit, factor)


def name_for_negative(a: AttemptEvaluation) -> str:
    """The misconception of a call that fails for a negative x: the one found before, if there is one."""
    return next(iter(a.common_misconceptions), "forgets-abs")


def compare_with_loop(
    a: AttemptEvaluation, starts: tuple[float, ...], limit: float, factor: float
) -> Generator[Call, CallResult, None]:
    """Judge value and slope from each of the starts."""
    for x in starts:
        reply = yield Call("loop", (x, limit, factor), errors=("ValueError",) if x < 0 else ())
        if reply.error:
            text = translate("{call} raised {error} ({place}).", "lesson04")
            words = text.format(call=format_call(a.last), error=reply.error, place=reply.place)
            a.fail({name_for_negative(a)}, words, x=x, limit=limit)
            continue
        if a.warned(reply):
            continue
        value, slope = (
            require_real_array(part, name)
            for part, name in zip(
                unpack_tuple(reply, "loop", (translate("value", "lesson04"), translate("slope", "lesson04"))),
                (translate("loop, as the value,", "lesson04"), translate("loop, as the slope,", "lesson04")),
                strict=True,
            )
        )
        right, late = (
            misconceptions.loop_with_derivative(x, limit, factor),
            misconceptions.loop_with_derivative(x, limit, factor, too_late=True),
        )
        facts = {"x": format_value(x), "f": format_value(factor), "limit": format_value(limit)}
        models_of_value: dict[str, object] = {
            "stops-one-too-late": late[0],
            "stops-one-too-early": right[0] / factor if abs(x) < limit else right[0],
            "turns-not-whole": math.copysign(limit, x),
            "forgets-abs": x if x < 0 else None,
        }
        if a.case(value, right[0], models_of_value, tol=EXACT, of=translate("The value", "lesson04"), facts=facts):
            mistaken = models_of_slope(x, limit, factor, slope)
            turns = round(math.log(right[1], factor))
            mistaken["adds-the-turns"] = turns * factor if turns or a.failed_cases else None
            mistaken["zero-without-a-turn"] = None if turns else 0.0
            told = facts | {"d": format_value(float(slope)) if slope.shape == () else "", "s": format_value(right[1])}
            a.case(slope, right[1], mistaken, tol=NEAR, of=translate("The slope", "lesson04"), facts=told)


def models_of_slope(x: float, limit: float, factor: float, got: np.ndarray) -> dict[str, object]:
    """What the misconceptions about the slope would give here."""
    if got.shape != ():
        return {}
    counted = [
        one for one in misconceptions.derivatives_through_step_count(x, limit, factor) if values_close(got, one, NEAR)
    ]
    step = misconceptions.difference_across_jump(x, limit, factor, float(got))
    return {
        "differentiates-the-trip-count": counted[0] if counted else None,
        "steps-over-the-jump": step,
        "one-turn-only": factor,
        "takes-the-sign-of-x": float(np.sign(x)) * misconceptions.loop_with_derivative(x, limit, factor)[1],
        "gives-the-value": misconceptions.loop_with_derivative(x, limit, factor)[0],
    }


QUESTION = Question(
    id="loop-1",
    points=2,
    title="The slope of a loop",
    text="""The loop `while abs(x) < limit: x = x * factor` computes a result y from a start x. Write `loop(x, limit, factor)`: it returns y and the exact slope dy/dx at the
start, in plain Python or with a tape. In the check, factor is 2 or 4, and x is any number but 0. It may be negative, beyond the limit, or a point where the number of turns changes; there the slope
is that of the turns which the loop takes.""",
    writes=("loop",),
    starter='''def loop(x, limit, factor):
    """Multiply x by factor while abs(x) < limit: return (y, dy/dx)."""
    ...
''',
    check=check,
    messages={
        "stops-one-too-late": "From x = {x} your loop takes one turn too many. {x} times a power of {f} is exactly {limit}, and `<` stops there.",
        "stops-one-too-early": "From x = {x} your loop takes one turn too few. It runs as long as the value before the turn is below {limit}.",
        "steps-over-the-jump": "At x = {x} your slope is {d}, as from a finite difference whose two runs take different numbers of turns. Expected the slope of one side, {s}.",
        "differentiates-the-trip-count": "At x = {x} your slope is {d}; expected {s}. The number of turns is constant near x, so its derivative is 0.",
        "adds-the-turns": "At x = {x} your slope is {d}, the number of turns times {f}; expected {s}. Each turn multiplies the slope by {f}.",
        "zero-without-a-turn": "At x = {x} your slope is {d}; expected {s}. The loop takes no turn there, so y = x.",
        "turns-not-whole": "From x = {x} your loop ends at the limit {limit} itself. The number of turns is whole, and the last turn may lead beyond the limit.",
        "forgets-abs": "From the negative x = {x} your loop does not end properly. Compare abs(x), and not x, with the limit {limit}.",
        "gives-the-value": "You returned the value y as the slope. How much does y change when x changes a little?",
        "one-turn-only": "At x = {x} your slope is {d}, the slope of one turn. Every turn of the loop multiplies the slope.",
        "takes-the-sign-of-x": "At x = {x} your slope is {d}; expected {s}. abs() appears only in the condition, so the sign of x does not enter the slope.",
    },
    hints=(
        "Run the loop by hand for one x, and write down each turn.",
        "What does one turn do to a small change of x? How often does this happen?",
        "The slope is fⁿ for n turns: begin with `slope = 1.0`, and multiply it by `factor` in each turn.",
    ),
    example=lambda rng: {
        "x": float(rng.integers(2, 25)) / 8,
        "limit": 16.0 * float(rng.integers(3, 12)),
        "factor": 2.0,
    },
)
