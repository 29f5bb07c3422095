"""Lesson 04: the result of a loop that doubles x until it reaches 100, over x."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable

from .animated_svg import AnimatedFigure, Moment

_LEFT, _RIGHT, _LIMIT = 1.7, 8.3, 100.0
_FIRST, _LAST = 0.5, 8.5  # seconds between which x moves from left to right


def _loop(start: float) -> tuple[float, int]:
    """The result of the loop, and its number of turns, counted on a tape."""
    x = Variable(start)
    with GradientTape() as tape:
        y = x + 0.0
        while abs(y) < _LIMIT:
            y = y * 2.0
    return float(y.numpy()), sum(node.op == "multiply" for node in tape.nodes)


def _stretches() -> list[tuple[float, float]]:
    """Parts of the picture in which the number of turns stays the same."""
    jumps = sorted(_LIMIT / 2.0**n for n in range(10))
    ends = [_LEFT, *(x for x in jumps if _LEFT < x < _RIGHT), _RIGHT]
    return list(pairwise(ends))


def draw() -> AnimatedFigure:
    """Draw the curve, with a dot that moves along it."""
    figure = AnimatedFigure(
        "lesson04",
        "A loop doubles x until it reaches 100. Where the number of turns changes, its result jumps.",
        "Over x the result of the loop rises along a straight line from 100 to nearly 200, falls to 100 at once, and "
        "rises again. Each line has its own number of turns, and lines further to the right are less steep.",
        height=214,
        seconds=10,
    )
    plot = figure.plot((62, 34), 400, 152, (_LEFT, _RIGHT), (0.0, 210.0), "x")
    figure.text((56, 20), "result", "muted", 13, "end")
    for level in (_LIMIT, 2 * _LIMIT):
        _, y = plot.point(_LEFT, level)
        figure.text((56, y + 5), f"{level:g}", "muted", 13, "end")
        figure.line((62, y), (462, y), "line", 1, "2 4")
    track: list[tuple[float, float]] = []
    per_second = (_RIGHT - _LEFT) / (_LAST - _FIRST)
    for left, right in _stretches():
        xs = np.linspace(left, np.nextafter(right, left), 12)
        points = plot.points(xs.tolist(), [_loop(float(x))[0] for x in xs])
        begin, end = (_FIRST + (x - _LEFT) / per_second for x in (left, right))
        figure.path(points, "ink", 3).draws(begin, end)
        turns = f"{_loop(float(xs[5]))[1]} turns"
        figure.text((sum(x for x, _ in points) / len(points), 20), turns, "ink", 14, "middle", bold=True).appears(begin)
        if right < _RIGHT:
            figure.text((points[-1][0], 202), f"{right:g}", "muted", 13, "middle").appears(end)
            figure.line(points[-1], (points[-1][0], plot.point(right, _LIMIT)[1]), "line", 1.4, "4 4").appears(end)
        track += points
    times = [_FIRST + (x - track[0][0]) / (track[-1][0] - track[0][0]) * (_LAST - _FIRST) for x, _ in track]
    x0, y0 = track[0]
    moments = (Moment(time, x - x0, y - y0) for time, (x, y) in zip(times, track, strict=True))
    figure.circle(track[0], 7, "forward").moves(*moments, steady=True)
    return figure
