"""Special functions: the error function, the logarithm of the gamma function and its derivatives.

Float64 values are accurate to a few units in the last place, except near zeros at negative arguments, where the
reflection formulas lose digits. Smaller dtypes are computed in float64. Equation numbers are those of the *NIST Digital
Library of Mathematical Functions*, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import opaque
from autodiff_kit.errors import RangeError
from autodiff_kit.ops.axes import checked_int
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import elementwise

_TWO_BY_SQRT_PI = 2.0 / math.sqrt(math.pi)


def _in_float64(function: Callable[..., Any], x: Any, *parameters: Any) -> Any:
    """A function of float64 arrays, in the dtype that NumPy's functions give: integers become floats."""
    x = np.asarray(x)
    with np.errstate(all="ignore"):  # poles are values here, and branches that are not chosen are computed too
        y = function(x.astype(np.float64), *parameters)
        return np.asarray(y).astype(np.result_type(x.dtype, np.float16))[()]


# -------------------------------------------------------------------------------- error function
def _by_entry(x: Any, function: Callable[[float], float]) -> Any:
    """A function of the C library for each entry."""
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


@opaque
def _erf_values(x: Any) -> Any:
    return _in_float64(_by_entry, x, math.erf)


@opaque
def _erfc_values(x: Any) -> Any:
    return _in_float64(_by_entry, x, math.erfc)


def _gaussian(x: Any) -> Any:
    """The derivative of the error function."""
    return _TWO_BY_SQRT_PI * v.exp(-(x * x))


@elementwise(
    lambda g, _y, x: g * _gaussian(x),
    scalar=math.erf,
    points=(((0.0,), (_TWO_BY_SQRT_PI,)), ((np.inf,), (0.0,)), ((-np.inf,), (0.0,))),
)
def erf(x: Any) -> Any:
    """The error function, ``2/sqrt(π)`` times the integral of ``exp(-t²)`` from 0 to ``x``.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** ``2/sqrt(π) exp(-x²)``. **Cost.** A call of the C library for each entry.

    Examples
    --------
    >>> ak.erf([0.0, 1.0]).numpy().round(6)
    array([0.      , 0.842701])
    """
    return _erf_values(x)


@elementwise(
    lambda g, _y, x: -(g * _gaussian(x)),
    scalar=math.erfc,
    points=(((0.0,), (-_TWO_BY_SQRT_PI,)), ((np.inf,), (0.0,))),
)
@sections_of(erf)
def erfc(x: Any) -> Any:
    """The complementary error function, ``1 - erf(x)``, accurate where that difference rounds to 0.

    Notes
    -----
    **Gradient.** ``-2/sqrt(π) exp(-x²)``. **Cost.** A call of the C library for each entry.

    Examples
    --------
    >>> float(ak.erfc(10.0))
    2.0884875837625...e-45
    """
    return _erfc_values(x)


# -------------------------------------------------------------------------------- zeta function
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""The Bernoulli numbers B2, B4, ... B20."""


def _hurwitz_zeta(s: Any, a: Any) -> Any:
    """The sum of ``(k + a)**-s`` over ``k = 0, 1, ...``, for ``s >= 2`` and ``a > 0``: the Euler-Maclaurin formula.

    DLMF 25.11.5. Terms are added from the smallest to the largest.
    """
    terms = 10 + int(np.max(s))
    end = a + terms
    factor = s * end ** (-s - 1.0)
    rest = 0.0
    for k, b in enumerate(_BERNOULLI, 1):
        rest = rest + b / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (end * end)
    total = rest + 0.5 * end**-s + end ** (1.0 - s) / (s - 1.0)
    for k in reversed(range(terms)):
        total = total + (k + a) ** -s
    return total


def _horner(coefficients: Any, z: Any) -> Any:
    """A polynomial, from its coefficients in ascending order. Python numbers are faster here than NumPy's."""
    y = np.full(np.shape(z), coefficients[-1])
    for c in coefficients[-2::-1]:
        y *= z
        y += c
    return y


# -------------------------------------------------------------------------------- logarithm of the gamma function
_ASYMPTOTIC = 9.0  # above it the expansions for large arguments are used


def _steps_down(x: Any, least: float, missing: float) -> tuple[Any, Any]:
    """Arguments reduced by integers to ``[least, least + 1)``, where they are larger, and what is passed on the way.

    Each row of the second array holds the argument after one more step, or ``missing`` where it needs no further one.
    """
    steps = np.arange(1.0, _ASYMPTOTIC + 1.0).reshape((-1,) + (1,) * x.ndim)
    passed = x - steps  # exact, as each step of 1 would be
    needed = passed >= least
    return x - np.count_nonzero(needed, axis=0), np.where(needed, passed, missing)


@cache
def _lgamma_coefficients() -> Any:
    """The Taylor coefficients of ``lgamma(2 + z)`` at 0; DLMF 5.7.3."""
    k = np.arange(2.0, 30.0)
    return [0.0, 1.0 - np.euler_gamma, *((-1.0) ** k * _hurwitz_zeta(k, 2.0) / k).tolist()]


def _lgamma_near_two(z: Any) -> Any:
    """``lgamma(2 + z)`` for ``|z| <= 1/2``."""
    return _horner(_lgamma_coefficients(), z)


def _lgamma_above(x: Any) -> Any:
    """``lgamma(x)`` for ``x > -1/2``: a Taylor series up to 9, from the recurrence, and Stirling's series above."""
    reduced, passed = _steps_down(np.clip(x, 1.5, _ASYMPTOTIC), 1.5, missing=1.0)
    middle, below = x < 1.5, x <= 0.5
    z = np.where(below, x, np.where(middle, x - 1.0, reduced - 2.0))  # one series for all: its terms are the cost
    near = _lgamma_near_two(z) - np.where(middle, np.log1p(z), -np.log(np.prod(passed, axis=0)))
    near = near - np.where(below, np.log(np.abs(z)), 0.0)
    if np.all(x < _ASYMPTOTIC):
        return near
    large = np.maximum(x, _ASYMPTOTIC)
    series = _horner([b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1)], large**-2.0) / large
    far = (large - 0.5) * (np.log(large) - 1.0) + (0.5 * math.log(2.0 * math.pi) - 0.5) + series  # DLMF 5.11.1
    return np.where(x < _ASYMPTOTIC, near, far)


def _from_nearest_integer(x: Any) -> Any:
    """``x`` minus the nearest integer, exactly; a zero keeps its sign."""
    return np.where(x == 0.0, x, x - np.round(x))


def _is_negative_integer(x: Any) -> Any:
    return (x < 0.0) & (x == np.floor(x))


def _lgamma(x: Any) -> Any:
    """``lgamma(x)`` in float64; by reflection, DLMF 5.5.3, below -1/2."""
    if not np.any(x < -0.5):
        return _lgamma_above(x)
    size = np.where(x < -0.5, -x, x)
    sine = np.abs(np.sin(np.pi * _from_nearest_integer(x)))
    found = _lgamma_above(size)
    reflected = np.log(np.pi / sine) - np.log(size) - found
    poles = np.where(_is_negative_integer(x), np.copysign(np.inf, np.where(np.isinf(x), x, 1.0)), reflected)
    return np.where(x < -0.5, poles, found)


@opaque
def _lgamma_values(x: Any) -> Any:
    return _in_float64(_lgamma, x)


@elementwise(
    lambda g, _y, x: g * v.digamma(x),
    domain="positive",
    points=(((0.0,), (-np.inf,)), ((-0.0,), (np.inf,)), ((-1.0,), (np.nan,)), ((np.inf,), (np.inf,))),
)
def lgamma(x: Any) -> Any:
    """The logarithm of the absolute value of the gamma function, ``log|Γ(x)|``.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor
        At 0 and the negative integers, the poles of the gamma function, ``inf``.

    Notes
    -----
    **Gradient.** :func:`digamma`; at the poles it is infinite at 0 and nan at negative integers.

    Examples
    --------
    >>> ak.lgamma([1.0, 5.0]).numpy().round(6)
    array([0.      , 3.178054])
    """
    return _lgamma_values(x)


# -------------------------------------------------------------------------------- its derivatives
_ROOT = 1.4616321449683622  # where digamma is 0 (OEIS A030169), rounded to float64,
_ROOT_REST = 9.549995429965697e-17  # and the rest of the root


@cache
def _digamma_coefficients() -> Any:
    """The Taylor coefficients of digamma at its root, divided by the distance from it."""
    k = np.arange(2.0, 42.0)
    return ((-1.0) ** k * _hurwitz_zeta(k, _ROOT)).tolist()


def _digamma_of_positive(x: Any) -> Any:
    """``digamma(x)`` for ``x > 0``: the Taylor series at the root up to 9, and the asymptotic series above."""
    start = np.where(x < 1.0, x + 1.0, x)
    reduced, passed = _steps_down(np.clip(start, 1.0, _ASYMPTOTIC), 1.0, missing=np.inf)
    distance = (reduced - _ROOT) - _ROOT_REST
    near = distance * _horner(_digamma_coefficients(), distance)
    for inverse in 1.0 / passed[::-1]:
        near = near + inverse
    near = np.where(x < 1.0, near - 1.0 / x, near)
    if np.all(x < _ASYMPTOTIC):
        return near
    large = np.maximum(x, _ASYMPTOTIC)
    z = large**-2.0
    far = np.log(large) - 0.5 / large - z * _horner([b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)], z)
    return np.where(x < _ASYMPTOTIC, near, far)  # DLMF 5.11.2


def _digamma(x: Any) -> Any:
    """``digamma(x)`` in float64; by reflection, DLMF 5.5.4, below 0."""
    if not np.any(x <= 0.0):
        return _digamma_of_positive(x)
    found = _digamma_of_positive(np.where(x <= 0.0, 1.0 - x, x))
    reflected = found - np.pi / np.tan(np.pi * _from_nearest_integer(x))
    return np.where(x <= 0.0, np.where(_is_negative_integer(x), np.nan, reflected), found)


@opaque
def _digamma_values(x: Any) -> Any:
    return _in_float64(_digamma, x)


@elementwise(
    lambda g, _y, x: g * v.polygamma(x, n=1),
    domain="positive",
    points=(((0.0,), (np.inf,)), ((-1.0,), (np.inf,)), ((np.inf,), (0.0,))),
)
def digamma(x: Any) -> Any:
    """The digamma function, the derivative of :func:`lgamma`.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor
        At 0.0 minus infinity, at -0.0 infinity, and at the negative integers, where the sides differ, nan.

    Notes
    -----
    **Gradient.** :func:`polygamma` of order 1.

    Examples
    --------
    >>> float(ak.digamma(1.0))
    -0.57721566490153...
    """
    return _digamma_values(x)


@cache
def _cotangent_coefficients(n: int) -> Any:
    """The ``n``-th derivative of cot(x) as a polynomial in cot(x); each derivative is ``-(1 + c²)`` times that by c."""
    c = np.polynomial.Polynomial([0.0, 1.0])
    p = c
    for _ in range(n):
        p = -(1.0 + c * c) * p.deriv()
    return p.coef.tolist()


def _polygamma_float64(x: Any, n: int) -> Any:
    """The ``n``-th derivative of digamma: a zeta function, DLMF 25.11.12; by reflection, DLMF 5.15.6, below 0."""
    sign = (-1.0) ** (n + 1)
    found = sign * math.factorial(n) * _hurwitz_zeta(n + 1.0, np.where(x <= 0.0, 1.0 - x, x))
    cotangent = 1.0 / np.tan(np.pi * _from_nearest_integer(x))
    reflected = -sign * found - np.pi ** (n + 1) * _horner(_cotangent_coefficients(n), cotangent)
    poles = np.where((x == 0.0) | _is_negative_integer(x), sign * np.inf, reflected)
    return np.where(x <= 0.0, poles, found)


@opaque
def _polygamma_values(x: Any, n: int) -> Any:
    return _in_float64(_polygamma_float64, x, n)


@elementwise(
    lambda g, _y, x, *, n: g * v.polygamma(x, n=n + 1),
    domain="positive",
    points=(((0.0,), (-np.inf,), {"n": 1}), ((-1.0,), (-np.inf,), {"n": 1}), ((np.inf,), (0.0,), {"n": 1})),
)
def _polygamma(x: Any, n: int) -> Any:
    """The ``n``-th derivative of digamma, for ``n`` from 1."""
    return _polygamma_values(x, n)


_HIGHEST_ORDER = 100


def polygamma(n: int, x: Any) -> Tensor:
    """The polygamma function, the ``n``-th derivative of :func:`digamma`; of order 1 it is called trigamma.

    Parameters
    ----------
    n : int
        From 0, digamma itself, to 100.
    x : Tensor or array_like

    Returns
    -------
    Tensor
        At 0 and the negative integers ``inf`` for odd orders and ``-inf`` for even ones from 2, as SciPy's.

    Raises
    ------
    RangeError
        If there is no such order.

    Notes
    -----
    **Gradient.** The function of the next order. **Cost.** ``11 + n`` powers for each entry.

    Examples
    --------
    >>> float(ak.polygamma(1, 1.0)), np.pi**2 / 6
    (1.644934066848..., 1.644934066848...)
    """
    order = checked_int(n, "polygamma: n")
    if not 0 <= order <= _HIGHEST_ORDER:
        raise RangeError(f"polygamma: n must be from 0 to {_HIGHEST_ORDER}, got {order}")
    return _polygamma(x, order) if order else digamma(x)
