"""Lesson 17: one of three gradients grows, and their mean turns towards it."""

from __future__ import annotations

import numpy as np

from autodiff_kit.core.variable import Variable
from autodiff_kit.transforms.per_example import per_example_gradients

from .animated_svg import AnimatedFigure

# The gradient of (x·w - 1)² at w = 0 is -2x.
_EXAMPLES = np.array([[0.35, -0.5], [0.6, -0.1], [-1.5, -0.5]])
_FACTORS = np.linspace(0.15, 1.65, 40)
_ORIGIN, _UNIT = (150.0, 128.0), 62.0
_START, _END = 1.0, 6.0


def _gradients(factor: float) -> np.ndarray:
    """The gradients of the three losses, the third multiplied by a factor."""
    w = Variable([0.0, 0.0])
    found: np.ndarray = per_example_gradients(
        lambda x: (x @ w - 1.0) ** 2, w, _EXAMPLES, weights=[1.0, 1.0, factor]
    ).numpy()
    return found


def _place(vector: np.ndarray) -> tuple[float, float]:
    return _ORIGIN[0] + _UNIT * float(vector[0]), _ORIGIN[1] - _UNIT * float(vector[1])


def draw() -> AnimatedFigure:
    """Draw two fixed arrows, one that grows, and the mean of the three."""
    figure = AnimatedFigure(
        "lesson17",
        "Two gradients stay as they are. One grows, and the mean of the three turns towards it.",
        "Three thin arrows start at one point: the gradients of three examples. Two of them point to the left. The "
        "third points to the right and grows. A thick arrow, their mean, first points to the left and ends pointing to "
        "the right.",
        height=188,
        seconds=7.5,
    )
    times = np.linspace(_START, _END, len(_FACTORS))
    for index, gradient in enumerate(_gradients(1.0)[:2]):
        figure.arrow(_ORIGIN, _place(gradient), "reverse", 2)
        x, y = _place(gradient)
        figure.text((x - 6, y - 4 + 8 * index), "ab"[index], "reverse", 15, "end", bold=True)
    for index, factor in enumerate(_FACTORS):
        since = float(times[index]) if index else 0.0
        until = float(times[index + 1]) if index + 1 < len(times) else None
        gradients = _gradients(float(factor))
        figure.arrow(_ORIGIN, _place(gradients[2]), "reverse", 2).appears(since, until, fade=0.01)
        figure.arrow(_ORIGIN, _place(gradients.mean(axis=0)), "ink", 3.5).appears(since, until, fade=0.01)
    figure.circle(_ORIGIN, 4, "ink")
    x, y = _place(_gradients(float(_FACTORS[-1]))[2])
    figure.text((x + 8, y - 8), "c", "reverse", 15, "middle", bold=True).appears(_END)
    figure.text((470, 158), "a, b, c: gradients of three examples", "reverse", 14, "end", bold=True)
    figure.text((470, 178), "thick: their mean", "ink", 14, "end", bold=True)
    return figure
