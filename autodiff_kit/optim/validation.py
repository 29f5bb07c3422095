"""Validation of the arguments of optimizers: settings, variables, gradients, masks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, canonical, unwrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import refuse_symbolic
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.row_gradient import RowGradient

__all__ = [
    "fraction",
    "gradient_for_variable",
    "gradient_pairs",
    "mask_for_variable",
    "non_negative",
    "positive",
    "real_array",
    "spoken_name",
    "variable_list",
]


def spoken_name(variable: Variable) -> str:
    """How messages call a variable."""
    return f"variable {variable.name}" if variable.name else "a variable without a name"


_NUMBERS = (int, float, np.integer, np.floating)


def non_negative(name: str, value: Any) -> float:
    """A setting that is a finite number of 0 or more."""
    if not (isinstance(value, _NUMBERS) and 0 <= value < np.inf):
        raise StructureError(f"{name} must be a number of 0 or more, and finite; got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """A setting that is a finite number above 0."""
    refuse_symbolic(name, value)
    if not (isinstance(value, _NUMBERS) and 0 < value < np.inf):
        raise StructureError(f"{name} must be a number above 0, and finite; got {value!r}")
    return float(value)


def fraction(name: str, value: Any) -> float:
    """A setting of at least 0 and below 1."""
    if not (isinstance(value, _NUMBERS) and 0 <= value < 1):
        raise StructureError(f"{name} must be at least 0 and below 1, got {value!r}")
    return float(value)


def variable_list(variables: Any) -> list[Variable]:
    """The variables as a list; a single variable or array is an error."""
    if isinstance(variables, (Value, np.ndarray, str)) or not isinstance(variables, Iterable):
        raise DtypeError(
            f"expected a list of variables, got a {type(variables).__name__}; write minimize(loss_fn, [w])"
        )
    return list(variables)


def gradient_pairs(pairs: Any) -> list[tuple[Any, Variable]]:
    """Pairs of gradient and variable as a list, each variable at most once."""
    try:
        listed = [(g, w) for g, w in pairs]
    except (TypeError, ValueError) as error:
        raise DtypeError(f"expected a list of pairs (gradient, variable): {error}") from error
    for _, variable in listed:
        if not isinstance(variable, Variable):
            raise DtypeError(f"pairs are (gradient, variable), in this order; got a {type(variable).__name__} second")
    if len({id(w) for _, w in listed}) < len(listed):
        raise StructureError("a variable was given twice; add its gradients and give it once")
    return listed


def gradient_for_variable(g: Any, variable: Variable) -> Any:
    """A gradient converted to the dtype of its variable, or an error if its shape differs."""
    mine = variable._value
    value: Any = g._value if isinstance(g, Value) else g
    if type(value) is type(mine) is np.ndarray and value.dtype == mine.dtype and value.shape == mine.shape:
        return (
            value if isinstance(g, Value) else value.copy()
        )  # its owner may write into it, and `last_update` reads it
    if isinstance(g, RowGradient):
        if g.shape != variable.shape:
            raise ShapeError(
                f"the gradient is for a table of shape {g.shape}, but {spoken_name(variable)} has shape "
                f"{variable.shape}"
            )
        return g
    value = value if type(value) is float else real_array("a gradient", value, as_array)
    if np.shape(value) != variable.shape:
        raise ShapeError(
            f"the gradient has shape {np.shape(value)}, but {spoken_name(variable)} has {variable.shape}; "
            "a gradient must have the shape of its variable"
        )
    kind = variable.dtype
    if type(value) is float and kind == np.float64:
        return value
    found = canonical(as_array(value, kind))
    return found.copy() if type(found) is np.ndarray and not isinstance(g, Value) else found


def real_array(what: str, value: Any, convert: Callable[[Any], Any] = np.asarray) -> np.ndarray[Any, Any]:
    """An array of real numbers."""
    try:
        found: np.ndarray[Any, Any] = convert(canonical(value) if hasattr(value, "mask") else unwrap(value))
    except ValueError as error:
        raise ShapeError(f"{what} cannot be converted to an array: {error}") from error
    if found.dtype.kind not in "biuf":
        raise DtypeError(f"{what} must hold real numbers, got {type(value).__name__} of dtype {found.dtype}")
    return found


def mask_for_variable(variable: Variable, mask: Any) -> np.ndarray[Any, Any]:
    """A boolean mask broadcast to the shape of its variable."""
    shaped = real_array("a mask", mask)
    if shaped.dtype != np.bool_:
        raise DtypeError(f"a mask is True where an element is frozen, got dtype {shaped.dtype}")
    try:
        return np.broadcast_to(shaped.copy(), variable.shape)  # its owner may write into it
    except ValueError as error:
        raise ShapeError(f"a mask of shape {shaped.shape} does not fit a variable of shape {variable.shape}") from error
