"""loop-1: The slope of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

EXACT, NEAR = 1e-13, 1e-6  # a difference is near the slope, except where it leads over a jump


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    factor, limit = float(rng.choice([2, 4])), 16.0 * float(rng.integers(3, 12))
    for x in (
        float(rng.uniform(0.5, 3)),
        limit / factor**3,
        limit / factor**4,
        float(np.nextafter(limit / factor**3, 0.0)),
        limit * 1.5,
        -float(rng.uniform(0.5, 3)),
        -limit / factor**2,
    ):
        reply = yield Call("loop", (x, limit, factor))
        if a.warned(reply):
            continue
        value, slope = (
            require_real_array(part, f"loop, as the {name},")
            for part, name in zip(unpack_tuple(reply, "loop", ("value", "slope")), ("value", "slope"), strict=True)
        )
        right, late = (
            misconceptions.loop_with_derivative(x, limit, factor),
            misconceptions.loop_with_derivative(x, limit, factor, too_late=True),
        )
        facts = {"x": format_value(x), "f": format_value(factor), "limit": format_value(limit)}
        if a.case(value, right[0], {"stops-one-too-late": late[0]}, tol=EXACT, of="The value", facts=facts):
            mistaken = models_of_slope(x, limit, factor, slope)
            told = facts | {"d": format_value(float(slope)) if slope.shape == () else "", "s": format_value(right[1])}
            a.case(slope, right[1], mistaken, tol=NEAR, of="The slope", facts=told)


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
        "gives-the-value": misconceptions.loop_with_derivative(x, limit, factor)[0],
    }


QUESTION = Question(
    id="loop-1",
    points=2,
    title="The slope of a loop",
    text="""The loop `while abs(x) < limit: x = x * factor` makes one number of another. Give what comes out, and its exact slope with respect to
the `x` that went in. Here factor is 2 or 4, and x is any number but 0: it may be negative, beyond the limit, or just where the loop takes one turn more or less. By hand or with a tape, as you like.""",
    writes=("loop",),
    starter='''def loop(x, limit, factor):
    """Multiply x by factor while abs(x) < limit: give back (value, slope)."""
    ...
''',
    check=check,
    messages={
        "stops-one-too-late": "abs({x}) times a power of {f} is {limit} exactly: there < stops, and your loop takes one more turn.",
        "steps-over-the-jump": "Your difference gives {d}: it leads over a jump, and the slope at {x} is that of one side.",
        "differentiates-the-trip-count": "The number of turns is a whole number, constant near x: it passes no gradient.",
        "gives-the-value": "That is what comes out. How far does it move, when x moves?",
    },
    hints=(
        "Run it by hand for one x, and write down each turn.",
        "What comes out is x·fⁿ, with n the number of turns.",
        "The slope is fⁿ: begin with `slope = 1.0`, and multiply it by `factor` in each turn.",
    ),
    example=lambda rng: {
        "x": float(rng.integers(2, 25)) / 8,
        "limit": 16.0 * float(rng.integers(3, 12)),
        "factor": 2.0,
    },
)
