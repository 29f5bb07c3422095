"""Lesson 15: after one gradient, all later ones are zero, and the weight keeps moving."""

from __future__ import annotations

from autodiff_kit.core.variable import Variable
from autodiff_kit.optim import Adam

from .animated_svg import AnimatedFigure, Moment

_STEPS = 30


def _positions() -> list[float]:
    """Where Adam puts a weight that gets the gradient 1 once and then 0."""
    weight, adam = Variable(0.0), Adam(learning_rate=0.1)
    positions = [0.0]
    for step in range(_STEPS):
        adam.apply_gradients([(1.0 if step == 0 else 0.0, weight)])
        positions.append(float(weight.numpy()))
    return positions


def draw() -> AnimatedFigure:
    """Draw the weight above the gradients that it gets."""
    figure = AnimatedFigure(
        "lesson15",
        "Only the first gradient is not zero, and the weight moves at every step.",
        "A row of gradients, one per step: 1, then only zeros. Below it the weight moves away from 0 at the first "
        "step, and goes on moving while the gradient is zero.",
        height=190,
        seconds=9,
    )
    steps = range(_STEPS + 1)
    plot = figure.plot((84, 46), 380, 120, (0, _STEPS), (min(_positions()), 0.0), "step")
    figure.text((76, 30), "gradient", "reverse", 14, "end", bold=True)
    figure.text((76, 110), "weight", "ink", 14, "end", bold=True)
    for step in steps[1:]:
        x, _ = plot.point(step, 0)
        if step == 1:
            figure.rect((x - 5, 8), 10, 24, "reverse", "hatched")
        else:
            figure.line((x - 3, 32), (x + 3, 32), "reverse", 2)
    way = plot.points(list(steps), _positions())
    figure.path(way, "ink", 2.5).draws(1, 7)
    figure.circle(way[0], 7, "ink").follows(way, 1, 7)
    (x0, _), (x1, _) = way[0], way[-1]
    figure.line((x0, 4), (x0, 166), "line", 1.2, "3 3").moves(Moment(1), Moment(7, x=x1 - x0), steady=True)
    return figure
