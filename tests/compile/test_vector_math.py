"""Functions of kernels compared with NumPy in a wider type: two units in the last place, and equal at the edges."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_kit.compile.run.kernel_loader import load_kernel, module_source

EDGES = [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -2.0, 1e-30, -1e-30, 1e30, 1e-40, 0.9999999, 1.0000001]
SPANS = {"exp": (-80, 80), "log": (1e-6, 1e6), "log1p": (-0.99, 1e4), "tanh": (-12, 12), "sin": (-4000, 4000),
         "cos": (-4000, 4000), "logaddexp": (-40, 40)}  # fmt: skip


def over(name: str, dtype: Any) -> Callable[..., Any]:
    """A function of kernels, for arrays."""
    bits = np.dtype(dtype).itemsize * 8
    text = {
        "sin": f"sincos{bits}(x[k])[0]", "cos": f"sincos{bits}(x[k])[1]",
        "logaddexp": f"logaddexp{bits}(x[k], y[k])",
    }.get(name, f"{name}{bits}(x[k])")  # fmt: skip
    loop = f"def kernel(x, y, out):\n    for k in range(x.shape[0]):\n        out[k] = {text}"
    entry = "kernel(load_array(table, 0, real), load_array(table, 2, real), load_array(table, 4, real))"
    function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(load_kernel(module_source(loop, entry, np.dtype(dtype))))

    def run(x: Any) -> Any:
        arrays = [x, partner(x), np.empty_like(x)]
        table = np.array([entry for array in arrays for entry in (array.ctypes.data, array.size)], np.int64)
        function(table.ctypes.data)
        return arrays[-1]

    return run


def partner(x: Any) -> Any:
    return x[(7 * np.arange(x.size) + 3) % x.size]


def wanted(name: str, x: Any) -> Any:
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        if name == "logaddexp":
            return np.logaddexp(wide, partner(wide))
        return getattr(np, name)(wide)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", list(SPANS))
def test_two_units_of_the_last_place(name: str, dtype: str) -> None:
    low, high = SPANS[name]
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(low, high, 20_000), rng.uniform(max(low, -1), 1, 20_000)]).astype(dtype)
    if name in ("log", "log1p"):
        x = np.concatenate([x, rng.uniform(0, 1, 5_000).astype(dtype) ** 8 + np.finfo(dtype).tiny])
    expected = wanted(name, x)
    size = np.abs(expected)
    if name == "logaddexp":  # near 0 its two terms cancel
        size = np.maximum(size, np.abs(np.maximum(x, partner(x))))
    units = np.abs(over(name, dtype)(x) - expected) / np.spacing(size.astype(dtype))
    assert float(units.max()) <= (4 if name == "logaddexp" else 2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh", "logaddexp"])
def test_edges_are_numpys(name: str, dtype: str) -> None:
    x = np.array([a for a in EDGES for _ in EDGES], dtype)  # all pairs
    expected = wanted(name, x).astype(dtype)
    np.testing.assert_allclose(over(name, dtype)(x), expected, rtol=1e-6, atol=2e-38 if dtype == "f4" else 1e-300)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_exponentials_below_and_near_the_smallest_normal_number(dtype: str) -> None:
    lowest = np.log(np.finfo(dtype).tiny)
    x = np.linspace(lowest - 40, lowest + 3, 20_000).astype(dtype)
    expected = wanted("exp", x)
    units = np.abs(over("exp", dtype)(x) - expected) / np.spacing(expected.astype(dtype))
    assert float(units.max()) <= 2
