"""Floating dtypes of intermediate results: promotion, and sums of float16 in float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import describe
from autodiff_kit.errors import DtypeError


def promote(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in a wider floating dtype, by a product that NumPy's promotion widens."""
    return x if x.dtype == dtype else x * np.ones((), dtype)[()]


def widened(x: Any, like: Any) -> Any:
    """An input, in rules, in the floating dtype of the output, so that no result is rounded to fewer digits."""
    own, wanted = (getattr(z, "dtype", None) for z in (x, like))
    return x if wanted is None or own is None or own == wanted or own.kind != "f" else v.to_float(x, dtype=wanted)


def integer_in_dtype(x: int, dtype: Any, name: str) -> np.ndarray[Any, Any]:
    """A Python integer in the dtype of the values beside it; an error if it does not fit."""
    try:
        return np.asarray(x, dtype)
    except OverflowError as error:
        info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
        raise DtypeError(
            f"{name}: {describe(x)} does not fit dtype {info.dtype}, which holds {info.min} to {info.max}. Choose a "
            "larger dtype; ak.cast(x, dtype) converts an array."
        ) from error


def number_or_array(value: Any) -> Any:
    """A parameter as a number, which does not change the dtype, or as an array, which nobody can change later."""
    if type(value) is float:
        return value
    own = as_tensor(value)._value
    return own if np.ndim(own) else value[()] if type(value) is np.ndarray else unwrap(value)


def as_floating(x: Any) -> Tensor:
    """Integers as floating-point numbers; floating dtypes unchanged."""
    t = as_tensor(x)
    return t if t.dtype.kind == "f" else t * 1.0


def floating_array(x: Any) -> Any:
    """An array of integers or booleans in the floating dtype that NumPy's functions give for it; others unchanged.

    Before anything is subtracted: the difference of unsigned integers wraps around, and booleans have none.
    """
    x = as_array(x)
    return x if x.dtype.kind == "f" else as_array(x, np.result_type(x.dtype, np.float16))


_add_reduce: Any = np.add.reduce


def sum_values(x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum over axes, of float16 in float32."""
    x = as_array(x)
    if x.dtype == np.float16:
        return _add_reduce(x, axis=axis, keepdims=keepdims, dtype=np.float32).astype(np.float16)
    return _add_reduce(x, axis=axis, keepdims=keepdims)
