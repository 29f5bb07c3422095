"""Newton's method with a derivative that misses a term."""

from __future__ import annotations

from collections.abc import Callable


def newton_with_slope(
    a: float, n: int, slope: Callable[[float, float, float, float], float], *, first: float = 0.0
) -> tuple[float, float]:
    """Newton's root with a slope of one's own, ``slope(a, old x, new x, old slope)``, and a slope of the start."""
    x, d = 1.0, first
    for _ in range(n):
        new = 0.5 * (x + a / x)
        x, d = new, slope(a, x, new, d)
    return x, d
