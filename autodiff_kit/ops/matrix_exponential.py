"""The exponential of a matrix."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import opaque
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.families import general
from autodiff_kit.ops.lapack import check_matrices, cubic_flops, to_lapack_dtype

# Padé approximants of these orders are exact to float64's rounding up to these 1-norms: Higham (2005), table 2.3.
_LARGEST_NORMS = {
    3: 1.495585217958292e-2,
    5: 2.539398330063230e-1,
    7: 9.504178996162932e-1,
    9: 2.097847961257068,
    13: 5.371920351148152,
}


def _norms(x: Any) -> Any:
    """The 1-norm of each matrix, the largest sum of a column, with two axes of length 1."""
    return np.abs(x).sum(-2, keepdims=True).max(-1, keepdims=True, initial=0.0)


@cache
def _pade_coefficients(order: int) -> tuple[float, ...]:
    """The numerator's coefficients of the diagonal Padé approximant of exp, divided by the first."""
    f = math.factorial
    return tuple(f(2 * order - k) * f(order) / (f(2 * order) * f(k) * f(order - k)) for k in range(order + 1))


def _even_polynomial(coefficients: tuple[float, ...], powers: list[Any]) -> Any:
    """A polynomial in the square of a matrix, from its powers 0 to 3 and products with the last one."""
    low, high = coefficients[:4], coefficients[4:]
    total = np.add.reduce([c * p for c, p in zip(low, powers, strict=False)])
    if high:
        total = total + powers[3] @ _even_polynomial((0.0, *high), powers)
    return total


def _pade(x: Any, order: int) -> Any:
    """The diagonal Padé approximant of exp: ``(V - U)⁻¹ (V + U)`` with its odd part U and its even part V."""
    c = _pade_coefficients(order)
    square = x @ x
    powers = [np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape), square]
    while len(powers) < min(4, order // 2 + 1):
        powers.append(powers[-1] @ square)
    odd, even = x @ _even_polynomial(c[1::2], powers), _even_polynomial(c[::2], powers)
    return np.linalg.solve(even - odd, even + odd)


def _squarings(x: Any, norms: Any) -> Any:
    """How many squarings each matrix needs. Each loses digits, and a matrix with a large entry beside a diagonal needs
    fewer than its norm asks for: its powers grow more slowly. Al-Mohy and Higham (2009), algorithm 5.1.
    """
    by_norm = _steps(norms / _LARGEST_NORMS[13])
    if not by_norm.any():
        return by_norm
    exponents = np.frexp(norms)[1]
    y = np.ldexp(x.astype(np.float64), -exponents)  # of norm 1, so that no power overflows
    square = y @ y
    fourth = square @ square
    sixth = fourth @ square
    a, b, c = (_norms(p) ** (1 / k) for p, k in ((sixth, 6), (fourth @ fourth, 8), (fourth @ sixth, 10)))
    growth = np.minimum(np.maximum(a, b), np.maximum(b, c))
    by_powers = _steps(np.ldexp(growth, exponents) / _LARGEST_GROWTH)
    row = np.ones_like(y[..., :1, :])
    size = np.abs(np.ldexp(x, -by_powers))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # then the norm decides
        for _ in range(27):
            row = row @ size
        share = row.max(-1, keepdims=True, initial=0.0) / np.maximum(_norms(size), np.finfo(np.float64).tiny)
        more = np.log2(share / (math.comb(26, 13) * math.factorial(27) * 2.0**-53)) / 26
    return np.where(more < 64, np.minimum(by_norm, by_powers + np.maximum(np.ceil(more), 0).astype(np.int32)), by_norm)


def _steps(ratio: Any) -> Any:
    """How often a number is to be halved until it is at most 1."""
    return np.ceil(np.log2(np.maximum(ratio, 1.0))).astype(np.int32)


_LARGEST_GROWTH = 4.25  # of powers, for order 13


@opaque
def _exponential(x: Any) -> Any:
    """Scaling and squaring, with as many squarings as each matrix of the stack needs; nan where one is not finite."""
    norms = _norms(x)
    finite = np.isfinite(norms)
    norms = np.where(finite, norms, 0.0)
    largest = norms.max(initial=0.0)
    order = next((m for m, most in _LARGEST_NORMS.items() if largest <= most), 13)
    x = np.where(finite, x, 0.0)
    squarings = _squarings(x, norms)
    y = _pade(np.ldexp(x, -squarings).astype(x.dtype), order)
    for k in range(squarings.max(initial=0)):
        y = np.where(k < squarings, y @ y, y)
    return np.where(finite, y, np.nan).astype(x.dtype)


@opaque
def _lengths(e: Any) -> Any:
    """The 1-norms of directions, and 1 where one is 0 or not finite."""
    norms = _norms(e)
    return np.where(np.isfinite(norms) & (norms > 0.0), norms, 1.0).astype(e.dtype)


def _frechet(x: Any, e: Any) -> Any:
    """The derivative at ``x`` in the direction ``e``: a block of the exponential of ``[[x, e], [0, x]]``.

    The direction has norm 1 there, because a longer one would need more squarings, which lose digits.
    """
    n = np.shape(unwrap(x))[-1]
    length = _lengths(unwrap(e))
    above, below = (0, n), (n, 0)
    blocks = v.frame(x, width=(above, above), fill=0.0) + v.frame(x, width=(below, below), fill=0.0)
    blocks = blocks + v.frame(e / length, width=(above, below), fill=0.0)
    return v.expm(blocks)[..., :n, n:] * length


_flops = cubic_flops(24)


@general(
    lambda g, _y, x: _frechet(swap_last_axes(x), g),
    jvp=lambda t, _y, x: _frechet(x, t[0]),
    flops=_flops,
    flops_back=lambda y, x, asked: 8 * _flops(y, x) * len(asked),  # twice as many rows
)
def _expm(x: Any) -> Any:
    """The exponential of each matrix."""
    return _exponential(x)


def expm(a: Any) -> Tensor:
    """The exponential of a square matrix, or of each in a stack: ``I + a + a @ a / 2 + ...``.

    Parameters
    ----------
    a : Tensor or array_like

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the matrices are not square.

    Notes
    -----
    Scaling and squaring with Padé approximants of order 3, 5, 7, 9 or 13 [1]_ [2]_. For the exponential of each entry
    take :func:`exp`.
    **Gradient.** A block of the exponential of a matrix with twice as many rows [3]_; so are higher derivatives.
    **Cost.** About 24 n³, and more for large norms; the gradient 8 times as much.

    References
    ----------
    .. [1] N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal.
       Appl. 26(4), 2005.
    .. [2] A. H. Al-Mohy and N. J. Higham, "A new scaling and squaring algorithm for the matrix exponential", SIAM J.
       Matrix Anal. Appl. 31(3), 2009.
    .. [3] R. Mathias, "A chain rule for matrix functions and applications", SIAM J. Matrix Anal. Appl. 17(3), 1996.

    Examples
    --------
    >>> ak.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]])
    """
    (a,), back = to_lapack_dtype("expm", a)
    check_matrices("expm", a)
    return back(_expm(a))
