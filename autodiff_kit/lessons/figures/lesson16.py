"""Lesson 16: three ways to keep a weight below a bound; one stops on it, one beyond it, one approaches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit import maximum
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn import softplus
from autodiff_kit.optim import SGD

from .animated_svg import AnimatedFigure

_STEPS = 28
_BEGIN, _PER_STEP = 0.6, 0.27  # seconds


def _positions(z: Variable, weight: Callable[[Any], Any], penalty: Callable[[Any], Any]) -> list[float]:
    """Where the weight is during descent on ½(w - 2)² plus the penalty."""
    optimizer, positions = SGD(0.1), [float(weight(z).numpy())]
    for _ in range(_STEPS):
        with GradientTape() as tape:
            w = weight(z)
            loss = 0.5 * (w - 2.0) ** 2 + penalty(w)
        optimizer.apply_gradients([(tape.gradient(loss, z), z)])
        positions.append(float(weight(z).numpy()))
    return positions


def _ways() -> list[list[float]]:
    """A projection, a penalty of 9, and 1 - softplus(z), all from 0.3."""
    return [
        _positions(Variable(0.3, constraint=lambda w: min(w, 1.0)), lambda z: z + 0.0, lambda w: 0.0 * w),
        _positions(Variable(0.3), lambda z: z + 0.0, lambda w: 4.5 * maximum(w - 1.0, 0.0) ** 2),
        _positions(Variable(0.0138), lambda z: 1.0 - softplus(z), lambda w: 0.0 * w),
    ]


def draw() -> AnimatedFigure:
    """Draw a lane for each way, without their names, since the lesson asks for them."""
    figure = AnimatedFigure(
        "lesson16",
        "Three ways to add a bound: one weight stops on the line, one a little beyond it, one only approaches it.",
        "Three lanes with a weight each, which the loss pulls to the right. A vertical line marks the bound; the "
        "allowed side is shaded. The first weight stops on the line, the second a little beyond it, the third "
        "approaches the line slowly.",
        height=204,
        seconds=9.5,
    )
    left, top, width = 50, 26, 420
    plot = figure.plot((left, top), width, 156, (0.2, 1.25), (0, 1))
    bound, _ = plot.point(1.0, 0)
    figure.rect((left, top), bound - left, 156, "line").attributes["opacity"] = "0.2"
    figure.line((bound, top - 8), (bound, top + 156), "ink", 2.5)
    figure.text((bound - 8, 16), "allowed", "ink", 14, "end", bold=True)
    figure.text((left + width, top + 172), "weight", "muted", 13, "end")
    for lane, positions in enumerate(_ways()):
        height = (2.5 - lane) / 3
        ways = plot.points(positions, [height] * len(positions))
        figure.text((left - 14, ways[0][1] + 5), "ABC"[lane], "ink", 15, "end", bold=True)
        for step, place in enumerate(ways):
            figure.circle(place, 3, "muted", filled=False).appears(_BEGIN + (step + 0.5) * _PER_STEP, fade=0.1)
        figure.circle(ways[0], 9, "ink").follows(ways, _BEGIN, _BEGIN + _STEPS * _PER_STEP)
    return figure
