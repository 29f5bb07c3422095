"""Constants: tensors that hold a copy of what the user gave."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, canonical, check_real_numbers, unwrap
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.tracer import SymbolicValue, as_array
from autodiff_kit.errors import DtypeError
from autodiff_kit.platform import as_dtype, in_int64

__all__ = ["constant", "copy_value"]


def constant(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor with the given values.

    Parameters
    ----------
    value : array_like
        Numbers, nested lists, an array, or a tensor. An array is copied, into C order.
    dtype : dtype, optional
        By default NumPy's: float64 for Python floats, int64 for Python integers.
    name : str, optional
        Shown in tables and errors.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If the value does not consist of numbers (a ragged list, text, an object).

    Notes
    -----
    **Gradient.** A tape records operations on a constant only after ``tape.watch``.

    Examples
    --------
    >>> ak.constant([1.0, 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float64)
    """
    tensor = wrap(copy_value(value, dtype))
    if isinstance(value, Value):
        value._mark_exit("copied")
    if name is not None:
        tensor.set_extra("name", name)
    return tensor


def copy_value(value: Any, dtype: Any) -> Any:
    """A copy of ``value`` in the kit's canonical form; an error where it does not consist of numbers."""
    if isinstance(given := unwrap(value), SymbolicValue):
        return as_array(given.as_value(), dtype)
    if type(given) is not int:  # it may be too large for any dtype but that of floats
        # NumPy, asked for a dtype, would read texts as numbers and None as nan.
        check_real_numbers(np.result_type(given if type(given) is np.ndarray else canonical(given)))
    try:
        own = np.array(given, dtype=None if dtype is None else as_dtype(dtype), order="C")
    except (TypeError, ValueError, OverflowError) as error:
        wanted = "" if dtype is None else f" of dtype {dtype}"
        raise DtypeError(f"these values cannot be converted to an array{wanted}: {error}") from error
    check_real_numbers(own.dtype)
    return canonical(own if dtype is not None or isinstance(given, np.ndarray | np.generic) else in_int64(own))
