"""Six short programs that assign to a variable, and wrong readings of their values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Answer = tuple[float, float | None]


# What follows the opening of the tape; x0 and x1 are variables, and y is asked for.
PROGRAMS = (
    "x1.assign_add(x0); y = x1**2",
    "s = x1 + x0; y = s**2; x1.assign(s)",
    "x1.assign(x0); y = x0 * x1",
    "y = x0 * x1; x1.assign(x0)",
    "x0.assign(x1); y = x0**2",
    "y = x0**2; x0.assign_add(1.0); y = y * x0",
)


def run_on_tape(program: str, a: float, b: float) -> Answer:
    """The value of y, and its gradient with respect to x0, from the kit's own tape."""
    import autodiff_kit as ak

    x0, x1 = ak.Variable(a), ak.Variable(b)
    scope: dict[str, Any] = {"x0": x0, "x1": x1}
    with ak.GradientTape() as tape:
        exec(program, scope)  # the text stands above; nothing of a learner's is in it
    gradient = tape.gradient(scope["y"], x0)
    return float(scope["y"]), None if gradient is None else float(gradient)


# The same six, by someone who takes an assignment for a path: x1 then knows that it came from x0.
AS_A_PATH: tuple[Callable[[float, float], Answer], ...] = (
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: (a * a, 2 * a),
    lambda a, b: (a * b, b),
    lambda a, b: (b * b, None),
    lambda a, b: (a * a * (a + 1), 2 * a * (a + 1) + a * a),
)


# And by someone for whom a variable is what it was before the tape.
STALE: tuple[Callable[[float, float], Answer], ...] = (
    lambda a, b: (b * b, None),
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: (a * b, b),
    lambda a, b: (a * b, b),
    lambda a, b: (a * a, 2 * a),
    lambda a, b: (a**3, 3 * a * a),
)
