"""Value and derivative of a loop whose number of steps depends on x, and finite differences across a jump."""

from __future__ import annotations

import math

MAX_RELATIVE_STEP = 0.1  # of x: nobody takes a difference over more


def loop_with_derivative(x: float, limit: float, factor: float, *, too_late: bool = False) -> tuple[float, float]:
    """Value and derivative of the loop; ``too_late`` runs it once more if it reaches the limit exactly."""
    slope = 1.0
    while abs(x) < limit or (too_late and abs(x) == limit):
        x, slope = x * factor, slope * factor
    return x, slope


def derivatives_through_step_count(x: float, limit: float, factor: float) -> list[float]:
    """Derivatives that treat the number of steps as log(limit/x)/log(factor), right and with a logarithm missing."""
    value, slope = loop_with_derivative(x, limit, factor)
    turn = -1 / (x * math.log(factor)) if abs(x) < limit else 0.0
    return [slope + value * math.log(factor) * turn, slope + value * turn]


def difference_across_jump(x: float, limit: float, factor: float, got: float) -> float | None:
    """The slope that a difference gives which leads to the other side of a jump, for the step that explains ``got``.

    One-sided differences of both directions are tried, and the central one; near no jump, any number close to the slope
    is one that a difference may give. None if no step explains it.
    """
    _, slope = loop_with_derivative(x, limit, factor)
    if abs(got - slope) <= 1e-3 * slope:
        return got
    size = abs(x)
    jump = min((limit / factor**n for n in range(64)), key=lambda at: abs(at - size))
    below, above = loop_with_derivative(jump / factor, limit, factor)[1], loop_with_derivative(jump, limit, factor)[1]
    for left, right in ((1, 1), (0, 1), (1, 0)):
        rest = got * (left + right) - above * right - below * left
        step = size * (above - below) / rest if rest else 0.0
        if 0 < step < MAX_RELATIVE_STEP * size and size - left * step < jump <= size + right * step:
            return (above * (size + right * step) - below * (size - left * step)) / ((left + right) * step)
    return None
