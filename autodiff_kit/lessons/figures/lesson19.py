"""Lesson 19: a curve after each Gauss-Newton step, beside the curve after as many steps of gradient descent."""

from __future__ import annotations

import numpy as np

from autodiff_kit.ops import exp
from autodiff_kit.transforms import jacobian

from .animated_svg import AnimatedFigure

_STEPS, _PAUSE, _RATE = 3, 1.9, 0.03
_T = np.linspace(0, 2, 20)
_Y = 2 * np.exp(-_T)


def _residuals(p: object) -> object:
    return p[0] * exp(p[1] * _T) - _Y  # type: ignore[index]


def _parameters() -> list[tuple[np.ndarray, np.ndarray]]:
    """Parameters after each step: of Levenberg-Marquardt with a small damping, and of gradient descent."""
    fit = descent = np.array([1.0, 0.0])
    found = [(fit, descent)]
    for _ in range(_STEPS):
        J, r = np.asarray(jacobian(_residuals)(fit)), np.asarray(_residuals(fit))
        A = J.T @ J
        fit = fit + np.linalg.solve(A + 1e-3 * np.diag(np.diag(A)), -J.T @ r)
        J, r = np.asarray(jacobian(_residuals)(descent)), np.asarray(_residuals(descent))
        descent = descent - _RATE * 2 * J.T @ r
        found.append((fit, descent))
    return found


def draw() -> AnimatedFigure:
    """Draw the data, and both curves step by step."""
    figure = AnimatedFigure(
        "lesson19",
        "After three steps, the fit that uses the Jacobian lies on the data. Gradient descent does not.",
        "Twenty dots fall from left to right. Two curves start as the same level line. At each of three steps both "
        "jump. One lies on the dots after the third; the other, gradient descent, is still beside them.",
        height=236,
        seconds=8,
    )
    plot = figure.plot((30, 14), 430, 190, (0.0, 2.0), (0.0, 2.1), "t")
    for place in plot.points(list(_T), list(_Y)):
        figure.circle(place, 4.5, "ink", filled=False)
    times = np.linspace(0, 2, 41)
    pairs = _parameters()
    for index, pair in enumerate(pairs):
        start, last = 0.2 + index * _PAUSE, index == len(pairs) - 1
        for p, role, dash in zip(pair, ("forward", "reverse"), ("", "6 4"), strict=True):
            points = plot.points(list(times), list(p[0] * np.exp(p[1] * times)))
            curve = figure.path(points, role, 3, dash)  # type: ignore[arg-type]
            curve.appears(start, None if last else start + _PAUSE, fade=0.1)
        figure.text((244, 26), f"step {index}", "ink", 15, bold=True).appears(
            start, None if last else start + _PAUSE, fade=0.1
        )
    figure.text((322, 26), "with the Jacobian", "forward", 14, bold=True)
    figure.text((322, 48), "gradient descent", "reverse", 14, bold=True)
    return figure
