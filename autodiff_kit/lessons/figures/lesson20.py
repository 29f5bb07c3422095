"""Lesson 20: random probes of a Hessian, whose mean approaches the trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.constant import constant
from autodiff_kit.ops import matmul, sum
from autodiff_kit.transforms import hvp

from .animated_svg import AnimatedFigure

_PROBES = 60


def _probes() -> tuple[np.ndarray[Any, Any], float]:
    """The value v·Hv of random sign vectors v for the lesson's 12 × 12 Hessian, and its trace."""
    half = np.random.default_rng(7).integers(-2, 3, size=(12, 12)).astype(float)
    hessian = half + half.T

    def quadratic(x: Any) -> Any:
        return 0.5 * sum(x * matmul(hessian, x))

    signs = np.random.default_rng(3).choice([-1.0, 1.0], size=(_PROBES, 12))
    found = [float(v @ hvp(quadratic, constant(np.ones(12)), constant(v)).numpy()) for v in signs]
    return np.array(found), float(np.trace(hessian))


def draw() -> AnimatedFigure:
    """Draw the probes as dots, their mean so far, and its standard error."""
    figure = AnimatedFigure(
        "lesson20",
        "Single random probes (dots) scatter. Their mean approaches the trace, and its error band becomes narrower.",
        "Dots, one per random probe, scatter widely above and below a dashed line, the trace. The mean of the dots so "
        "far is a line that settles near the dashed one, inside a band of one standard error that becomes narrower.",
        height=226,
        seconds=10,
    )
    values, trace = _probes()
    counts = np.arange(1, _PROBES + 1)
    means = np.cumsum(values) / counts
    errors = np.array([values[:n].std(ddof=1) / np.sqrt(n) for n in counts[1:]])
    reach = 1.1 * float(np.abs(values - trace).max())
    plot = figure.plot((40, 14), 372, 178, (0, _PROBES + 1), (trace - reach, trace + reach), "probes")
    start, end = 0.4, 8.4
    times = start + (end - start) * counts / _PROBES
    for n, value, time in zip(counts, values, times, strict=True):
        figure.circle(plot.point(float(n), float(value)), 3.2, "muted", filled=False).appears(float(time), fade=0.2)
    (left, level), (right, _) = plot.point(0, trace), plot.point(_PROBES + 1, trace)
    figure.line((left, level), (right, level), "ink", 1.4, "6 4")
    figure.text((right + 6, level + 18), "trace", "ink", 14)
    begin = float(times[1])
    for edge in (means[1:] - errors, means[1:] + errors):
        figure.path(plot.points(counts[1:].tolist(), edge.tolist()), "line", 1.6).draws(begin, end)
    figure.path(plot.points(counts[1:].tolist(), means[1:].tolist()), "ink", 3).draws(begin, end)
    figure.text((right + 6, level - 6), "mean", "ink", 14, bold=True)
    return figure
