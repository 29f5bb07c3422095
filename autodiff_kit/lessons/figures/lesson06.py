"""Lesson 06: a sum of sigmoids gets sharper, and its tangent at x = 0.3 becomes flat."""

from __future__ import annotations

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn.relax import soft_floor

from .animated_svg import AnimatedFigure, Moment, Plot

_START = 0.3
_SHARPNESS = (1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 15.0)
_FIRST, _EACH = 0.8, 0.75
_REACH = 0.24


def _height(x: float, sharpness: float) -> float:
    return float(soft_floor(x, 1.0 / sharpness, steps=(1, 5)))


def _slope(sharpness: float) -> float:
    """The derivative at the start, from a tape."""
    x = Variable(_START)
    with GradientTape() as tape:
        y = soft_floor(x, 1.0 / sharpness, steps=(1, 5))
    return float(tape.gradient(y, x).numpy())


def draw() -> AnimatedFigure:
    """Draw floor, and for each sharpness the curve and its tangent at the start."""
    figure = AnimatedFigure(
        "lesson06",
        "The sharper the approximation, the closer it is to floor, and the smaller its derivative at x = 0.3.",
        "The jump of floor from 0 to 1, and a smooth curve that approximates it. While the curve becomes sharper, its "
        "tangent at x = 0.3 turns until it is nearly horizontal.",
        height=232,
        seconds=9,
    )
    plot = figure.plot((30, 14), 300, 186, (0, 1.85), (-0.15, 1.6), "x")
    for level in (0, 1):
        figure.path(plot.points([level, min(level + 1, 1.85)], [level, level]), "line", 5)
    figure.text(plot.point(1.5, 0.82), "floor", "muted", 13)
    for tick in (_START, 1.0):
        place, base = plot.point(tick, -0.15)
        figure.line((place, base), (place, base + 4), "line", 1.2)
        figure.text((place, base + 18), f"{tick:g}", "muted", 13, "middle")
    figure.text((350, 48), "sharpness", "forward", 14, bold=True)
    figure.text((350, 124), "derivative at 0.3", "reverse", 14, bold=True)
    for index, sharpness in enumerate(_SHARPNESS):
        _stage(figure, plot, index, sharpness)
    return figure


def _stage(figure: AnimatedFigure, plot: Plot, index: int, sharpness: float) -> None:
    """Show the curve, its tangent and both numbers for one sharpness, until the next one comes."""
    start = _FIRST + _EACH * (index - 1)
    last = index == len(_SHARPNESS) - 1
    height, slope = _height(_START, sharpness), _slope(sharpness)
    ends = [_START - _REACH, _START + _REACH]
    shown = [
        figure.curve(plot, lambda x: _height(x, sharpness), "forward", 60),
        figure.path(plot.points(ends, [height + slope * (x - _START) for x in ends]), "reverse", 5),
        figure.circle(plot.point(_START, height), 6, "ink"),
        figure.text((350, 76), f"{sharpness:g}", "forward", 24),
        figure.text((350, 152), f"{slope:.4f}", "reverse", 24),
    ]
    until = start + _EACH
    for part in shown:
        if index == 0:
            part.moves(Moment(until - 0.1), Moment(until, opacity=0.0))
        else:
            part.appears(start, None if last else until, fade=0.1)
