"""Parameters that are numbers: an operation takes their value, and has no derivative with respect to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import describe
from autodiff_kit.errors import ArgumentError

__all__ = ["check_number", "followed_parameter", "is_followed", "value_of_parameter"]


def is_followed(value: Any) -> bool:
    """Whether an open tape or accumulator follows a value, so that it may be asked for its derivative."""
    node = as_tensor(value).node if isinstance(value, Value) else None
    return node is not None and any(record.sink is not None for record in records_of(node.record))


def followed_parameter(value: Any, dtype: Any) -> Tensor:
    """A parameter that a tape follows, as a tensor. A float64 number does not change the floating dtype of an
    operation, as if it were a number of Python.
    """
    t = as_tensor(value)
    narrows = not t.shape and t.dtype == np.float64 != dtype and dtype.kind == "f"
    return v.to_float(t, dtype=dtype) if narrows else t


def value_of_parameter(name: str, value: Any) -> Any:
    """The number or array that is given as a parameter; an error where its derivative would be lost."""
    if is_followed(value):
        raise ArgumentError(
            f"{name} has no derivative in the kit, but a tape follows the value that was given, {describe(value)}. If "
            "it is a constant here, give ak.stop_gradient(value). If you need its gradient, write the formula out with "
            "operations such as * and ak.where."
        )
    return unwrap(value)


def check_number(name: str, value: Any, with_derivative: bool = False) -> float:
    """Return a real number as a float, or raise an error."""
    given = unwrap(value) if with_derivative else value_of_parameter(name, value)
    if not (isinstance(given, (int, float, np.number, np.ndarray)) and np.ndim(given) == 0 and np.isrealobj(given)):
        raise ArgumentError(f"{name} must be a number, got {describe(value)}")
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{name} must be a number, got {describe(value)}: {error}") from error
