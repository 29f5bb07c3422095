"""Dtypes of mixed operands, NumPy's arguments by position, and digits at the edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, DtypeError, ShapeError

# ------------------------------------------------------------------------------------------------ dtypes as in NumPy
KINDS = ["int8", "int32", "uint8", "uint64", "float16", "float32", "float64", "bool"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [0, 0.5, True])
def test_where_with_a_python_number(kind: str, number: Any) -> None:
    x, keep = np.array([1, 0], kind), [True, False]
    for function in (ak.where, ak.compile(ak.where)):
        found = function(keep, ak.constant(x), number)
        assert found.dtype == np.where(keep, x, number).dtype
        assert function(keep, number, ak.constant(x)).dtype == found.dtype


def test_where_keeps_large_integers() -> None:
    large = np.array([2**63 + 1, 2], "uint64")
    assert ak.where([True, False], large, 0).tolist() == [2**63 + 1, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("default", [0, 2.5])
def test_select_has_numpys_dtype(kind: str, default: Any) -> None:
    a, b = np.array([1, 0, 1], kind), np.array([0, 1, 1], kind)
    conditions = [np.array([True, False, False]), np.array([True, True, False])]
    expected = np.select(conditions, [a, b], default)
    found = np.select(conditions, [ak.constant(a), ak.constant(b)], default)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    if not kind.startswith("u"):  # NumPy's own does not mix an unsigned array and a number
        mixed = np.select(conditions, [ak.constant(a), 1], default)
        assert mixed.dtype == np.select(conditions, [a, 1], default).dtype
    with pytest.raises(DtypeError, match="must be boolean"):
        np.select([np.array([1, 0, 1])], [ak.constant(a)])


@pytest.mark.parametrize("kinds", [("int8", "uint8"), ("uint16", "int16"), ("float32", "int64"), ("uint8", None)])
def test_copysign_has_numpys_dtype(kinds: tuple[str, str | None]) -> None:
    x = np.ones(2, kinds[0])
    signs: Any = -1 if kinds[1] is None else np.array([1, 0], kinds[1])
    assert ak.copysign(x, signs).dtype == np.copysign(x, signs).dtype


# ------------------------------------------------------------------------------------------- arguments by position
T = np.array([[1.0, 2.0], [3.0, 4.0]])
BY_POSITION: dict[str, Callable[[Any], Any]] = {
    "copy": lambda t: np.copy(t, "K"),
    "sort": lambda t: np.sort(t, -1, "stable"),
    "argsort": lambda t: np.argsort(t, 0, None),
    "max": lambda t: np.max(t, 0, None),
    "zeros_like": lambda t: np.zeros_like(t, None, "K"),
    "sum": lambda t: np.sum(t, 0, None, None, True),
    "sum in a dtype": lambda t: np.sum(t, 0, "float32"),
    "cumsum": lambda t: np.cumsum(t, 1, None, None),
    "var": lambda t: np.var(t, 0, None, None, 1, True),
    "clip": lambda t: np.clip(t, 1.5, 3.0),
    "reshape": lambda t: np.reshape(t, (4,), "F"),
    "ravel": lambda t: np.ravel(t, "F"),
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_arguments_by_numpys_positions(name: str) -> None:
    call = BY_POSITION[name]
    expected = call(T)
    found = call(ak.constant(T))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: np.sum(t, 0, None, None, False, 7.0),
        lambda t: np.prod(t, 0, None, None, False, 7.0),
        lambda t: np.linalg.eigvalsh(t, "U"),
        lambda t: np.linspace(t, 1.0, 3, True, True),
    ],
)
def test_an_argument_without_a_counterpart_is_refused_by_position_too(call: Callable[[Any], Any]) -> None:
    with pytest.raises(ArgumentError, match="the kit's function takes"):
        call(ak.constant(T))


# --------------------------------------------------------------------------------------------- digits at the edges
def test_the_variance_of_float16_may_be_larger_than_a_sum_of_squares_would_fit() -> None:
    x = np.array([30, -30] * 100, "float16")
    assert ak.var(x).dtype == np.float16
    assert float(ak.var(x)) == 900.0
    assert float(ak.var(x, ddof=1)) == float(np.float16(x.astype(float).var(ddof=1)))
    assert np.isfinite(ak.grad(lambda x: ak.var(x))(x).numpy()).all()


@pytest.mark.parametrize("function", [ak.logaddexp, ak.logaddexp2])
@pytest.mark.parametrize(("kind", "size"), [("float32", 1e8), ("float32", 1e30), ("float64", np.inf)])
def test_weights_of_large_exponents_sum_to_one(function: Callable[..., Any], kind: str, size: float) -> None:
    x = np.array([size], kind)
    assert [g.tolist() for g in ak.grad(lambda a, b: ak.sum(function(a, b)), (0, 1))(x, x)] == [[0.5], [0.5]]


def test_attention_names_a_mask_that_does_not_fit() -> None:
    q = np.ones((3, 2))
    for mask in (np.ones((2, 2), bool), [[True], [True, False]]):
        with pytest.raises(ShapeError, match="mask"):
            ak.nn.attention(q, q, q, mask)
    with pytest.raises(ShapeError, match="at least one entry"):
        ak.nn.attention(np.ones((3, 0)), np.ones((3, 0)), q)


@pytest.mark.parametrize(("function", "slope"), [(ak.logaddexp, 0.25), (ak.logaddexp2, 0.25 * np.log(2.0))])
def test_the_second_derivative_of_equal_exponents(function: Callable[..., Any], slope: float) -> None:
    for at in (0.0, 3.0):
        found = ak.hessian(lambda p: function(p[0], p[1]))(np.full(2, at)).numpy()
        np.testing.assert_allclose(found, [[slope, -slope], [-slope, slope]])
