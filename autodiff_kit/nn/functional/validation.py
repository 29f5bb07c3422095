"""Validation of numeric arguments of functions for neural networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.core.validation import refuse_symbolic
from autodiff_kit.errors import DtypeError, StructureError
from autodiff_kit.ops.number_parameters import is_followed, value_of_parameter

__all__ = ["number_in_range", "positive_number"]


def number_in_range(name: str, what: str, given: Any, most: float = np.inf) -> float:
    """A number from 0 to ``most``; otherwise an error that names the function and the argument."""
    value_of_parameter(f"{name}: {what}", given)
    value = _number(name, what, given)
    if not 0 <= value <= most:
        bound = f"from 0 to {most:g}" if most < np.inf else "0 or more"
        raise StructureError(f"{name}: {what} must be {bound}, got {value:g}")
    return value


def positive_number(name: str, what: str, given: Any) -> Any:
    """A number above 0, as a tensor where a tape follows it; otherwise an error that names function and argument."""
    value = _number(name, what, given)
    if not value > 0:
        raise StructureError(f"{name}: {what} must be a number above 0, got {value:g}")
    return as_tensor(given) if is_followed(given) else value


def _number(name: str, what: str, given: Any) -> float:
    if type(given) is float:  # the common case; what follows takes as long as a small operation
        return given
    refuse_symbolic(f"{name}: {what}", given)
    try:
        number: Any = unwrap(given)
        number = complex(number) if np.iscomplexobj(number) else number  # NumPy's own would lose its imaginary part
        return float(number)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{name}: {what} must be a number, got {given!r}") from error
