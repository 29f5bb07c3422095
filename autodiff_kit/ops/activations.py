"""Activation functions of neural networks: relu, leaky_relu, elu, gelu."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.kernels.vector_math import GELU_CUBIC, GELU_FAR, GELU_LINEAR
from autodiff_kit.ops.arithmetic import multiply
from autodiff_kit.ops.comparison import greater
from autodiff_kit.ops.families import elementwise
from autodiff_kit.ops.in_place import entrywise_loop
from autodiff_kit.ops.number_parameters import is_followed, parameter_beside
from autodiff_kit.ops.promotion import floating_array, number_or_array
from autodiff_kit.ops.selection import select


def _relu_derivative(x: Any) -> Any:
    """1 for positive entries, 0 for the others, nan for nan; a mask that was saved instead of the input is returned
    unchanged.
    """
    x = unwrap(x)
    if type(x) is float:
        return 1.0 if x > 0 else 0.0 if x == x else x
    if x.dtype == np.bool_:
        return x
    y = np.maximum(x, 0)  # the value of relu, which a plan of `ak.compile` keeps anyway: it need not keep x
    return np.where(np.isnan(y), y, y > 0).astype(x.dtype)


def _elementwise_kernel(name: str, x: Any) -> Any:
    """The compiled loop over all entries, if there is one for this dtype and memory layout."""
    simple = type(x) is np.ndarray and x.dtype.char in "fd" and x.flags.c_contiguous
    return kernels.compiled_loop(name) if simple else None


def _relu_residual(y: Any, x: Any) -> tuple[Any]:
    """A boolean mask to save instead of the input; if the input has a nan, the input itself."""
    if (loop := _elementwise_kernel("relu_mask", x)) is not None:
        above = np.empty(x.shape, np.bool_)
        return (above if loop(x.ravel(), above.ravel()) else x,)
    flat = y.ravel()
    square = flat.dot(flat)  # a product finds a nan faster than a maximum does
    return (x > 0 if square == square else x,)


def _relu_vjp(g: Any, x: Any) -> Any:
    """The cotangent where the input is positive, by a compiled loop if there is one."""
    held = type(x) is np.ndarray and x.dtype.char == "?" and x.flags.c_contiguous
    if not held or (loop := _elementwise_kernel("relu_vjp", g)) is None or g.shape != x.shape:
        return g * _relu_derivative(x)
    out = np.empty(g.shape, g.dtype)
    loop(g.ravel(), x.ravel(), out.ravel())
    return out


@elementwise(
    lambda g, _y, x: _relu_vjp(g, x),
    scalar=lambda x: x if x > 0 or x != x else 0.0,
    residual=_relu_residual,
    points=(((0.0,), (0.0,)), ((np.nan,), (np.nan,))),
)
def relu(x: Any) -> Any:
    """The rectified linear unit, ``max(x, 0)``; its derivative at 0 is 0. The tape keeps a mask, not the input."""
    if (loop := _elementwise_kernel("relu", x)) is None:
        return np.maximum(x, 0)
    out = np.empty(x.shape, x.dtype)
    loop(x.ravel(), out.ravel())
    return out


@elementwise(
    lambda g, _y, x, *, slope: g * np.where(np.greater(unwrap(x), 0), 1.0, slope),
    points=(((0.0,), (0.2,), {"slope": 0.2}),),
)
def _leaky_relu(x: Any, slope: Any) -> Any:
    """The leaky rectified linear unit of a slope that has no derivative."""
    return np.where(np.greater(x, 0), x, np.multiply(slope, x))


def leaky_relu(x: Any, slope: Any = 0.2) -> Tensor:
    """The leaky rectified linear unit: ``x`` where positive, else ``slope * x``.

    Parameters
    ----------
    x : Tensor or array_like
    slope : Tensor or array_like, optional

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** 1 where ``x`` is positive, else ``slope``, also at 0. To the slope ``x`` where that is not positive.

    Examples
    --------
    >>> ak.nn.leaky_relu([-2.0, 3.0]).numpy()
    array([-0.4,  3. ])
    """
    if is_followed(slope):
        x = as_tensor(x)
        slope, above = parameter_beside(x.dtype, slope), greater(x, 0)
        return select(x, multiply(slope, select(0.0, x, above)), above)  # 0 times an infinite entry would be nan
    return _leaky_relu(x, number_or_array(slope))


def _elu_derivative(x: Any) -> Any:
    """The derivative of elu; 1 from 0 on, so that the second derivative at 0 is 0."""
    straight = np.greater_equal(unwrap(x), 0)
    return v.select(1.0, v.exp(v.select(0.0, x, condition=straight)), condition=straight)


@elementwise(
    lambda g, _y, x: g * _elu_derivative(x),
    points=(((0.0,), (1.0,)),),
)
def elu(x: Any) -> Any:
    """The exponential linear unit: ``x`` where positive, else ``exp(x) - 1``."""
    return np.where(np.greater(x, 0), x, np.expm1(np.minimum(x, 0)))


_GELU_POINTS = (((0.0,), (0.5,)), ((np.nan,), (np.nan,)), ((np.inf,), (1.0,)), ((-np.inf,), (0.0,)))


def _gelu_angle(x: Any) -> Any:
    """``2 * sqrt(2 / π) * (x + 0.044715 x³)``, whose sigmoid weighs the input."""
    return x * (x * x * GELU_CUBIC + GELU_LINEAR)


def _gelu_vjp(g: Any, x: Any) -> Any:
    """g times ``s + x * s * (1 - s) * angle'(x)``, where s is the sigmoid of the angle."""
    if (found := entrywise_loop("gelu_vjp", g, x)) is not None:
        return found
    x = v.clip(x, lo=-GELU_FAR, hi=GELU_FAR)
    angle = _gelu_angle(x)
    s = v.sigmoid(angle)
    step = x * (s * v.sigmoid(-angle))
    return g * (s + step * GELU_LINEAR + step * x * x * (3 * GELU_CUBIC))


@elementwise(
    lambda g, _y, x: _gelu_vjp(g, x),
    scalar=lambda x: x * v.sigmoid(_gelu_angle(x)),
    flops=lambda y, _x: 9 * np.size(y),
    flops_back=lambda y, _x, *, asked: 15 * np.size(y) * len(asked),
    points=_GELU_POINTS,
)
def _gelu(x: Any) -> Any:
    """The Gaussian error linear unit by its tanh approximation."""
    if (found := entrywise_loop("gelu", x)) is not None:
        return found
    x = floating_array(x)
    return np.multiply(x, v.sigmoid(_gelu_angle(x)))  # (1 + tanh u) / 2 is the sigmoid of 2 u


_BY_SQRT_2, _BY_SQRT_2_PI = math.sqrt(0.5), math.sqrt(0.5 / math.pi)
_EXACT_GELU_FAR = 40.0  # beyond, the density is 0 in float64


def _exact_gelu_derivative(x: Any) -> Any:
    """The normal distribution's probability below x, and x times its density."""
    x = v.clip(x, lo=-_EXACT_GELU_FAR, hi=_EXACT_GELU_FAR)
    return 0.5 * v.erfc(x * -_BY_SQRT_2) + x * (v.exp(x * x * -0.5) * _BY_SQRT_2_PI)


@elementwise(
    lambda g, _y, x: g * _exact_gelu_derivative(x),
    scalar=lambda x: x * (0.5 * math.erfc(x * -_BY_SQRT_2)),
    flops=lambda y, _x: 4 * np.size(y),
    flops_back=lambda y, _x, *, asked: 10 * np.size(y) * len(asked),
    points=_GELU_POINTS,
)
def _exact_gelu(x: Any) -> Any:
    """The Gaussian error linear unit, ``x`` times the normal distribution's probability below ``x``."""
    x = floating_array(x)
    return np.multiply(x, 0.5 * v.erfc(x * -_BY_SQRT_2))


def gelu(x: Any, approximate: bool = True) -> Tensor:
    """The Gaussian error linear unit: ``x`` times the normal distribution's probability below ``x``.

    Parameters
    ----------
    x : Tensor or array_like
    approximate : bool, optional
        True, the default as in JAX, computes the approximation ``x / 2 * (1 + tanh(u))`` with ``u = sqrt(2 / π) (x +
        0.044715 x³)``. False, PyTorch's default, computes the exact function by :func:`erfc`. PyTorch's
        ``approximate="tanh"`` is True here, and its ``"none"`` is False.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        If ``approximate`` is neither True nor False.

    Notes
    -----
    **Gradient.** Defined in both modes and to any order; 0.5 at 0, 1 at infinity and 0 at minus infinity.
    **Cost.** Proportional to the number of entries. The approximation has compiled loops and is faster.

    References
    ----------
    .. [1] Hendrycks and Gimpel, *Gaussian Error Linear Units*, arXiv 1606.08415, 2016.

    Examples
    --------
    >>> ak.nn.gelu([-1.0, 1.0]).numpy().round(6)
    array([-0.158808,  0.841192])
    >>> ak.nn.gelu([-1.0, 1.0], approximate=False).numpy().round(6)
    array([-0.158655,  0.841345])
    """
    flag = check_flag("gelu: approximate (True for PyTorch's 'tanh', False for its 'none')", approximate)
    return (_gelu if flag else _exact_gelu)(x)
