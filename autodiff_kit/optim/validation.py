"""What may be given to an optimizer, and what is said where it does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.tensor import Standin, Value, Variable, array, normal, plain
from autodiff_kit.errors import DtypeError, ShapeError, StructureError

__all__ = ["fitting", "fraction", "listed", "mask_for", "not_negative", "numbers", "paired", "projected"]


def not_negative(name: str, value: Any) -> float:
    """A setting that is a number of 0 or more."""
    if not (isinstance(value, (int, float, np.number)) and 0 <= value < np.inf):
        raise StructureError(f"{name} must not be below 0, got {value!r}; it is a finite number")
    return float(value)


def fraction(name: str, value: Any) -> float:
    """A setting from 0 to just below 1."""
    if not (isinstance(value, (int, float, np.number)) and 0 <= value < 1):
        raise StructureError(f"{name} must lie from 0 to just below 1, got {value!r}")
    return float(value)


def listed(variables: Any) -> list[Variable]:
    """The variables, where somebody gives several."""
    if isinstance(variables, (Value, np.ndarray, str)) or not isinstance(variables, Iterable):
        raise DtypeError(f"give a list of variables, not a {type(variables).__name__}: minimize(loss_fn, [w])")
    return list(variables)


def paired(pairs: Any) -> list[tuple[Any, Variable]]:
    """Pairs of gradient and variable, each variable once."""
    try:
        given = [(g, w) for g, w in pairs]
    except (TypeError, ValueError) as error:
        raise DtypeError(f"give a list of pairs (gradient, variable): {error}") from error
    for _, variable in given:
        if not isinstance(variable, Variable):
            raise DtypeError(f"pairs are (gradient, variable), in this order; got a {type(variable).__name__} second")
    if len({id(w) for _, w in given}) < len(given):
        raise StructureError("a variable is given twice; add its gradients and give it once")
    return given


def fitting(g: Any, variable: Variable) -> Any:
    """A gradient in the shape and dtype of its variable."""
    mine = variable._value
    value: Any = g._value if isinstance(g, Value) else g
    if type(value) is type(mine) is np.ndarray and value.dtype == mine.dtype and value.shape == mine.shape:
        return value
    if isinstance(g, RowGradient):
        if g.shape != variable.shape:
            raise ShapeError(
                f"the gradient is of a table {g.shape}, the variable {variable.name or ''} has {variable.shape}"
            )
        return g
    value = value if type(value) is float or isinstance(value, Standin) else numbers("a gradient", value)
    if np.shape(value) != variable.shape:
        raise ShapeError(
            f"the gradient has shape {np.shape(value)}, variable {variable.name or ''} {variable.shape}; "
            "a gradient has the shape of its variable"
        )
    kind = variable.dtype
    return value if type(value) is float and kind == np.float64 else normal(array(value, kind))


def numbers(what: str, value: Any) -> np.ndarray[Any, Any]:
    """An array of real numbers."""
    try:
        found = np.asarray(plain(value))
    except ValueError as error:
        raise ShapeError(f"{what} is no array: {error}") from error
    if found.dtype.kind not in "biuf":
        raise DtypeError(f"{what} holds real numbers, got {type(value).__name__} of dtype {found.dtype}")
    return found


def mask_for(variable: Variable, mask: Any) -> np.ndarray[Any, Any]:
    """A mask in the shape of its variable."""
    shaped = numbers("a mask", mask)
    if shaped.dtype != np.bool_:
        raise DtypeError(f"a mask is True where an element is held, got dtype {shaped.dtype}")
    try:
        return np.broadcast_to(shaped, variable.shape)
    except ValueError as error:
        raise ShapeError(f"a mask of shape {shaped.shape} does not fit a variable of shape {variable.shape}") from error


def projected(variable: Variable, delta: Any) -> Any:
    """Put in place of a value that has moved by ``delta`` what its constraint makes of it; the whole way, if asked."""
    if variable.constraint is None:
        return delta
    value = variable._value
    if type(value) is np.ndarray:
        value.flags.writeable = False  # what was there before and after says how far it went
    after = numbers("what a constraint returns", variable.constraint(value))
    if after.shape != variable.shape:
        raise ShapeError(
            f"the constraint of variable {variable.name or ''} made shape {after.shape} of {variable.shape}"
        )
    variable._value = normal(np.asarray(after, variable.dtype))
    return partial(_whole_way, delta, value, variable._value)


def _whole_way(delta: Any, before: Any, after: Any) -> Any:
    return (after - before) + (delta() if callable(delta) else np.asarray(delta))
