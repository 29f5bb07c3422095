"""Generated kernel sources: angles that grow inside a kernel, long loops, and tile lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.passes.kernel_source import INTERLEAVE_COUNT, SHORT_TILE_LENGTH, TILE_LENGTH
from autodiff_kit.compile.run.kernel_loader import load_kernel

from .python_kernels import build, compiler


def kernels_of(run: Any, *given: Any) -> list[Any]:
    compiled = ak.compile(run)
    compiled(*given)
    return [kernel for _, kernel, *_ in build(compiled)[0].kernel_plan.generator.kernels]


@pytest.mark.parametrize("how", [compiler, load_kernel], ids=["plain", "numba"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_angles_that_grow_inside_a_kernel(dtype: str, how: Any) -> None:
    x = np.linspace(-3, 3, 3000).astype(dtype)
    x[7], x[11], x[13] = np.nan, np.inf, 0.0
    compiled = ak.compile(lambda x: ak.sin(ak.exp(x * 5) * x))
    with np.errstate(all="ignore"):
        compiled(ak.constant(x))
        build(compiled, how)
        found = compiled(ak.constant(x)).numpy()
        near = np.exp(x * 5) * x
        wanted = np.sin(near)
    close = np.abs(near) < 1  # for larger values the last digit of the exponential decides
    np.testing.assert_allclose(found[close], wanted[close], rtol=1e-5)
    assert np.isnan(found[[7, 11]]).all()
    assert np.nanmax(np.abs(found)) <= 1


def test_long_loops_interleave_several_vectors() -> None:
    def run(x: Any) -> Any:
        return ak.exp(x) * x

    assert [k.interleave_count for k in kernels_of(run, ak.constant(np.ones(5000, "f4")))] == [INTERLEAVE_COUNT]
    assert [k.interleave_count for k in kernels_of(run, ak.constant(np.ones(50, "f4")))] == [0]


def test_tiles_are_short_with_many_scratch_rows() -> None:
    def chain(times: int) -> Any:
        def loss(y: Any) -> Any:
            for _ in range(times):
                y = ak.sin(y) * y + ak.exp(-y)
            return ak.sum(y)

        return ak.value_and_grad(loss)

    x = ak.constant(np.ones(9000, "f4"))
    (few,), (many,) = kernels_of(chain(1), x), kernels_of(chain(4), x)
    assert (few.tile_length, many.tile_length) == (TILE_LENGTH, SHORT_TILE_LENGTH)
