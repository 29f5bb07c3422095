"""Compiled code computes with NumPy's dtypes: comparisons, sums, products, and byte orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import ConcretizationError, DtypeError

X = np.linspace(-1.0, 1.0, 8)
A, B = np.arange(8) % 2 == 0, np.arange(8) % 3 == 0
NEAR = np.float32([0.1, 0.2, 0.05])
LARGE = np.int64([16_777_217, 0])


def compiled_and_plain(f: Any, *args: Any) -> tuple[Any, Any, Any]:
    """The results of NumPy calls, of kernels, and of the function itself."""
    compiled = ak.compile(f)
    first = compiled(*args)
    build_kernels_now(compiled)
    return first, compiled(*args), f(*args)


def assert_same(f: Any, *args: Any) -> None:
    first, kernels, plain = (ak.constant(y).numpy() for y in compiled_and_plain(f, *args))
    assert first.dtype == kernels.dtype == plain.dtype
    np.testing.assert_array_equal(first, plain)
    np.testing.assert_allclose(kernels, plain, rtol=1e-6 if plain.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("compare", [np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal])
def test_true_is_greater_than_false(compare: Any) -> None:
    assert_same(lambda a, b, x: np.where(compare(a, b), x, -x), A, B, X)


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (NEAR, np.float64(0.1)),
        (NEAR, 0.1),
        (LARGE, np.float32(16_777_216)),
        (LARGE, 16_777_216.5),
        (np.int32([1, 2]), 2**40),
        (np.int32([1, 2]), -(2**40)),
    ],
)
def test_numbers_are_compared_in_the_dtype_that_holds_both(x: Any, bound: Any) -> None:
    y = np.ones(len(x))
    assert_same(lambda x, y: np.where(x > bound, y, -y), x, y)
    assert_same(lambda x, y, b: np.where(x > b, y, -y), x, y, np.asarray(bound))


def test_the_dtype_of_a_sum_or_product_is_the_one_that_was_asked_for() -> None:
    assert_same(lambda x: np.sum(x, dtype=np.float32), X)
    assert_same(lambda x: np.sum(x * x, dtype=np.float32), X)
    assert_same(lambda x: np.matmul(x, x, dtype=np.float32), X.reshape(2, 4)[:, :2].copy())


def test_a_reduction_of_some_entries() -> None:
    assert_same(lambda x: np.add.reduce(x, where=A), X)


@pytest.mark.parametrize("reduce", [np.sum, np.mean, np.max])
def test_an_axis_that_is_given_twice_is_an_error(reduce: Any) -> None:
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        ak.compile(lambda x: reduce(x, axis=(0, -2)))(X.reshape(2, 4))


@pytest.mark.parametrize("dtype", [">f4", ">f8", "<f4", "<f8"])
def test_arrays_of_another_byte_order(dtype: str) -> None:
    given = X.astype(dtype)
    own = given.dtype.newbyteorder("=")
    for x in (ak.constant(given), ak.Variable(given)):
        assert x.dtype == own
        np.testing.assert_array_equal(ak.nn.softmax(x).numpy(), ak.nn.softmax(given.astype(own)).numpy())
    assert_same(lambda x: ak.sum(x * ak.constant(given)) + x * 2.0, ak.constant(given))
    assert_same(lambda x: x * given + np.max(given), np.float64(X))

    w, twin = ak.Variable(given), ak.Variable(given.astype(own))
    adam, other = ak.optim.Adam(0.1), ak.optim.Adam(0.1)
    step = ak.compile(lambda: adam.minimize(lambda: ak.sum(w * w), [w]))
    for _ in range(3):
        step()
        build_kernels_now(step)
        other.minimize(lambda: ak.sum(twin * twin), [twin])
    np.testing.assert_allclose(w.numpy(), twin.numpy(), rtol=1e-6)

    if not given.dtype.isnative:
        with pytest.raises(DtypeError, match="byte order"):
            ak.compile(lambda x: x * 2.0)(given)


def test_python_numbers_raise_pythons_errors() -> None:
    def f(x: Any) -> Any:
        return 1.0 / (x * x * x * x * x * x * x * x) + x * 2.0

    compiled = ak.compile(f)
    assert compiled(2.0) == f(2.0)
    build_kernels_now(compiled)
    assert compiled(2.0) == f(2.0)
    with pytest.raises(ZeroDivisionError):
        compiled(0.0)


def test_a_dtype_that_depends_on_numbers_is_refused() -> None:
    """Integers to a negative power are fractions, which the plan has no room for."""
    compiled = ak.compile(lambda x, n: (x**n) * 1.0)
    x, n = ak.constant(np.arange(1, 9)), ak.constant(np.arange(8) % 3)
    np.testing.assert_array_equal(compiled(x, n).numpy(), (x**n).numpy())
    for _ in ("NumPy calls", "kernels"):
        with pytest.raises(ConcretizationError, match="power has dtype float64 here.*ak.cast"):
            compiled(x, n - 1)
        np.testing.assert_array_equal(compiled(x, n).numpy(), (x**n).numpy())
        build_kernels_now(compiled)


def test_integers_are_clipped_by_bounds_beyond_their_dtype() -> None:
    assert_same(lambda x: ak.clip(x, -1, 300), ak.constant(np.uint8([1, 5, 255])))


@pytest.mark.parametrize("through", [ak.compile, ak.vmap])
def test_booleans_without_a_negative_are_named(through: Any) -> None:
    with pytest.raises(DtypeError, match="negative of dtypes bool"):
        through(lambda x: -(x > 0))(ak.constant(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.5, -0.5])
def test_a_root_of_minus_infinity_is_that_of_numpy(exponent: float, dtype: Any) -> None:
    """NumPy computes the power 0.5 as a root, which is nan at -inf, where C's function has inf."""
    x = np.array([-np.inf, np.inf, -0.0, 0.0, 2.0], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal((ak.constant(x) ** exponent).numpy(), x**exponent)
        assert_same(lambda x: x**exponent, x)
        assert_same(ak.grad(lambda x: ak.sum(x**exponent)), x)
        number = ak.power(float(x[0]), exponent)
        np.testing.assert_array_equal(number.numpy(), (x**exponent)[0])
