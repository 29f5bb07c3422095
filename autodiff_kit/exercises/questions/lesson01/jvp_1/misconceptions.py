"""Forward and reverse sweeps over a program with one derivative rule or one step wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import solution

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]


Program = list[tuple[Any, ...]]


def jvp_with_rule(rule: Callable[..., Any], program: Program, outputs: list[int], x: Array, v: Array) -> Array:
    """Tangents of the outputs, with ``rule(op, inputs, tangents)`` for each line."""
    values, tangents = list(x), list(v)
    for op, *ins in program:
        a, d = [values[i] for i in ins], [tangents[i] for i in ins]
        values.append(solution.value(op, a))
        tangents.append(rule(op, a, d))
    return np.array([tangents[i] for i in outputs])


def correct_rule(op: str, a: list[Any], d: list[Any]) -> Any:
    """Slopes times tangents, added."""
    return sum(s * t for s, t in zip(solution.slopes(op, a), d, strict=True))


def product_of_tangents(op: str, a: list[Any], d: list[Any]) -> Any:
    """mul's tangent is the product of the tangents."""
    return d[0] * d[1] if op == "mul" else correct_rule(op, a, d)


def slope_at_the_tangent(op: str, a: list[Any], d: list[Any]) -> Any:
    """The slope is taken at the tangent and not at the point."""
    if op == "square":
        return 2 * d[0]
    return np.cos(d[0]) if op == "sin" else correct_rule(op, a, d)


def finite_step(op: str, a: list[Any], d: list[Any]) -> Any:
    """The whole step instead of its straight-line part."""
    value = solution.value
    return value(op, [p + q for p, q in zip(a, d, strict=True)]) - value(op, a)


def vjp_with_mistake(
    program: Program, outputs: list[int], x: Array, u: Array, *,
    overwrite: bool = False, downwards: bool = False, seed_once: bool = False,
) -> Array:  # fmt: skip
    """Cotangents of the inputs, with one step of the sweep misunderstood."""
    values = list(x)
    for op, *ins in program:
        values.append(solution.value(op, [values[i] for i in ins]))
    bar = [0.0] * len(values)
    for i, weight in zip(outputs, u, strict=True):
        bar[i] = weight if seed_once else bar[i] + weight
    lines = list(enumerate(program, len(x)))
    for k, (op, *ins) in lines if downwards else lines[::-1]:
        for i, s in zip(ins, solution.slopes(op, [values[j] for j in ins]), strict=True):
            bar[i] = bar[k] * s if overwrite else bar[i] + bar[k] * s
    return np.array(bar[: len(x)])
