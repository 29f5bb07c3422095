"""Lesson 24: two descents into one bowl, by the exact gradient and by estimates along random directions."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable

from .animated_svg import AnimatedFigure, Plot

_START, _STEPS = (-4.0, 1.7), 36
Path = list[tuple[float, float]]


def _bowl(x0: object, x1: object) -> object:
    return (x0 * x0 + 3 * x1 * x1) / 2  # type: ignore[operator]


def _exact() -> Path:
    """Steps along the tape's gradient."""
    point, path = np.array(_START), [_START]
    for _ in range(_STEPS):
        x = [Variable(value) for value in point]
        with GradientTape() as tape:
            y = _bowl(*x)
        point = point - 0.1 * np.array([float(part) for part in tape.gradient(y, x)])
        path.append((float(point[0]), float(point[1])))
    return path


def _by_values() -> Path:
    """Steps along random signs, as long as two values of the bowl say."""
    point, path, rng, h = np.array(_START), [_START], np.random.default_rng(5), 1e-3
    for _ in range(_STEPS):
        e = rng.choice([-1.0, 1.0], size=2)
        climb = (_bowl(*(point + h * e)) - _bowl(*(point - h * e))) / (2 * h)  # type: ignore[operator]
        point = point - 0.1 * climb * e
        path.append((float(point[0]), float(point[1])))
    return path


def draw() -> AnimatedFigure:
    """Draw level lines, then both paths at the same pace."""
    figure = AnimatedFigure(
        "lesson24",
        "Steps along random directions, found from values alone, zigzag and still go down to the minimum.",
        "Level lines of a bowl around its minimum. One path, along the exact gradient, is a smooth curve to the "
        "minimum. The other starts at the same point and zigzags along diagonals, and arrives near the minimum too.",
        height=236,
        seconds=9,
    )
    plot = Plot(16, 10, 448, 216, (-5.0, 5.0), (-2.41, 2.41))
    for level in (0.4, 1.8, 4.2, 7.6):
        angles = [2 * pi * k / 60 for k in range(61)]
        xs = [sqrt(2 * level) * cos(angle) for angle in angles]
        ys = [sqrt(2 * level / 3) * sin(angle) for angle in angles]
        figure.path(plot.points(xs, ys), "line", 1)
    figure.circle(plot.point(0, 0), 4, "ink")
    for path, role, width, name, place in (
        (_exact(), "reverse", 3, "exact gradient", (368, 22)),
        (_by_values(), "forward", 2.5, "from values", (368, 44)),
    ):
        points = plot.points([x for x, _ in path], [y for _, y in path])
        figure.path(points, role, width).draws(0.3, 7.5)  # type: ignore[arg-type]
        figure.circle(points[0], 7, role).follows(points, 0.3, 7.5)  # type: ignore[arg-type]
        figure.text(place, name, role, 15, bold=True)  # type: ignore[arg-type]
    return figure
