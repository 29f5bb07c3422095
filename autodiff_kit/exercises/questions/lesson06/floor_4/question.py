"""floor-4: A peak of constant area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for s in np.exp(rng.uniform(0, np.log(1e4), 4)).tolist():
        reply = yield Call("spike", (s,))
        if a.warned(reply):
            continue
        height, width, area = unpack_tuple(reply, "spike", ("height", "width", "area"))
        h, w, one = solution.spike(s)
        a.case(
            height,
            h,
            {"height-is-s": s, "height-without-s": 0.25, "height-is-half-of-s": s / 2},
            of=translate("The height at s = {s}", "lesson06").format(s=format_value(s)),
        )
        a.case(
            width,
            w,
            {
                "width-is-1/s": 1 / s,
                "half-the-width": w / 2,
                "width-without-s": w * s,
                "width-by-the-height": 4 / s,
                "width-of-the-step": 2 * np.log(3) / s,
            },
            of=translate("The width at s = {s}", "lesson06").format(s=format_value(s)),
        )
        areas = {"area-grows-with-s": h, "area-is-height-times-width": h * w, "area-vanishes": 1 / s}
        a.case(area, one, areas, of=translate("The area at s = {s}", "lesson06").format(s=format_value(s)))
    for s in (1.0, 3.0, 1e6):
        lo, hi = float(rng.uniform(0.2, 2.4)), float(rng.uniform(2.6, 5.8))
        reply = yield Call("area", (s, lo, hi, 5))
        if not a.warned(reply):
            measured(a, reply.value, (s, lo, hi))


def measured(a: AttemptEvaluation, value: object, where: tuple[float, float, float]) -> None:
    """Judge an area; a sum over any grid is near the truth for wide steps and near 0 for narrow ones."""
    s, lo, hi = where
    want, got = solution.area(s, lo, hi, 5), require_real_array(value, "area")
    if values_close(got, want, 1e-7):
        return
    estimate = got.shape == () and (abs(got - want) < 1e-2 if s < 10 else abs(got - want) > 0.05)
    names = {"quadrature-misses-the-spike"} if estimate else set()
    others = {"area-negative": -want, "width-of-the-window": hi - lo}
    if s < 10 or a.failed_cases:  # for narrow peaks both slopes are 0, as is a sum over a grid
        others["slopes-subtracted"] = float(shared.slope(np.array(hi), s) - shared.slope(np.array(lo), s))
    names |= {name for name, model in others.items() if values_close(got, model, 1e-7)}
    counted = float(np.floor(hi) - np.floor(lo))
    if values_close(got, counted, 1e-12):
        names = {"area-of-the-hard-floor"}
    words = translate("{call} is {got}, expected {wanted}.", "lesson06").format(
        call=f"area({s:g}, {format_value(lo)}, {format_value(hi)}, 5)",
        got=format_value(value),
        wanted=format_value(want),
    )
    a.fail(names, words, h=(hi - lo) / 1000, w=solution.spike(s)[1], s=s, n=counted, want=want)


QUESTION = Question(
    id="floor-4",
    points=2,
    title="A peak of constant area",
    text="""The derivative of one step σ(s·x) is the peak s·σ(1 − σ). `spike(s)` returns its height, its full width at half of that height,
and its area from −∞ to ∞. `area(s, a, b, K)` returns the area from a to b under the derivative of `soft_floor(x, s, K)`. Seven digits are
compared, for s = 3 as for s = 1,000,000.""",
    writes=("spike", "area"),
    without=("ak.relax.soft_floor",),
    starter='''def spike(s):
    """(height, full width at half height, area) of the derivative of one step."""
    ...


def area(s, a, b, K):
    """The area under the derivative of soft_floor(x, s, K) from a to b."""
    ...
''',
    check=check,
    messages={
        "area-grows-with-s": "Your area grows with s like the height. But the peak gets narrower, too. By how much does one step change the value?",
        "area-vanishes": "Your area shrinks with s like the width. But the peak gets higher, too. By how much does one step change the value?",
        "area-is-height-times-width": "Height times width, 0.8814, is the area of a rectangle, not of the peak. By how much does one step change the value?",
        "height-is-s": "Your height is s. What is σ(1 − σ) in the middle of the step?",
        "width-is-1/s": "Your width is 1/s. Solve for the two places where the peak has half of its height.",
        "height-without-s": "Your height is σ(1 − σ) in the middle. The chain rule for σ(s·x) gives one more factor.",
        "height-is-half-of-s": "Your height is s/2. In the middle σ is ½: what is σ(1 − σ) there?",
        "width-without-s": "Your width is that of s = 1. A larger s makes the peak narrower.",
        "width-by-the-height": "Your width is 4/s, one over the height. Only a rectangle of area 1 has that width; solve for the two places where the peak has half of its height.",
        "width-of-the-step": "That is the distance in which the step rises from ¼ to ¾. Half of the peak's height is where σ(1 − σ) is ⅛.",
        "area-negative": "Your area is negative: the lower end comes off the upper one.",
        "width-of-the-window": "Your area is b − a. The derivative is not 1 everywhere.",
        "slopes-subtracted": "You subtracted the derivative at a from that at b. Which function has this derivative?",
        "quadrature-misses-the-spike": "At s = {s} the peak is {w} wide, and a thousand grid points are {h} apart. Use the function whose derivative this is.",
        "area-of-the-hard-floor": "At s = {s} your area is {n}, the change of floor from a to b; {want} is expected. The derivative belongs to soft_floor, which is not floor at a finite s.",
        "half-the-width": "Your width is measured from the middle to one side. The full width has both sides.",
    },
    hints=(
        "Which function has this derivative? What does the fundamental theorem of calculus say of the area?",
        "The peak is highest where σ = ½. The width: at which σ is σ(1 − σ) half as large?",
        "`soft_floor(b) - soft_floor(a)`; the width is 4·atanh(√½)/s.",
    ),
    example=lambda rng: {
        "s": float(rng.integers(2, 50)),
        "a": float(rng.uniform(0.2, 2.4).__round__(2)),
        "b": float(rng.uniform(2.6, 5.8).__round__(2)),
        "K": 5,
    },
)
