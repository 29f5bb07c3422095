"""Lesson 23: with gradients that agree and with random ones, Adam's steps differ in length."""

from __future__ import annotations

import numpy as np

from autodiff_kit.core.variable import Variable
from autodiff_kit.optim import Adam

from .animated_svg import AnimatedFigure

_STEPS = 14
_BEGIN, _PER_STEP = 0.6, 0.48  # seconds
_SIZE = 22  # drawing units for a gradient of 1
_TRACK, _LENGTH = 196, 270


def _sequences() -> dict[str, list[float]]:
    """Gradients of about the same size, with one sign and with both."""
    return {"all 1": [1.0] * _STEPS, "random": np.random.default_rng(37).normal(size=_STEPS).tolist()}


def _positions(gradients: list[float]) -> list[float]:
    """Where Adam puts a weight that gets these gradients; a learning rate of 1 is one unit, and down is positive."""
    weight, adam = Variable(0.0), Adam(learning_rate=1.0)
    positions = [0.0]
    for g in gradients:
        adam.apply_gradients([(g, weight)])
        positions.append(-float(weight.numpy()))
    return positions


def draw() -> AnimatedFigure:
    """Draw a lane for each sequence: its gradients one by one, and a dot where the weight stands after each step."""
    figure = AnimatedFigure(
        "lesson23",
        "The learning rate is the same. Adam's steps are long if the gradients agree, and short if they do not.",
        "Two lanes. In the upper one all gradients are 1, and a weight moves to the right by the same long step each "
        "time. In the lower one the gradients are random, and the weight makes short steps in both directions.",
        height=212,
        seconds=8.5,
    )
    figure.text((6, 15), "gradients", "reverse", 14, bold=True)
    figure.text((_TRACK, 15), "the weight after each step", "ink", 14, bold=True)
    for lane, (words, gradients) in enumerate(_sequences().items()):
        middle = 82 + 80 * lane
        figure.text((6, middle - 34), words, "reverse", 14)
        figure.line((6, middle), (160, middle), "line", 1.2)
        figure.line((_TRACK, middle), (_TRACK + _LENGTH, middle), "line", 1.2)
        for step, g in enumerate(gradients):
            size = min(abs(g), 1.6) * _SIZE
            top = middle - size if g > 0 else middle
            figure.rect((7 + 11 * step, top), 8, size, "reverse", "hatched").appears(
                _BEGIN + step * _PER_STEP, fade=0.1
            )
        positions = _positions(gradients)
        low = min(0.0, *positions)
        ways = [(_TRACK + 8 + (position - low) * (_LENGTH - 16) / _STEPS, middle) for position in positions]
        for step, place in enumerate(ways):
            figure.circle(place, 3.6, "ink", filled=False).appears(_BEGIN + step * _PER_STEP, fade=0.1)
        figure.circle(ways[0], 8, "ink").follows(ways, _BEGIN, _BEGIN + _STEPS * _PER_STEP)
    return figure
