"""Creation of tensors: constants of a given shape, evenly spaced numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.constant import constant
from autodiff_kit.core.fast_dispatch import PYTHON_NUMBERS
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import concrete_only
from autodiff_kit.core.validation import check_flag, describe
from autodiff_kit.errors import ArgumentError, DtypeError, RangeError
from autodiff_kit.ops.axes import checked_int, checked_ints
from autodiff_kit.ops.broadcasting import broadcast_arrays, broadcast_to
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.number_parameters import value_of_parameter
from autodiff_kit.ops.promotion import integer_in_dtype
from autodiff_kit.platform import as_dtype, in_int64


def _checked_shape(shape: Any, name: str) -> tuple[int, ...]:
    """A shape as a tuple; raises if a length is negative."""
    lengths = checked_ints(shape, name)
    if any(n < 0 for n in lengths):
        raise RangeError(f"{name}: lengths of axes must be 0 or more, got {shape}")
    return lengths


def _checked_dtype(dtype: Any, name: str) -> Any:
    """A NumPy dtype; raises if there is no dtype of that name."""
    try:
        return as_dtype(dtype)
    except (TypeError, ValueError) as error:
        given = describe(dtype)
        raise DtypeError(f"{name}: {given} is not a dtype; write 'float32' or np.float64, for example") from error


@concrete_only
def _check_range(value: Any, kind: Any) -> None:
    """Raise at a float whose integer part does not fit an integer dtype, such as nan, an infinity or 1e30."""
    numbers, limits = np.asarray(value), np.iinfo(kind)
    if numbers.dtype.kind != "f":
        return
    whole = np.trunc(numbers.astype(np.float64))  # float64, since float16 cannot hold the limits
    fits = (whole >= float(limits.min)) & (whole < float(limits.max) + 1)  # <: float64 rounds int64's maximum up
    if not fits.all():
        first = numbers[~fits].flat[0]
        raise DtypeError(
            f"full: {first} does not fit dtype {kind}, which holds {limits.min} to {limits.max}. Choose a larger "
            "dtype, or a floating one, such as 'float64'"
        )


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """A tensor of a given shape filled with one value.

    Parameters
    ----------
    shape : int or sequence of int
    fill_value : Tensor or array_like
        A number, or an array that broadcasts to the shape.
    dtype : dtype, optional
        By default that of the value. An integer dtype takes the integer part of floats.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If the value does not fit an integer dtype, such as nan or 1e30, or is no number or array.

    Notes
    -----
    **Gradient.** To the value, summed over the entries.

    Examples
    --------
    >>> ak.full((2, 2), 7.0).numpy()
    array([[7., 7.],
           [7., 7.]])
    """
    kind = None if dtype is None else _checked_dtype(dtype, "full")
    whole = kind is not None and kind.kind in "iu"
    if whole and type(fill_value) is int:
        fill_value = integer_in_dtype(fill_value, kind, "full")
    value = as_tensor(fill_value)
    if whole:
        _check_range(unwrap(value), kind)
    return broadcast_to(value if dtype is None else cast(value, dtype), _checked_shape(shape, "full"))


def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """A tensor of a given shape filled with zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        By default float64.

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If a length is negative.
    DtypeError
        If the dtype does not exist.

    Examples
    --------
    >>> ak.zeros((1, 2)).tolist()
    [[0.0, 0.0]]
    """
    return constant(np.zeros(_checked_shape(shape, "zeros"), _checked_dtype(dtype, "zeros")))


@sections_of(zeros)
def ones(shape: Any, dtype: Any = float) -> Tensor:
    """A tensor of a given shape filled with ones.

    Examples
    --------
    >>> ak.ones((1, 2)).tolist()
    [[1.0, 1.0]]
    """
    return constant(np.ones(_checked_shape(shape, "ones"), _checked_dtype(dtype, "ones")))


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """A tensor with the shape and dtype of another, filled with one value.

    Parameters
    ----------
    x : Tensor or array_like
    fill_value : Tensor or array_like
        Broadcasts to the shape.
    dtype : dtype, optional
        By default that of ``x``.
    shape : int or tuple of int, optional
        By default that of ``x``.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** To ``fill_value``, the sum; the values of ``x`` are not used.

    Examples
    --------
    >>> ak.full_like([1.0, 2.0], 7.0).tolist()
    [7.0, 7.0]
    """
    like = as_tensor(x)
    return full(like.shape if shape is None else shape, fill_value, like.dtype if dtype is None else dtype)


def zeros_like(x: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """A tensor with the shape and dtype of another, filled with zeros.

    Parameters
    ----------
    x : Tensor or array_like
    dtype : dtype, optional
        By default that of ``x``.
    shape : int or tuple of int, optional
        By default that of ``x``.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** None: the values of ``x`` are not used.

    Examples
    --------
    >>> ak.zeros_like([1, 2]).dtype
    dtype('int64')
    """
    like = as_tensor(x)
    return zeros(like.shape if shape is None else shape, like.dtype if dtype is None else dtype)


@sections_of(zeros_like)
def ones_like(x: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """A tensor with the shape and dtype of another, filled with ones.

    Examples
    --------
    >>> ak.ones_like([1, 2]).dtype
    dtype('int64')
    """
    like = as_tensor(x)
    return ones(like.shape if shape is None else shape, like.dtype if dtype is None else dtype)


@sections_of(zeros)
def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """An identity matrix, or a matrix with ones on another diagonal.

    Parameters
    ----------
    n_rows : int
    n_cols : int, optional
        By default as many as rows.
    k : int, optional
        The diagonal: above the main one if positive, below it if negative.
    dtype : dtype, optional
        By default float64.

    Examples
    --------
    >>> ak.eye(2, k=1).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    rows, columns = _checked_shape((n_rows, n_rows if n_cols is None else n_cols), "eye")
    return constant(np.eye(rows, columns, checked_int(k, "eye"), _checked_dtype(dtype, "eye")))


def arange(start: float, stop: float | None = None, step: float = 1, dtype: Any = None) -> Tensor:
    """Evenly spaced numbers from a start up to but not including an end.

    Parameters
    ----------
    start : float
        The start; or the end, if it is the only one, and then the start is 0.
    stop : float, optional
    step : float, optional
    dtype : dtype, optional
        By default integers where all three are.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        If the step is 0, or an argument is no number.
    DtypeError
        If the dtype does not exist.

    Examples
    --------
    >>> ak.arange(2, 8, 3).tolist()
    [2, 5]
    """
    first, last, by = (value_of_parameter("arange", end) for end in (start, stop, step))
    if first is None or by is None:
        raise ArgumentError(f"arange: the {'start' if first is None else 'step'} must be a number, got None")
    kind = None if dtype is None else _checked_dtype(dtype, "arange")
    try:
        first, last = (0, first) if stop is None else (first, last)
        line = np.arange(first, last, by, dtype=kind)
        return constant(in_int64(line) if dtype is None else line)
    except ZeroDivisionError as error:
        raise ArgumentError(f"arange from {start!r} to {stop!r}: the step must not be 0, got {step!r}") from error
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"arange from {start!r} to {stop!r} by {step!r}: {error}") from error


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Tensor:
    """Evenly spaced numbers from ``start`` to ``stop``.

    Parameters
    ----------
    start, stop : Tensor or array_like
        Numbers, or arrays that broadcast; the steps run along the first axis of the result.
    num : int, optional
    endpoint : bool, optional
        Whether ``stop`` is the last number.
    dtype : dtype, optional

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Passes to both ends, by their weights in each number.

    Examples
    --------
    >>> ak.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    count, endpoint = checked_int(num, "linspace"), check_flag("linspace: endpoint", endpoint)
    if count < 0:
        raise RangeError(f"linspace: num must be 0 or more, got {num}")
    a, b = broadcast_arrays(start, stop)
    first, last = (
        np.float64(x._value) if type(x._value) is float and type(end) not in PYTHON_NUMBERS else x._value
        for x, end in ((a, start), (b, stop))
    )
    if a.node is None and b.node is None:
        line = constant(np.linspace(first, last, count, endpoint))
    else:
        share = np.linspace(0.0, 1.0, count, endpoint).reshape(-1, *(1,) * max(a.ndim, b.ndim))
        line = a * (1.0 - share) + b * share
        kind = np.result_type(1.0, *(x if type(x) is float else x.dtype for x in (first, last)))
        line = line if line.dtype == kind else cast(line, kind)  # the dtype that it has without a tape
    return line if dtype is None else cast(line, dtype)


def asarray(x: Any, dtype: Any = None) -> Tensor:
    """Convert a number, a list or an array to a tensor.

    Parameters
    ----------
    x : Tensor or array_like
        A tensor stays on its tape; a list of tensors is stacked.
    dtype : dtype, optional
        By default that of the value.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If it holds anything but real numbers, or the dtype does not exist.

    Notes
    -----
    **Gradient.** That of :func:`cast`; a tensor of the same dtype is returned itself.

    Examples
    --------
    >>> ak.asarray([1, 2], "float32").dtype
    dtype('float32')
    >>> ak.grad(lambda x: ak.sum(ak.asarray([x, x * x])))(2.0).tolist()
    5.0
    """
    value = as_tensor(x)
    return value if dtype is None or value.dtype == _checked_dtype(dtype, "asarray") else cast(value, dtype)
