"""Indices out of range: while a function is traced, examples may be; when it runs, they are the error of eager code.

Where nobody needs the forward part of a lookup, only its gradient runs, which adds rows into memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import RangeError

LOOKUPS: dict[str, Callable[..., Any]] = {
    "take": lambda t, i: ak.take(t, i, axis=0),
    "index": lambda t, i: t[i],
    "two indices": lambda t, i: t[i, i],
    "columns": lambda t, i: t[:, i],
    "along an axis": lambda t, i: ak.take_along_axis(t, i[:, None], 0),
    "embedding": ak.nn.embedding,
    "update": lambda t, i: t.at[i].add(1.0),
}


@pytest.fixture(params=[False, True], ids=["NumPy", "loops"], autouse=True)
def _with_loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        kernels.compile_all_loops()
    else:
        monkeypatch.setattr(kernels, "compiled_loop", lambda _: None)


@pytest.mark.parametrize("name", LOOKUPS)
@pytest.mark.parametrize("built", [False, True])
def test_when_it_runs(name: str, built: bool) -> None:
    slope = ak.grad(lambda t, i: ak.sum(LOOKUPS[name](t, i)))
    table = ak.constant(np.ones((3, 3)))
    with pytest.raises(RangeError):
        slope(table, np.array([0, 7]))
    compiled = ak.compile(slope)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(table, np.array([0, 1])).numpy(), slope(table, np.array([0, 1])).numpy())
    if built and kernels.enabled():
        build_kernels_now(compiled)
    if name == "update":  # its gradient reads no index
        compiled = ak.compile(lambda t, i: LOOKUPS[name](t, i))
        compiled(table, np.array([0, 1]))
    with pytest.raises(RangeError):
        compiled(table, np.array([0, 7]))


@pytest.mark.parametrize("shape", [(1, 5), (1, 100_000)])
@pytest.mark.parametrize(
    "function",
    [
        lambda t, i: ak.grad(lambda t: ak.sum(ak.take(t, i, axis=0) ** 2))(t),
        lambda t, i: ak.grad(lambda t: ak.sum(ak.nn.embedding(t, i) ** 2))(t),
        lambda t, i: ak.nn.segment.segment_sum(t, i, 1),
        lambda t, i: t.at[i].add(1.0),
    ],
)
def test_a_table_of_one_row_is_traced(function: Callable[..., Any], shape: tuple[int, int]) -> None:
    """The second example with which a call is tried has the index 1."""
    table, ids = ak.constant(np.ones(shape)), np.zeros(1, int)
    compiled = ak.compile(function)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(table, ids).numpy(), function(table, ids).numpy())


def test_the_gradient_of_a_lookup_may_be_a_number() -> None:
    """The slice that a rule writes into zeros need not be an array."""

    def f(x: Any, y: Any) -> Any:
        z = ak.vjp(lambda a: a[np.array([2, 0, 1])], x)[1](ak.cos(y))
        return z + y[ak.argmax(z)]

    slope = ak.vmap(ak.grad(lambda x, y: ak.sum(f(x, y)), 1), (None, 0))
    x, y = ak.constant([0.1, 0.2, 0.3]), ak.constant(np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(ak.compile(slope)(x, y).numpy(), slope(x, y).numpy())


def test_an_unsigned_index_beyond_the_signed_ones_is_out_of_range() -> None:
    slope = ak.compile(ak.grad(lambda t, i: ak.sum(ak.take(t, i, axis=0))))
    table = np.ones((3, 2))
    slope(table, np.array([0, 1], "uint64"))
    with pytest.raises(RangeError):
        slope(table, np.array([0, 2**64 - 1], "uint64"))
