"""floor-4: A spike of constant area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

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
        a.case(height, h, {"height-is-s": s}, of=f"The height at s = {format_value(s)}")
        a.case(width, w, {"width-is-1/s": 1 / s}, of=f"The width at s = {format_value(s)}")
        areas = {"area-grows-with-s": h, "area-is-height-times-width": h * w, "area-vanishes": 1 / s}
        a.case(area, one, areas, of=f"The area at s = {format_value(s)}")
    for s in (3.0, 1e6):
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
    words = f"area({s:g}, {format_value(lo)}, {format_value(hi)}, 5) is {format_value(value)}, expected {format_value(want)}."
    a.fail(names, words, h=(hi - lo) / 1000, w=3.5255e-6)


QUESTION = Question(
    id="floor-4",
    points=2,
    title="A spike of constant area",
    text="""Look at the slope of one step, s·σ(1−σ). `spike(s)` gives its height, its width at half height, and its area.
`area(s, a, b, K)` gives the area under the slope of `soft_floor(x, s, K)` from a to b, to seven digits, for s = 3 as for s = 1,000,000.""",
    writes=("spike", "area"),
    starter='''def spike(s):
    """(height, width at half height, area) of the slope of one step."""
    ...


def area(s, a, b, K):
    """The area under the slope of soft_floor(x, s, K) from a to b."""
    ...
''',
    check=check,
    messages={
        "area-grows-with-s": "The slope's area is how far the value climbs. How far does one step climb?",
        "area-vanishes": "The slope's area is how far the value climbs. How far does one step climb?",
        "area-is-height-times-width": "0.8814 is a box as high as the spike; the spike has shoulders. Its area is how far the value climbs. How far does one step climb?",
        "height-is-s": "σ(1−σ) is ¼ at its top.",
        "width-is-1/s": "Solve σ(1−σ) = ⅛: the width is 3.5255/s.",
        "quadrature-misses-the-spike": "A grid (of, say, {h} a step) over a spike {w} wide at s = 1,000,000. The area needs no grid: you know what the slope is the slope of.",
    },
    hints=(
        "∫ f' = f(b) − f(a).",
        "The height is the value at z = 0.",
        "`soft_floor(b) - soft_floor(a)`; the width is 4·atanh(√½)/s.",
    ),
    example=lambda rng: {
        "s": float(rng.integers(2, 50)),
        "a": float(rng.uniform(0.2, 2.4).__round__(2)),
        "b": float(rng.uniform(2.6, 5.8).__round__(2)),
        "K": 5,
    },
)
