"""Parameters that are numbers: a few have a derivative; of the others an operation takes the value only."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.core.validation import describe, refuse_symbolic
from autodiff_kit.errors import ArgumentError

__all__ = ["check_number", "is_followed", "parameter_beside", "real_number", "value_of_parameter"]


def is_followed(value: Any) -> bool:
    """Whether an open tape or accumulator follows a value, so that it may be asked for its derivative."""
    node = as_tensor(value).node if isinstance(value, Value) else None
    return node is not None and any(record.sink is not None for record in records_of(node.record))


def parameter_beside(dtype: Any, value: Any) -> Any:
    """A parameter for an operation on arrays of a dtype: a tensor where a tape follows it. A float64 number does not
    change a floating dtype, as if it were a number of Python.
    """
    if not is_followed(value):
        return value
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


def check_number(name: str, value: Any) -> float:
    """Return a real number as a float, or raise an error, also where its derivative would be lost."""
    value_of_parameter(name, value)
    return real_number(name, value)


def real_number(name: str, value: Any) -> float:
    """Return a real number as a float, or raise an error."""
    given = unwrap(value)
    refuse_symbolic(name, given)
    if not (isinstance(given, (int, float, np.number, np.ndarray)) and np.ndim(given) == 0 and np.isrealobj(given)):
        raise ArgumentError(f"{name} must be a number, got {describe(value)}")
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{name} must be a number, got {describe(value)}: {error}") from error
