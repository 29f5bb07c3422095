"""Lesson 14: a weight with momentum in a valley; it still makes long steps where the gradient is near 0."""

from __future__ import annotations

from itertools import pairwise

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.optim import SGD

from .animated_svg import AnimatedFigure, Moment, Part

_STEPS = 16  # so many that the last one begins at the bottom again
_BEGIN, _PER_STEP = 0.6, 0.5  # seconds
_BAR = 130  # drawing units for the longest bar


def _descent() -> tuple[list[float], list[float]]:
    """Positions and gradients of a weight on w²/2, from -1."""
    weight, optimizer = Variable(-1.0), SGD(0.1, momentum=0.9)
    positions, gradients = [-1.0], []
    for _ in range(_STEPS):
        with GradientTape() as tape:
            loss = 0.5 * weight**2
        gradient = tape.gradient(loss, weight)
        optimizer.apply_gradients([(gradient, weight)])
        gradients.append(float(gradient.numpy()))
        positions.append(float(weight.numpy()))
    return positions, gradients


def _swings(bar: Part, sizes: list[float]) -> None:
    """Let a bar show these sizes one by one, as parts of the largest; negative ones to the left."""
    largest = max(map(abs, sizes))
    times = [_BEGIN + _PER_STEP * k for k in range(len(sizes))]
    bar.turns_around("left").moves(*(Moment(t, scale_x=s / largest) for t, s in zip(times, sizes, strict=True)))


def draw() -> AnimatedFigure:
    """Draw the valley with the weight in it, and above it the downhill direction and the step as bars."""
    figure = AnimatedFigure(
        "lesson14",
        "At the bottom the gradient is 0, but the step is not: the weight goes on, up the other side.",
        "A valley with a weight as a ball. It starts on the left and swings through the bottom to the right and back. "
        "One bar shows minus the gradient, one the step. When the first is near 0, the second is still long.",
        height=236,
        seconds=9.5,
    )
    positions, gradients = _descent()
    plot = figure.plot((110, 74), 360, 150, (-1.15, 1.15), (-0.05, 0.66))
    middle, _ = plot.point(0, 0)
    figure.line((middle, 8), (middle, plot.top + plot.height), "line", 1.2, "3 4")
    figure.text((100, 26), "−gradient", "reverse", 14, "end", bold=True)
    figure.text((100, 54), "step", "ink", 14, "end", bold=True)
    _swings(figure.rect((middle, 12), _BAR, 18, "reverse", "hatched"), [-g for g in gradients])
    _swings(figure.rect((middle, 40), _BAR, 18, "ink"), [b - a for a, b in pairwise(positions)])
    figure.curve(plot, lambda w: 0.5 * w**2, "line")
    ways = [(x, y - 9) for x, y in plot.points(positions, [0.5 * w**2 for w in positions])]
    ways = ways[:-1]
    for k, place in enumerate(ways):
        figure.circle(place, 3, "line", filled=False).appears(_BEGIN + (k + 0.5) * _PER_STEP)
    figure.circle(ways[0], 9, "ink").follows(ways, _BEGIN, _BEGIN + (len(ways) - 1) * _PER_STEP)
    figure.text((100, 214), "loss", "muted", 13, "end")
    return figure
