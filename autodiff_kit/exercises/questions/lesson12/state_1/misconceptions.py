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


# The same six, if an assignment were an operation: x1 then has a path to x0.
AS_A_PATH: tuple[Callable[[float, float], Answer], ...] = (
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: (a * a, 2 * a),
    lambda a, b: (a * b, b),
    lambda a, b: (b * b, None),
    lambda a, b: (a * a * (a + 1), 2 * a * (a + 1) + a * a),
)


# If a variable kept the number that it had before the tape.
STALE: tuple[Callable[[float, float], Answer], ...] = (
    lambda a, b: (b * b, None),
    lambda a, b: ((a + b) ** 2, 2 * (a + b)),
    lambda a, b: (a * b, b),
    lambda a, b: (a * b, b),
    lambda a, b: (a * a, 2 * a),
    lambda a, b: (a**3, 3 * a * a),
)


def _right(a: float, b: float) -> list[Answer]:
    return [run_on_tape(program, a, b) for program in PROGRAMS]


def _with(place: int, value: Callable[[float, float], float | None]) -> tuple[Callable[[float, float], Answer], ...]:
    """The right answers, with another gradient for one program."""

    def answer(k: int) -> Callable[[float, float], Answer]:
        def of(a: float, b: float) -> Answer:
            right = _right(a, b)[k]
            return (right[0], value(a, b)) if k == place else right

        return of

    return tuple(answer(k) for k in range(len(PROGRAMS)))


def _with_value_too(
    place: int, answer: Callable[[float, float], Answer]
) -> tuple[Callable[[float, float], Answer], ...]:
    """The right answers, with another pair for one program."""
    return tuple(answer if k == place else lambda a, b, k=k: _right(a, b)[k] for k in range(len(PROGRAMS)))


def _zeros(k: int) -> Callable[[float, float], Answer]:
    def of(a: float, b: float) -> Answer:
        value, gradient = _right(a, b)[k]
        return value, 0.0 if gradient is None else gradient

    return of


# What a misconception gives for one program: alternatives, where people differ.
MISTAKEN: dict[str, tuple[tuple[Callable[[float, float], Answer], ...], ...]] = {
    "assign-is-a-path": (AS_A_PATH,),
    "stale-value": (STALE,),
    "assigned-has-no-gradient": (_with(4, lambda _a, _b: None), _with(5, lambda _a, _b: None)),
    "assignment-removes-all": tuple(_with(k, lambda _a, _b: None) for k in range(len(PROGRAMS))),
    "read-too-late": (_with(3, lambda a, _b: a), _with_value_too(3, lambda a, _b: (a * a, 2 * a))),
    "counts-one-reading": (_with(5, lambda a, _b: 2 * a * (a + 1)), _with(5, lambda a, _b: a * a)),
    "zero-for-None": (tuple(_zeros(k) for k in range(len(PROGRAMS))),),
}
