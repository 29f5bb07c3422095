"""The table of edge cases: points that random inputs never hit, and the kit's gradients there.

The rule for the numbers: the derivative if it exists; otherwise the subgradient of smallest norm; otherwise the limit,
which may be infinite; otherwise nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import RangeError, StructureError

from .harness import recorded

INF, NAN = np.inf, np.nan


def slopes(f: Any, *points: Any) -> list[Any]:
    with np.errstate(all="ignore"):
        tape, xs, y = recorded(f, [np.asarray(p, float) for p in points])
        return [None if g is None else g.numpy() for g in tape.gradient(y, xs)]


def _pooled(x: Any) -> Any:
    return ak.nn.max_pool2d(x.reshape((1, 2, 2, 1)), 2)


POINTS: list[tuple[str, Any, tuple[Any, ...], tuple[Any, ...]]] = [
    ("where log at 0", lambda x: ak.where(x > 0, ak.log(x), 0.0), (0.0,), (NAN,)),
    ("where sqrt at 0", lambda x: ak.where(x > 0, ak.sqrt(x), 0.0), (0.0,), (NAN,)),
    ("where sqrt", lambda x: ak.where(x > 0, ak.sqrt(x), 0.0), ([-1.0, 0.0, 4.0],), ([NAN, NAN, 0.25],)),
    (
        "where inside where",
        lambda x: ak.where(x > 0, ak.sqrt(ak.where(x > 0, x, 1.0)), 0.0),
        ([-1.0, 0.0, 4.0],),
        ([0.0, 0.0, 0.25],),
    ),
    ("maximum at a tie", ak.maximum, (2.0, 2.0), (0.5, 0.5)),
    ("minimum at a tie", ak.minimum, ([2.0, 1.0], [2.0, 3.0]), ([0.5, 1.0], [0.5, 0.0])),
    ("max of equals", ak.max, ([1.0, 1.0, 0.0],), ([0.5, 0.5, 0.0],)),
    ("min of equals", ak.min, ([1.0, 0.0, 0.0],), ([0.0, 0.5, 0.5],)),
    ("abs at 0", ak.abs, ([0.0, -0.0, -2.0],), ([0.0, 0.0, -1.0],)),
    ("sqrt at 0", ak.sqrt, (0.0,), (INF,)),
    ("1/sqrt at 0", lambda x: x**-0.5, (0.0,), (-INF,)),
    ("power(0, 0)", ak.power, (0.0, 0.0), (0.0, 0.0)),
    ("power(0, -1)", ak.power, (0.0, -1.0), (-INF, NAN)),
    ("power(-2, 2)", ak.power, (-2.0, 2.0), (-4.0, NAN)),
    ("power of a negative number to a constant", lambda x: x**3, (-2.0,), (12.0,)),
    ("power of a negative number to a fraction", lambda x: x**0.5, (-8.0,), (NAN,)),
    ("power to 0", lambda x: x**0, ([0.0, 3.0],), ([0.0, 0.0],)),
    ("norm at the origin", ak.norm, ([0.0, 0.0],), ([0.0, 0.0],)),
    ("norm 1 at 0", lambda x: ak.norm(x, 1), ([0.0, -3.0],), ([0.0, -1.0],)),
    ("norm inf at a tie", lambda x: ak.norm(x, INF), ([1.0, -1.0],), ([0.5, -0.5],)),
    ("std of equals", ak.std, ([2.0, 2.0, 2.0],), ([0.0, 0.0, 0.0],)),
    ("relu at 0", ak.nn.relu, ([0.0, -1.0, 2.0],), ([0.0, 0.0, 1.0],)),
    ("relu of nan", ak.nn.relu, ([NAN, 1.0],), ([NAN, 1.0],)),
    ("leaky relu at 0", lambda x: ak.nn.leaky_relu(x, 0.3), ([0.0, -1.0, 1.0],), ([0.3, 0.3, 1.0],)),
    ("clip at its bounds", lambda x: ak.clip(x, -1.0, 1.0), ([-1.0, 0.0, 1.0],), ([0.0, 1.0, 0.0],)),
    ("clip of (1, -1, 1)", ak.clip, (1.0, -1.0, 1.0), (0.5, 0.0, 0.5)),
    ("clip with its bounds crossed", lambda x: ak.clip(x, 3.0, 1.0), ([0.0, 2.0, 4.0],), ([0.0, 0.0, 0.0],)),
    ("sort with ties", lambda x: ak.sort(x) * np.array([1.0, 2.0, 3.0]), ([1.0, 1.0, 0.0],), ([2.0, 3.0, 1.0],)),
    ("logsumexp far out", ak.logsumexp, ([1000.0, 1000.0],), ([0.5, 0.5],)),
    ("logsumexp of nothing but -inf", ak.logsumexp, ([-INF, -INF],), ([0.0, 0.0],)),
    ("logaddexp of -inf twice", ak.logaddexp, (-INF, -INF), (0.5, 0.5)),
    ("logaddexp of -inf and 1", ak.logaddexp, (-INF, 1.0), (0.0, 1.0)),
    ("prod with a 0", ak.prod, ([0.0, 2.0, 3.0],), ([6.0, 0.0, 0.0],)),
    ("prod with two 0", ak.prod, ([0.0, 0.0, 3.0],), ([0.0, 0.0, 0.0],)),
    ("prod of rows with a 0", lambda x: ak.prod(x, 1), ([[0.0, 2.0], [4.0, 5.0]],), ([[2.0, 0.0], [5.0, 4.0]],)),
    ("cumprod with a 0", ak.cumprod, ([2.0, 0.0, 3.0],), ([1.0, 8.0, 0.0],)),
    ("cumprod with two 0", ak.cumprod, ([0.0, 0.0, 3.0],), ([1.0, 0.0, 0.0],)),
    ("a position twice", lambda x: x[[0, 0, 1]], ([5.0, 6.0],), ([2.0, 1.0],)),
    ("acos at 1", ak.acos, (1.0,), (-INF,)),
    ("acos at -1", ak.acos, (-1.0,), (-INF,)),
    ("atan2 at the origin", ak.atan2, (0.0, 0.0), (0.0, 0.0)),
    ("hypot at the origin", ak.hypot, (0.0, 0.0), (0.0, 0.0)),
    ("x log x at 0", lambda x: x * ak.log(x), (0.0,), (NAN,)),
    ("xlogy(0, 0)", ak.xlogy, (0.0, 0.0), (0.0, 0.0)),
    ("0/0", ak.divide, (0.0, 0.0), (INF, NAN)),
    ("sinc at 0", ak.sinc, (0.0,), (0.0,)),
    ("asinh at 0", ak.asinh, (0.0,), (1.0,)),
    ("mod(6, 3)", ak.mod, (6.0, 3.0), (1.0, -2.0)),
    ("mod(-7, 3)", ak.mod, (-7.0, 3.0), (1.0, 3.0)),
    ("tanh at 50", ak.tanh, (50.0,), (0.0,)),
    ("floor", ak.floor, (1.5,), (None,)),
    ("round", ak.round, ([1.5],), (None,)),
    ("softplus far out", ak.softplus, ([-800.0, 800.0],), ([0.0, 1.0],)),
    ("sigmoid far out", ak.sigmoid, ([-1000.0, 1000.0],), ([0.0, 0.0],)),
    ("maximum of nan", ak.maximum, (NAN, 1.0), (0.0, 0.0)),  # the value is nan; its gradient is arbitrary
    ("minimum of nan", ak.minimum, (1.0, NAN), (0.0, 0.0)),
    ("norm inf at the origin", lambda x: ak.norm(x, INF), ([0.0, 0.0],), ([0.0, 0.0],)),
    ("1 over sqrt at 0", lambda x: 1 / ak.sqrt(x), (0.0,), (-INF,)),
    ("logsumexp of inf", ak.logsumexp, ([INF, 0.0],), ([NAN, 0.0],)),  # inf - inf is nan
    (
        "sort of columns with ties",
        lambda x: ak.sort(x, 0) * np.array([[1.0], [2.0], [3.0]]),
        ([[1.0, 3.0], [1.0, 2.0], [0.0, 2.0]],),
        ([[2.0, 3.0], [3.0, 1.0], [1.0, 2.0]],),
    ),
    ("the largest of a window, first of equals", _pooled, ([[5.0, 5.0], [5.0, 1.0]],), ([[1.0, 0.0], [0.0, 0.0]],)),
    ("det of a singular matrix", ak.det, ([[1.0, 2.0], [2.0, 4.0]],), ([[4.0, -2.0], [-2.0, 1.0]],)),
    ("segment_max of equals", lambda x: ak.segment.segment_max(x, [0, 0, 1]), ([2.0, 2.0, 1.0],), ([0.5, 0.5, 1.0],)),
    ("segment_prod of a 0", lambda x: ak.segment.segment_prod(x, [0, 0, 1]), ([0.0, 2.0, 3.0],), ([2.0, 0.0, 1.0],)),
    ("std of one", lambda x: ak.std(x, ddof=1), ([3.0],), ([NAN],)),
    ("variance of one", lambda x: ak.var(x, ddof=1), ([3.0],), ([NAN],)),
]


@pytest.mark.filterwarnings("ignore:the degrees of freedom")  # the variance of one entry warns
@pytest.mark.parametrize(("f", "points", "expected"), [p[1:] for p in POINTS], ids=[p[0] for p in POINTS])
def test_gradient_at(f: Any, points: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    for found, e in zip(slopes(f, *points), expected, strict=True):
        if e is None:
            assert found is None
        else:
            np.testing.assert_allclose(found, e, rtol=1e-13)


@pytest.mark.parametrize("rows", [1, 200])  # of many a compiled loop runs
@pytest.mark.parametrize("axis", [-1, 0])
def test_the_weights_of_logsumexp_are_exact_however_large_its_value(rows: int, axis: int) -> None:
    """Without a division by their sum, weights of float32 around 1e6 would be wrong by a hundredth."""
    small = np.tile(np.array([0.125, 0.25, 1.0, -0.5]), (rows, 1))
    x = (small + 1e6 if axis == -1 else small.T + 1e6).astype(np.float32)
    expected = np.exp(small) / np.exp(small).sum(-1, keepdims=True)
    expected = expected if axis == -1 else expected.T
    f = lambda t: ak.sum(ak.logsumexp(t, axis))  # noqa: E731
    direction = np.ones_like(x)
    direction[-1] = 0
    for found in (ak.grad(f)(x), ak.compile(ak.grad(f))(x)):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    tangent = ak.jvp(f, (x,), (direction,))[1]
    np.testing.assert_allclose(float(tangent), (direction * expected).sum(), rtol=1e-6)


SECOND: list[tuple[str, Any, Any, float]] = [
    ("x**1 at 0", lambda x: x**1.0, 0.0, 0.0),
    ("x**2 at 0", lambda x: x**2, 0.0, 2.0),
    ("x**3 at 0", lambda x: x**3, 0.0, 0.0),
    ("sinc at 0", ak.sinc, 0.0, -(np.pi**2) / 3),
    ("sinc near 0", ak.sinc, 1e-4, -(np.pi**2) / 3),
    ("elu at 0", ak.nn.elu, 0.0, 0.0),
    ("relu at 2", ak.nn.relu, 2.0, 0.0),
    ("softplus at 0", ak.softplus, 0.0, 0.25),
]


@pytest.mark.parametrize(("f", "point", "expected"), [s[1:] for s in SECOND], ids=[s[0] for s in SECOND])
def test_second_derivative_at(f: Any, point: float, expected: float) -> None:
    with np.errstate(all="ignore"):
        found = float(ak.grad(ak.grad(f))(point))
    assert found == pytest.approx(expected, rel=1e-6)


def test_the_derivative_of_sinc_is_accurate_near_0() -> None:
    """No digits are lost between the series and the quotient: -π²x/3 to the fifth order, on both sides of it."""
    for x in (1e-8, 1e-4, 0.009, 0.011, 0.02):
        series = -(np.pi**2) * x / 3 + np.pi**4 * x**3 / 30 - np.pi**6 * x**5 / 840 + np.pi**8 * x**7 / 45360
        assert float(ak.grad(ak.sinc)(x)) == pytest.approx(series, rel=1e-11)


@pytest.mark.parametrize("order", range(1, 13))
def test_derivatives_of_sinc_of_every_order(order: int) -> None:
    """Near 0, at both sides of where the series ends, and farther out; of order n the recurrence loses most at n."""
    f: Any = ak.sinc
    for _ in range(order):
        f = ak.grad(f)
    nodes, share = np.polynomial.legendre.leggauss(80)
    t = (nodes + 1.0) / 2.0
    for x in (0.0, 1e-9, 0.009, 0.011, 0.3, 0.63, 0.65, 0.95, 1.2, 1.6, 2.0, 3.3):
        exact = np.pi**order * np.sum(share / 2.0 * t**order * np.cos(np.pi * x * t + order * np.pi / 2.0))
        assert float(f(x)) == pytest.approx(exact, rel=1e-12, abs=2e-15 * np.pi**order)
    at_0 = 0.0 if order % 2 else (-1.0) ** (order // 2) * np.pi**order / (order + 1)
    assert float(f(0.0)) == pytest.approx(at_0, rel=1e-15)


def test_the_slope_of_sinc_in_float32() -> None:
    x = np.array([1e-4, 0.01, 0.1, 0.7, 0.8], np.float32)
    z = np.pi * x.astype(float)
    exact = np.pi * (np.cos(z) * z - np.sin(z)) / z**2
    exact[0] = -np.pi * z[0] / 3
    np.testing.assert_allclose(ak.grad(lambda x: ak.sum(ak.sinc(x)))(x).numpy(), exact, rtol=1e-6)


def test_the_hessian_of_a_determinant_inside_an_open_tape() -> None:
    """A tape outside asks for a third derivative only where one is taken: the second is right at singular matrices."""
    x = ak.Variable(np.ones((2, 2)))
    with ak.GradientTape() as tape:
        hessian = ak.hessian(ak.det)(x)
    expected = np.zeros((2, 2, 2, 2))
    expected[0, 0, 1, 1] = expected[1, 1, 0, 0] = 1.0
    expected[0, 1, 1, 0] = expected[1, 0, 0, 1] = -1.0
    np.testing.assert_allclose(hessian.numpy(), expected, atol=1e-15)
    with pytest.raises(StructureError, match="singular"):
        tape.gradient(hessian, x)


def test_the_third_derivative_of_a_determinant() -> None:
    """det is linear in each row, so that differences of sums are its mixed third derivative of 3 by 3."""
    a, b, c, d = np.random.default_rng(5).normal(size=(4, 3, 3))
    f = lambda s: ak.det(a + s[0] * b + s[1] * c + s[2] * d)  # noqa: E731
    det = np.linalg.det
    expected = det(b + c + d) - det(b + c) - det(b + d) - det(c + d) + det(b) + det(c) + det(d)
    backward = ak.grad(lambda s: ak.grad(lambda s: ak.grad(f)(s)[0])(s)[1])(np.zeros(3))[2]
    forward = ak.jvp(ak.hessian(f), (np.zeros(3),), (np.array([0.0, 0.0, 1.0]),))[1][0, 1]
    assert float(backward) == pytest.approx(expected)
    assert float(forward) == pytest.approx(expected)


def test_the_hessian_of_a_product_with_a_zero() -> None:
    np.testing.assert_array_equal(
        ak.hessian(ak.prod)([0.0, 2.0, 3.0]).numpy(), [[0.0, 3.0, 2.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    )


def test_the_gradient_of_a_constant_exponent_is_not_computed() -> None:
    """d(a**b)/db of a negative base is nan; for a number b it is not even computed, so there is no warning."""
    assert float(ak.grad(lambda x: x**2)(-2.0)) == -4.0
    np.testing.assert_array_equal(ak.grad(lambda x: (x**2.0).sum())([-2.0, 0.0]).numpy(), [-4.0, 0.0])


def test_functions_of_no_entries_agree_with_numpy() -> None:
    """The mean of no entries is nan, their maximum an error; argmax returns the first of equal entries."""
    with pytest.warns(RuntimeWarning, match="empty|invalid"):
        assert np.isnan(float(ak.mean(np.zeros(0))))
    with pytest.raises(ValueError, match="max"):
        ak.max(np.zeros(0))
    assert (ak.argmax([1.0, 1.0, 0.0]).tolist(), ak.argmin([1.0, 0.0, 0.0]).tolist()) == (0, 1)


def test_variance_of_one_warns() -> None:
    with pytest.warns(RuntimeWarning, match="degrees of freedom"):
        ak.std([3.0], ddof=1)


def test_equal_eigenvalues_give_the_values_their_slopes_and_refuse_the_vectors() -> None:
    slope = ak.grad(lambda a: ak.sum(ak.eigvalsh(a)))(np.eye(3))
    np.testing.assert_allclose(slope.numpy(), np.eye(3), atol=1e-15)
    with pytest.raises(StructureError, match="eigenvalue"):
        ak.grad(lambda a: ak.sum(ak.eigh(a)[1] * np.arange(9.0).reshape(3, 3)))(np.eye(3))


def test_positions_out_of_range_are_an_error() -> None:
    with pytest.raises(RangeError, match="index"):
        ak.constant([1.0, 2.0])[5]


def test_softmax_of_minus_infinities() -> None:
    """Without a mask it is nan, with a mask a row of zeros whose gradient is 0."""
    assert np.isnan(ak.nn.softmax([-INF, -INF]).numpy()).all()
    tape, (x,), y = recorded(lambda x: ak.nn.masked_softmax(x, [False, False]), ([-INF, -INF],))
    np.testing.assert_array_equal(y.numpy(), [0.0, 0.0])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0.0, 0.0])


def test_float16_is_summed_in_float32() -> None:
    """3,000 ones added one by one in float16 stop at 2048; sums, unbroadcast gradients and gathers do not."""
    ones = np.ones(3000, np.float16)
    assert float(ak.sum(ones)) == 3000.0
    assert float(ak.mean(ones)) == 1.0
    tape, (x,), y = recorded(lambda x: x * ones, (np.float16(1.0),))
    assert float(tape.gradient(y, x)) == 3000.0
    tape, (x,), y = recorded(lambda x: ak.take(x, np.zeros(3000, int)), (np.ones(2, np.float16),))
    g = tape.gradient(y, x)
    assert (g.dtype, g.numpy().tolist()) == (np.float16, [3000.0, 0.0])
    columns = np.ones((3000, 2), np.float16)  # along columns NumPy adds entry by entry, not pairwise
    assert ak.sum(columns, axis=0).tolist() == [3000.0, 3000.0]
    tape, (x,), y = recorded(lambda x: x * columns, (np.ones(2, np.float16),))
    assert tape.gradient(y, x).tolist() == [3000.0, 3000.0]
    assert float(ak.norm(ones)) == pytest.approx(3000**0.5, rel=1e-3)


def test_dtypes_are_promoted_as_numpy_does() -> None:
    """Python numbers are weakly typed; arrays decide; a float64 scalar tensor is a float64."""
    single, half, whole = ak.constant([1.0], "float32"), ak.constant([1.0], "float16"), ak.constant([1, 2])
    assert (single * 2.0).dtype == (2 - single).dtype == np.float32
    assert (half + single).dtype == np.float32
    assert (single * whole).dtype == np.result_type(np.float32, np.int64)
    assert (single * ak.constant(2.0)).dtype == np.float64
    assert (whole / 2).dtype == np.float64
    assert (whole**-1).numpy().tolist() == [1.0, 0.5]
    assert ak.constant(3).dtype == np.int64
    assert ak.xlogy(single, 2.0).dtype == np.float32
