"""Random programs, compiled: equal to the eager run at every call, and returned values never change."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError

from .python_kernels import build, compiler
from .random_programs import Program, close, flat

CHUNK = 25


def differs(seed: int, how: Callable[[str], Any], wild: bool = False) -> str | None:
    """A description of the difference in program ``seed``."""
    program = Program(seed)
    twin = copy.copy(program)
    run, state = program.made()
    eager, eager_state = twin.made()
    r = np.random.default_rng(seed + 1)
    xs = program.moved(r, wild) if wild else program.inputs
    compiled = ak.compile(run)
    held: list[tuple[Any, Any]] = []
    for k in range(4):
        try:
            expected = flat(eager(*map(ak.constant, xs)))
        except AutodiffError:
            return None  # not a valid program
        found = compiled(*map(ak.constant, xs))
        arrays = flat(found)
        if len(arrays) != len(expected):
            return f"call {k}: {len(arrays)} answers instead of {len(expected)}"
        for i, (a, b) in enumerate(zip([*arrays, *state()], [*expected, *eager_state()], strict=True)):
            if not close(a, b, program.dtype):
                if k == 0 and shaky(seed, i):
                    return None  # its digits depend on rounding only
                found = f"{a.ravel()[:4]} {a.dtype} {a.shape}"
                return f"call {k}, answer {i}: {found} in place of {b.ravel()[:4]} {b.dtype} {b.shape}"
        if any(not np.array_equal(a, b, equal_nan=True) for a, b in held):
            return f"call {k}: what was given before has changed"
        held = [(a, a.copy()) for a in arrays]
        if k == 0:
            build(compiled, how)
        xs = program.moved(r, wild)
    return None if compiled.trace_count == 1 else f"recorded {compiled.trace_count} times"


def shaky(seed: int, place: int) -> bool:
    """Whether a result changes as much when the inputs change by less than their last digit."""
    program = Program(seed)
    r, tiny = np.random.default_rng(0), np.finfo(program.dtype).eps
    nudged = [
        (x * (1 + tiny * r.choice([-1.0, 1.0], x.shape))).astype(x.dtype) if x.dtype.kind == "f" else x
        for x in map(np.asarray, program.inputs)
    ]
    first, second = (flat(copy.copy(program).made()[0](*map(ak.constant, xs))) for xs in (program.inputs, nudged))
    return not close(first[place], second[place], program.dtype)


def check(seeds: range, how: Callable[[str], Any], wild: bool = False) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wrong = {seed: text for seed in seeds if (text := differs(seed, how, wild))}
    assert not wrong


def first(end: int, starts: range) -> list[Any]:
    """The starts of chunks of seeds; those from ``end`` on are slow."""
    return [start if start < end else pytest.param(start, marks=pytest.mark.slow) for start in starts]


@pytest.mark.parametrize("start", first(100, range(0, 500, CHUNK)))
def test_programs(start: int) -> None:
    check(range(start, start + CHUNK), compiler)


@pytest.mark.parametrize("start", first(100_050, range(100_000, 100_200, CHUNK)))
def test_programs_on_nan_and_infinities(start: int) -> None:
    check(range(start, start + CHUNK), compiler, wild=True)


@pytest.mark.parametrize("seed", [701_650])
def test_programs_that_once_went_wrong(seed: int) -> None:
    """A call in the middle read a group that grew later, and the group then read the result of the call."""
    check(range(seed, seed + 1), compiler)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(500, 5500, 4 * CHUNK))
def test_many_programs(start: int) -> None:
    check(range(start, start + 4 * CHUNK), compiler)


@pytest.mark.parametrize("start", [0, pytest.param(4, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)])
def test_programs_through_numba(start: int) -> None:
    from autodiff_kit.compile.run.kernel_loader import load_kernel

    check(range(start, start + 4), load_kernel)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(200_000, 200_040, 10))
def test_more_programs_through_numba(start: int) -> None:
    from autodiff_kit.compile.run.kernel_loader import load_kernel

    check(range(start, start + 10), load_kernel)
    check(range(start, start + 5), load_kernel, wild=True)
