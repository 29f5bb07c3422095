"""The error function, the gamma function's logarithm and its derivatives over their whole range, beside SciPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, RangeError

from .harness import difference

PAIRS: dict[str, tuple[Any, Any]] = {
    "erf": (ak.erf, special.erf),
    "erfc": (ak.erfc, special.erfc),
    "lgamma": (ak.lgamma, special.gammaln),
    "digamma": (ak.digamma, special.digamma),
    **{
        f"polygamma {n}": (lambda x, n=n: ak.polygamma(n, x), lambda x, n=n: special.polygamma(n, x)) for n in (1, 2, 7)
    },
}
GAMMAS = [name for name in PAIRS if not name.startswith("erf")]
WHOLE_RANGE = np.exp(np.linspace(-40.0, 40.0, 2001))
BETWEEN_POLES = -(np.arange(12.0)[:, None] + [0.05, 0.3, 0.45, 0.7, 0.93])


@pytest.mark.parametrize("name", PAIRS)
def test_positive_numbers_of_every_size(name: str) -> None:
    ours, scipys = PAIRS[name]
    x = WHOLE_RANGE if name != "erfc" else WHOLE_RANGE[WHOLE_RANGE < 26.0]  # beyond are denormal numbers
    # SciPy's lgamma loses digits beside its zeros at 1 and 2, and its erfc at large numbers.
    np.testing.assert_allclose(
        ours(x).numpy(), scipys(x), rtol=1e-13 if name == "erfc" else 4e-15, atol=1e-15 if name == "lgamma" else 0.0
    )


@pytest.mark.parametrize("name", GAMMAS)
def test_integers_and_halves(name: str) -> None:
    """The ends of the intervals in which the formulas change."""
    ours, scipys = PAIRS[name]
    x = np.arange(1.0, 41.0) / 2
    for near in (x, np.nextafter(x, 0.0), np.nextafter(x, np.inf)):
        np.testing.assert_allclose(ours(near).numpy(), scipys(near), rtol=4e-15, atol=2e-15)


@pytest.mark.parametrize("name", PAIRS)
def test_negative_numbers(name: str) -> None:
    ours, scipys = PAIRS[name]
    np.testing.assert_allclose(ours(BETWEEN_POLES).numpy(), scipys(BETWEEN_POLES), rtol=2e-13, atol=1e-13)


@pytest.mark.parametrize("name", GAMMAS)
def test_poles_infinities_and_nan_are_scipys(name: str) -> None:
    ours, scipys = PAIRS[name]
    x = np.array([0.0, -0.0, -1.0, -2.0, -1e16, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(ours(x).numpy(), scipys(x))


@pytest.mark.parametrize("zero", [1, 2])
def test_lgamma_keeps_its_digits_beside_its_zeros(zero: int) -> None:
    """Beside SciPy's zeta function: the Taylor series there has its values as coefficients."""
    x = zero + np.array([-1e-3, -1e-6, 1e-9, 1e-5, 1e-3])
    d = x - zero
    series = (zero - 1 - np.euler_gamma) * d
    for k in range(2, 8):
        series = series + (-d) ** k * special.zeta(k, zero) / k
    np.testing.assert_allclose(ak.lgamma(x).numpy(), series, rtol=2e-15)


def test_digamma_keeps_its_digits_beside_its_root() -> None:
    """Between two neighbouring numbers the sign changes, and the values are the distances times the slope."""
    below = 1.4616321449683622
    rest = 9.549995429965697e-17
    slope = special.polygamma(1, below)
    above = np.nextafter(below, 2.0)
    expected = [-rest * slope, (above - below - rest) * slope]
    np.testing.assert_allclose(ak.digamma([below, above]).numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_derivatives_at_negative_numbers(name: str) -> None:
    """First and second derivatives, where the rules' cases draw positive numbers only."""
    ours, scipys = PAIRS[name]
    x = np.array([-0.3, -0.62, -1.4, -2.55, -7.5])
    one = np.ones_like(x)
    first = ak.grad(lambda x: ours(x).sum())
    measured = difference(scipys, (x,), (one,))
    np.testing.assert_allclose(first(x).numpy(), measured, rtol=1e-6, atol=1e-6 * np.abs(measured).max())
    second = difference(lambda x: first(x).numpy(), (x,), (one,))
    found = ak.grad(lambda x: first(x).sum())(x).numpy()
    np.testing.assert_allclose(found, second, rtol=1e-6, atol=1e-6 * np.abs(second).max())


@pytest.mark.parametrize("name", PAIRS)
def test_dtypes_and_empty_arrays(name: str) -> None:
    ours, scipys = PAIRS[name]
    for kind in ("int8", "int16", "int64", "float16", "float32"):
        y = ours(np.array([[1, 2]], kind))
        assert y.dtype == np.sqrt(np.array([1], kind)).dtype
        np.testing.assert_allclose(y.numpy().astype(float), scipys(np.array([[1.0, 2.0]])), rtol=2e-3, atol=1e-3)
    assert ours(np.zeros((0, 2))).shape == (0, 2)


def test_known_values() -> None:
    assert float(ak.lgamma(171.0)) == pytest.approx(math.log(math.factorial(170)), rel=1e-15)
    assert float(ak.lgamma(0.5)) == pytest.approx(math.log(math.pi) / 2, rel=1e-15)
    assert float(ak.digamma(0.5)) == pytest.approx(-np.euler_gamma - 2 * math.log(2), rel=1e-15)
    assert float(ak.polygamma(1, 0.5)) == pytest.approx(math.pi**2 / 2, rel=1e-15)


def test_an_order_is_an_integer_from_0() -> None:
    with pytest.raises(RangeError, match="from 0 to 100, got -1"):
        ak.polygamma(-1, 2.0)
    with pytest.raises(ArgumentError, match="integer"):
        ak.polygamma(1.5, 2.0)


@pytest.mark.parametrize("name", PAIRS)
def test_a_value_does_not_depend_on_its_neighbours(name: str) -> None:
    """Series that no entry needs are left out, so an array of few numbers computes other things than a long one."""
    ours = PAIRS[name][0]
    x = np.concatenate([WHOLE_RANGE[900:1200:7], BETWEEN_POLES.ravel(), [0.0, -1.0, 1.5, 9.0, np.inf, -np.inf, np.nan]])
    alone = [ours(x[k : k + 1]).numpy()[0] for k in range(x.size)]
    np.testing.assert_array_equal(ours(x).numpy(), alone)
