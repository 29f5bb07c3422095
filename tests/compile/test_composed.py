"""Random programs of loops, batches, branches, updates and decompositions: every way to a derivative gives the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

from .composed_programs import KIT, LOOPS, PLAIN, SLOPES, Program
from .python_kernels import build, compiler
from .random_programs import close, flat

ROUNDING = 1e-9
"""Allowed relative error of results that are the same but for rounding."""
TRUNCATION = 2e-6
"""Allowed relative error of difference quotients."""
STEPS = (2e-4, 1e-5)
"""Of difference quotients: the second where a kink, a jump or a pole lies within the first."""


def inner(a: Any, b: Any) -> float:
    """The scalar product of two lists of arrays."""
    return float(sum(np.sum(np.asarray(x) * y) for x, y in zip(a, b, strict=True)))


class Check:
    """All derivatives of one program, side by side."""

    def __init__(self, seed: int) -> None:
        self.program = program = Program(seed)
        self.inputs, self.direction = program.inputs, program.direction
        self.loss = lambda *given: program.loss(KIT, *given)
        self.slope = ak.value_and_grad(self.loss, program.arguments)
        self.value, self.gradient = self.slope(*self.inputs)

    def moved(self, by: float) -> list[Any]:
        """The inputs, moved along the direction."""
        return [ak.constant(x + by * d) for x, d in zip(self.inputs, self.direction, strict=True)]

    def forward_mode(self) -> str | None:
        _, tangent = ak.jvp(self.loss, [*map(ak.constant, self.inputs)], [*map(ak.constant, self.direction)])
        expected = inner(self.gradient, self.direction)
        return _difference(float(tangent), expected, ROUNDING, "forward mode")

    def differences(self) -> str | None:
        slope = inner(self.gradient, self.direction)
        return self.quotients_differ(lambda given: float(self.loss(*given)), slope, "the difference quotient")

    def hessian(self) -> str | None:
        """A Hessian-vector product, times the direction, beside a difference quotient of gradients."""
        product = ak.hvp(self.loss, [*map(ak.constant, self.inputs)], [*map(ak.constant, self.direction)])
        return self.quotients_differ(
            lambda given: inner(self.slope(*given)[1], self.direction),
            inner(product, self.direction),
            "the difference quotient of gradients",
        )

    def quotients_differ(self, f: Callable[[list[Any]], float], expected: float, what: str) -> str | None:
        """What is wrong if no central difference quotient of fourth order is the expected derivative."""
        found = None
        for h in STEPS:
            a, b, c, d = (f(self.moved(k * h)) for k in (-2, -1, 1, 2))
            found = _difference((8.0 * (c - b) - (d - a)) / (12.0 * h), expected, TRUNCATION, what)
            if found is None:
                break
        return found

    def compiled(self, kernels: bool) -> str | None:
        """Value and gradient at three points by one trace, the last two by compiled kernels."""
        run = ak.compile(self.slope)
        for by in (0.0, 1e-3, 0.1):
            given = self.moved(by)
            for a, b in zip(flat(run(*given)), flat(self.slope(*given)), strict=True):
                if not close(a, b, np.float64):
                    return f"compiled, {by} along the direction: {a.ravel()[:4]} in place of {b.ravel()[:4]}"
            if by == 0.0 and kernels:
                build(run, compiler)
        return None if run.trace_count == 1 else f"traced {run.trace_count} times"


def _difference(found: float, expected: float, tolerance: float, what: str) -> str | None:
    return None if abs(found - expected) <= tolerance * (1.0 + abs(expected)) else f"{what}: {found} beside {expected}"


def faults(seed: int) -> str | None:
    """What goes wrong with a program; every fourth is compiled or differentiated twice."""
    check = Check(seed)
    found = check.forward_mode() or check.differences()
    if seed % 8 == 0:
        found = found or check.compiled(kernels=seed % 16 == 0)
    if seed % 8 == 4:
        found = found or check.hessian()
    return found


def wrong(seeds: range) -> dict[int, str]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return {seed: text for seed in seeds if (text := faults(seed))}


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_programs(start: int) -> None:
    assert not wrong(range(start, start + 20))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(40, 5040, 200))
def test_many_programs(start: int) -> None:
    assert not wrong(range(start, start + 200))


def test_programs_use_every_kind() -> None:
    """What is drawn depends on NumPy's generator; the first programs must go on covering everything."""
    todo = [step for seed in range(40) for step in Program(seed).script]
    met = set()
    while todo:
        step = todo.pop()
        met.add(step.kind)
        todo += step.inner
    assert met == {*PLAIN, *LOOPS, *SLOPES}
