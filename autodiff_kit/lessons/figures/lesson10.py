"""Lesson 10: a number is multiplied by itself; one of the two paths has a stop_gradient."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.ops.selection import stop_gradient

from .animated_svg import AnimatedFigure, Moment, Part

_NUMBER = 3.0
_LEFT, _RIGHT, _MIDDLE = (88, 82), (392, 82), 240
_UPPER, _LOWER = 26, 138


def _product() -> tuple[float, float]:
    """The value of x · stop_gradient(x), and its gradient with respect to x."""
    x = Variable(_NUMBER)
    with GradientTape() as tape:
        y = x * stop_gradient(x)
    return float(y.numpy()), float(tape.gradient(y, x).numpy())


def draw() -> AnimatedFigure:
    """Draw both paths; the value goes along both, the gradient comes back along one."""
    value, gradient = _product()
    figure = AnimatedFigure(
        "lesson10",
        "The value passes stop_gradient. The gradient that comes back along this path ends there.",
        f"x = {_NUMBER:g} goes along two paths into a product, {value:g}. The lower path has a stop_gradient. Then "
        f"gradients come back: that of the upper path reaches x, that of the lower path ends at the stop. The gradient "
        f"of x is {gradient:g}.",
        height=172,
        seconds=9,
    )
    upper = [_LEFT, (150, _UPPER), (330, _UPPER), _RIGHT]
    lower = [_LEFT, (150, _LOWER), (330, _LOWER), _RIGHT]
    for path in (upper, lower):
        figure.path(path, "line", 2)
    figure.rect((_MIDDLE - 62, _LOWER - 18), 124, 36, "ink", "paper")
    figure.text((_MIDDLE, _LOWER + 5), "stop_gradient", "ink", 14, "middle")
    moving = [figure.circle(_LEFT, 7, "forward") for _ in (upper, lower)]
    for dot, path in zip(moving, (upper, lower), strict=True):
        dot.follows(path, 0.6, 2.8)
    back = [figure.rect((_RIGHT[0] - 9, _RIGHT[1] - 9), 18, 18, "reverse", "hatched") for _ in (upper, lower)]
    _comes_back(back[0], upper[::-1], 4.0, 6.6)
    _comes_back(back[1], [_RIGHT, (330, _LOWER), (_MIDDLE + 76, _LOWER)], 4.0, 5.6)
    figure.line((_MIDDLE + 62, _LOWER - 18), (_MIDDLE + 62, _LOWER + 18), "reverse", 5).appears(5.4)
    _node(figure, _LEFT, "x", 46)
    _node(figure, _RIGHT, "x · x", 46)
    figure.text((_LEFT[0], 136), f"value {_NUMBER:g}", "forward", 14, "middle", bold=True)
    figure.text((_RIGHT[0], 136), f"value {value:g}", "forward", 14, "middle", bold=True).appears(3.0)
    figure.text((_LEFT[0], 158), f"gradient {gradient:g}", "reverse", 14, "middle", bold=True).appears(6.8)
    return figure


def _node(figure: AnimatedFigure, center: tuple[float, float], name: str, size: float) -> None:
    figure.rect((center[0] - size, center[1] - 20), 2 * size, 40, "ink", "paper")
    figure.text((center[0], center[1] + 6), name, "ink", 16, "middle", bold=True)


def _comes_back(part: Part, path: Sequence[tuple[float, float]], start: float, end: float) -> None:
    """A gradient on its way, which stays where its path ends."""
    x0, y0 = path[0]
    times = [start + (end - start) * index / (len(path) - 1) for index in range(len(path))]
    moments = [Moment(time, x - x0, y - y0) for time, (x, y) in zip(times, path, strict=True)]
    part.moves(Moment(start - 0.3, opacity=0.0), *moments, steady=True)
