"""inv-1: The inverse and its slope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

TOL = 1e-9
STARTS = (0.0, 1.0)  # where learners begin


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for way, least in ((1, 0.5), (-1, 0.5), (1, 2.2), (-1, 2.2)):  # both near and far, on both sides
        box = shared.IncreasingCubic.draw(rng)
        x = way * float(rng.uniform(least, 3.0))
        y = float(box(x))
        reply = yield Call("inverse", (*box.callbacks(), y))
        if a.warned(reply):
            continue
        found, slope = (require_real_array(part, "inverse") for part in unpack_tuple(reply, "inverse", ("x", "dx/dy")))
        if found.shape != () or slope.shape != ():
            words = translate(
                "{call} is to give back two numbers; the shapes are {first} and {second}.", "lesson21"
            ).format(call=format_call(a.last), first=found.shape, second=slope.shape)
            a.fail(set(), words)
        elif values_close(slope, x, TOL) and values_close(found, 1 / box.slope(x), TOL):
            a.fail({"swapped"}, translate("{call} gave (dx/dy, x).", "lesson21").format(call=format_call(a.last)))
        elif not values_close(found, x, TOL):
            consistent = values_close(slope, 1 / box.slope(found), TOL)
            words = translate("inverse gave x = {x:.6g} for y = {y:.6g}, and F(x) is {F:.6g}.", "lesson21").format(
                x=float(found), y=y, F=float(box(found))
            )
            a.fail({"stops-too-early"} if consistent else set(), words, e=float(box(found) - y))
        else:
            x = float(found)  # the slope belongs to the x that was found, within its tolerance
            a.case(
                slope,
                1 / box.slope(x),
                mistaken(box, x, y, float(slope)),
                tol=TOL,
                of=translate("The slope dx/dy", "lesson21"),
            )


def mistaken(box: shared.IncreasingCubic, x: float, y: float, slope: float) -> dict[str, Any]:
    """Slopes that learners give at the right x; the start that comes nearest stands for all."""

    def nearest(*models: float) -> float:
        return min(models, key=lambda one: abs(one - slope))

    return {
        "slope-at-y": 1 / box.slope(y),
        "slope-not-inverted": box.slope(x),
        "slope-at-y-not-inverted": box.slope(y),
        "slope-at-the-start": nearest(*(1 / box.slope(start) for start in STARTS)),
        "one-over-a-value": nearest(1 / box(y), 1 / y),
    }


QUESTION = Question(
    id="inv-1",
    points=3,
    title="The inverse and its slope",
    text="""`F` increases everywhere, and `dF` is its derivative; both take a number. Return the x with F(x) = y, with a relative error below 1e-9, and the derivative dx/dy of the inverse there.
Find x in any way you like. The derivative needs no differences and no gradient through the solver: it follows from F(x(y)) = y.""",
    writes=("inverse",),
    starter='''def inverse(F, dF, y):
    """The x with F(x) = y, and dx/dy there."""
    ...
''',
    check=check,
    messages={
        "slope-at-y": "F' was taken at y. It belongs to the solution x, because F takes an x.",
        "slope-not-inverted": "This is F' at x, the derivative of F. The derivative of the inverse is asked for.",
        "slope-at-y-not-inverted": "This is F' at y. F' belongs to the solution x, and the derivative of the inverse is asked for, not that of F.",
        "one-over-a-value": "The second number is 1 over a value of F. The derivative of the inverse needs the derivative F', taken at x.",
        "swapped": "The two numbers were returned in the other order. Return x first, then dx/dy.",
        "stops-too-early": "The solver stopped too early: F(x) − y is still {e}.",
        "slope-at-the-start": "F' was taken at the start of the solver. It belongs to the solution.",
    },
    hints=(
        "Solve first. Then take the derivative of both sides of F(x(y)) = y.",
        "The chain rule gives a product of two derivatives that equals 1. Where is each of them taken?",
        "Double a bracket (lo, hi) until F(lo) ≤ y ≤ F(hi), halve it 100 times, `return x, 1 / dF(x)`.",
    ),
    example=lambda rng: _example_1(shared.IncreasingCubic.example(rng)),
)


def _example_1(box: shared.IncreasingCubic) -> dict[str, object]:
    return {**box.functions(), "y": round(float(box(1.5)), 3)}
