"""Elementwise operations far out and near 0: value, first and second derivatives against numbers of mpmath.

Eager on few entries (NumPy) and on many (compiled loops), in three ways of differentiation, and compiled.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
import autodiff_kit.ops.activations  # defines those of ak.nn
from autodiff_kit import kernels
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.core.operation import OPS

from .case import Array
from .extreme_values import FILE

TABLE: dict[str, list[Any]] = json.loads(FILE.read_text())
COLUMNS = {1: ("y", "da", "daa"), 2: ("y", "da", "db", "daa", "dab", "dbb")}
DIGITS = 64
"""Errors may be so many times the rounding of the dtype. The second derivatives of two inputs are compared with the
largest of the three: they may be differences of products of that size."""

OF_1 = {"Tanh", "Sigmoid", "Sinc"}
"""Derivatives with an error that is small beside 1, but not beside them: where the output is closer to 1 than the dtype
resolves (Tanh), near 0 where the second derivative is a difference (Sigmoid), near zeros of the derivative (Sinc)."""

OF_AN_EXPONENT = {"Erf", "Erfc", "Gelu", "ExactGelu"}
"""Tails with a rounded exponent of hundreds, which all of their digits depend on: 16 times as large an error."""


def rows(key: str, dtype: Any) -> tuple[list[Array], dict[str, Array]]:
    """The inputs that the dtype holds, and what the table has for them, in float64."""
    limits = np.finfo(dtype)
    held = [
        (point, found) for point, found in TABLE[key]
        if all(not x or (float(limits.tiny) <= abs(x) <= float(limits.max) and x == dtype(x)) for x in point)
    ]  # fmt: skip
    columns = COLUMNS[len(held[0][0])]
    inputs = [np.array(x, dtype) for x in zip(*(point for point, _ in held), strict=True)]
    results = np.array([list(map(float, found)) for _, found in held])
    return inputs, dict(zip(columns, results.T, strict=True))


def derivatives(f: Callable[..., Any], xs: list[Any]) -> dict[str, list[Any]]:
    """What each column of the table is by each way of differentiation."""
    names, every = "ab"[: len(xs)], tuple(range(len(xs)))
    total = lambda *z: ak.sum(f(*z))  # noqa: E731
    found: dict[str, list[Any]] = {"y": [f(*xs)]}
    slopes = ak.grad(total, every)(*xs)
    for k, a in enumerate(names):
        along = tuple(ak.ones_like(x) if j == k else ak.zeros_like(x) for j, x in enumerate(xs))
        found[f"d{a}"] = [slopes[k]]
        if len(xs) == 1:
            found["da"].append(ak.jvp(f, tuple(xs), along)[1])
        products = ak.hvp(total, tuple(xs), along)
        products = products if len(xs) > 1 else (products,)
        backward = ak.grad(lambda *z, k=k: ak.sum(ak.grad(total, every)(*z)[k]), every)(*xs)
        for j, b in enumerate(names):
            found.setdefault("d" + "".join(sorted(a + b)), []).extend((products[j], backward[j]))
    return found


def errors(key: str, dtype: Any, copies: int = 1, compiled: bool = False) -> list[str]:
    """The results that are farther from the table than the dtype explains."""
    inputs, expected = rows(key, dtype)
    f: Any = OPS[key].function
    xs = [ak.constant(np.tile(x, copies)) for x in inputs]
    run: Any = lambda *z: derivatives(f, list(z))  # noqa: E731
    with np.errstate(all="ignore"):
        run = ak.compile(run) if compiled else run
        found = run(*xs)
        if compiled:
            build_kernels_now(run)
            found = run(*xs)
    told = []
    for column, answers in found.items():
        allowed, used = tolerance(key, dtype, expected, column)
        with np.errstate(all="ignore"):
            want = expected[column].astype(dtype).astype(np.float64)  # what overflows is infinite
        for way, answer in enumerate(answers):
            y = answer.numpy().reshape(copies, -1)[0].astype(np.float64)
            with np.errstate(all="ignore"):
                wrong = used & ~((np.abs(y - want) <= allowed) | (y == want))
            told += [
                f"{column} {way} at {[float(x[k]) for x in inputs]}: {y[k]:.17g}, not {want[k]:.17g}"
                for k in np.flatnonzero(wrong)
            ]
    return told


def tolerance(key: str, dtype: Any, expected: dict[str, Array], column: str) -> tuple[Array, Array]:
    """How far a column of results may be off in each row, and for which rows it is compared at all."""
    limits, order = np.finfo(dtype), len(column) - 1
    alike = [np.abs(e) for c, e in expected.items() if len(c) == len(column) and order == 2]
    scale = np.max(alike, axis=0) if alike else np.abs(expected[column])
    scale = np.maximum(scale, 1.0) if key in OF_1 and order else scale
    # Second derivatives are computed from values and slopes, where the dtype holds these.
    held = [(e == 0) | ((limits.tiny <= np.abs(e)) & (np.abs(e) <= limits.max)) for e in expected.values()]
    used = np.all(held, axis=0) if order == 2 else np.ones(len(scale), bool)
    with np.errstate(all="ignore"):
        return DIGITS * (16 if key in OF_AN_EXPONENT else 1) * limits.eps * scale + limits.tiny, used


@pytest.mark.parametrize("key", TABLE)
def test_derivatives_far_out_and_near_0(key: str) -> None:
    """On few entries and on so many that loops are compiled: the exponents of the largest rows differ by 600."""
    found = {(kind.__name__, n): errors(key, kind, n) for kind in (np.float32, np.float64) for n in (1, 40)}
    assert {way: told for way, told in found.items() if told} == {}


@pytest.mark.slow
@pytest.mark.skipif(not kernels.enabled(), reason="without numba there are no kernels")
@pytest.mark.parametrize("key", TABLE)
def test_compiled_derivatives_far_out_and_near_0(key: str) -> None:
    found = {kind.__name__: errors(key, kind, compiled=True) for kind in (np.float32, np.float64)}
    assert {way: told for way, told in found.items() if told} == {}
