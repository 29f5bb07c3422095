"""Lesson 21: a network learns the inverse of a box between two bounds; outside it goes its own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.ops import matmul, mean, tanh
from autodiff_kit.optim import Adam

from .animated_svg import AnimatedFigure, Moment

_SEEN, _END = 1.0, 2.0  # the x that are seen, and those that are drawn
_SNAPSHOTS = (0, 20, 60, 400)


def _box(x: Any) -> Any:
    return x**3 + x


def _learned(ys: np.ndarray) -> list[np.ndarray]:
    """What a small network says at some y, after several numbers of training steps on pairs."""
    x = np.linspace(-_SEEN, _SEEN, 21)
    rng = np.random.default_rng(3)
    first, bias = Variable(rng.normal(size=(1, 8))), Variable(rng.normal(size=8))
    second, adam = Variable(0.3 * rng.normal(size=(8, 1))), Adam(learning_rate=0.03)
    weights = [first, bias, second]

    def model(y: Any) -> Any:
        return matmul(tanh(matmul(y[:, None], first) + bias), second)[:, 0]

    found = []
    for step in range(_SNAPSHOTS[-1] + 1):
        if step in _SNAPSHOTS:
            found.append(np.asarray(model(ys)))
        with GradientTape() as tape:
            loss = mean((model(_box(x)) - x) ** 2)
        adam.apply_gradients(list(zip(tape.gradient(loss, weights), weights, strict=True)))
    return found


def draw() -> AnimatedFigure:
    """Draw the inverse, the pairs, and the model at several moments of its training."""
    figure = AnimatedFigure(
        "lesson21",
        "A model learns the inverse from pairs. Where it saw none, its answers cannot be trusted.",
        "A grey curve is the right x over y. Dots on its middle part are the pairs. A blue curve, the model, moves "
        "onto the dots during training. To the left and right of the dots it stays away from the grey curve.",
        height=236,
        seconds=9,
    )
    ys = np.linspace(_box(np.array(-_END)), _box(np.array(_END)), 61)
    plot = figure.plot((40, 16), 420, 186, (float(ys[0]), float(ys[-1])), (-2.1, 2.1), "y", "x")
    x = np.linspace(-_END, _END, 41)
    figure.path(plot.points(list(_box(x)), list(x)), "line", 3)
    figure.text((452, 46), "right", "muted", 14, "end")
    pairs = np.linspace(-_SEEN, _SEEN, 9)
    for place in plot.points(list(_box(pairs)), list(pairs)):
        figure.circle(place, 4.5, "ink", filled=False)
    figure.text((plot.point(float(_box(np.array(_SEEN))), 0)[0] + 12, 130), "pairs", "ink", 14)
    shown = _learned(ys)
    for index, values in enumerate(shown):
        curve = figure.path(plot.points(list(ys), list(values)), "forward", 3)
        start = 0.4 + 1.7 * index
        if index == len(shown) - 1:
            curve.appears(start)
        elif index:
            curve.appears(start, start + 1.9)
        else:
            curve.moves(Moment(1.9), Moment(2.2, opacity=0))
    figure.text((452, 90), "model", "forward", 14, "end", bold=True)
    return figure
