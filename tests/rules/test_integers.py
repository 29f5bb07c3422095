"""Integers and booleans: what the same numbers give as floating ones, or what NumPy gives for them, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.errors import AutodiffError

from .generated import arity, elementwise_operations

ARRAYS = [
    np.array([3, 0, 1], np.uint8), np.array([3, 0, 1], np.uint32), np.array([3, 0, 1], np.uint64),
    np.array([100, -128, 1], np.int8), np.array([3, 0, -2]), np.array([True, False, True]),
]  # fmt: skip
# Like NumPy's functions they stay in the dtype of integers, and wrap around there.
STAY = {
    "abs",
    "negative",
    "square",
    "reciprocal",
    "positive",
    "conj",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "relu",
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "softmax": ak.nn.softmax, "log_softmax": ak.nn.log_softmax, "logsumexp": ak.logsumexp, "norm": ak.norm,
    "masked_softmax": lambda x: ak.nn.masked_softmax(x, [True, False, True]),
    "cross_entropy": lambda x: ak.nn.sparse_softmax_cross_entropy(1, x),
    "1-norm": lambda x: ak.norm(x, 1), "largest": lambda x: ak.norm(x, np.inf), "3-norm": lambda x: ak.norm(x, 3),
    "var": ak.var, "std": ak.std, "mean": ak.mean,
}  # fmt: skip


def _unary() -> dict[str, Callable[[Any], Any]]:
    operations = [OPS[key] for key in elementwise_operations()]
    return {op.name: op.function for op in operations if arity(op) == 1 and op.name not in STAY}  # type: ignore[misc]


@pytest.mark.parametrize(("name", "f"), (_unary() | OTHERS).items(), ids=(_unary() | OTHERS).keys())
def test_integers_are_numbers(name: str, f: Callable[[Any], Any]) -> None:
    for x in ARRAYS:
        try:
            assert_integers_are_numbers(name, f, x)
        except Exception as error:
            error.add_note(f"{name} of {x.dtype}")
            raise


def assert_integers_are_numbers(name: str, f: Callable[[Any], Any], x: Any) -> None:
    with np.errstate(all="ignore"):
        expected = f(x.astype(np.result_type(x.dtype, np.float16))).numpy()
        try:
            found = f(x).numpy()
        except AutodiffError:  # refused, as NumPy refuses some functions of booleans
            assert x.dtype == bool, name
            return
    if found.dtype.kind != "f":
        assert found.dtype == np.asarray(getattr(np, name)(x)).dtype, "as NumPy's function does it"
        return
    # A norm of bytes is computed in float64.
    wide, rtol = (np.float16, 4e-3) if x.dtype.itemsize == 1 else (found.dtype, 1e-6)
    np.testing.assert_allclose(found.astype(wide).astype(float), expected.astype(float), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", _unary())
def test_a_gradient_ends_at_a_comparison(name: str) -> None:
    """The operation after it is not asked for a derivative: NumPy has no negative and no sign of booleans."""
    f, x = _unary()[name], ak.constant([0.5, -2.0, 3.0])

    def after(x: Any) -> Any:
        return ak.sum(f(x > 0.0) * 1.0) + ak.sum(x)

    with np.errstate(all="ignore"):
        try:
            f(x > 0.0)
        except AutodiffError:
            return
        for gradient in (ak.grad(after), ak.compile(ak.grad(after)), ak.jacobian(after)):
            np.testing.assert_array_equal(gradient(x).numpy(), 1.0)
