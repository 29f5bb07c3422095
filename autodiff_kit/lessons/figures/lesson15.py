"""Lesson 15: after one gradient, all later ones are zero, and the weight keeps moving."""

from __future__ import annotations

from autodiff_kit.core.variable import Variable
from autodiff_kit.optim import Adam

from .animated_svg import AnimatedFigure, Moment

_STEPS = 12
_BEGIN, _PER_STEP = 0.8, 0.5  # seconds


def _positions() -> list[float]:
    """Where Adam puts a weight that gets the gradient 1 once and then 0."""
    weight, adam = Variable(0.0), Adam(learning_rate=0.1)
    positions = [0.0]
    for step in range(_STEPS):
        adam.apply_gradients([(1.0 if step == 0 else 0.0, weight)])
        positions.append(float(weight.numpy()))
    return positions


def draw() -> AnimatedFigure:
    """Draw the weight below the gradients that it gets, one step at a time."""
    figure = AnimatedFigure(
        "lesson15",
        "Only the first gradient is not 0, and Adam moves the weight at every step.",
        "A row of gradients, one per step: 1, then eleven zeros. Below it a weight moves down at the first step. "
        "It goes on moving at each step whose gradient is 0, away from the line on which it would stay.",
        height=214,
        seconds=8.5,
    )
    positions = _positions()
    plot = figure.plot((84, 58), 376, 136, (0, _STEPS), (1.15 * min(positions), 0.0), "step")
    figure.text((74, 32), "gradient", "reverse", 14, "end", bold=True)
    figure.text((74, 66), "weight", "ink", 14, "end", bold=True)
    ways = plot.points(range(_STEPS + 1), positions)
    for step, (x, y) in enumerate(ways[1:], start=1):
        at = _BEGIN + (step - 1) * _PER_STEP
        if step == 1:
            figure.rect((x - 11, 14), 22, 26, "reverse", "hatched")
            figure.rect((x - 7, 18), 14, 18, "paper")
        figure.text((x, 32), "1" if step == 1 else "0", "reverse", 16, "middle", bold=step == 1)
        figure.circle((x, y), 4.5, "ink", filled=step == 1).appears(at + _PER_STEP, fade=0.1)
    _, still = ways[1]
    figure.line((ways[1][0] + 8, still), (plot.left + plot.width, still), "line", 1.6, "5 4")
    figure.text((plot.left + plot.width, still - 7), "if 0 meant: no step", "muted", 13, "end")
    figure.circle(ways[0], 4.5, "ink")
    figure.circle(ways[0], 8, "ink").follows(ways, _BEGIN, _BEGIN + _STEPS * _PER_STEP)
    window = figure.rect((ways[1][0] - 15, 10), 30, 34, "ink", "none")
    window.moves(*(Moment(_BEGIN + k * _PER_STEP, x=x - ways[1][0]) for k, (x, _) in enumerate(ways) if k), steady=True)
    return figure
