"""Validation of the arguments of segment operations: integer ids, numbers of segments, rows."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, is_writable, unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array, opaque
from autodiff_kit.errors import DtypeError, RangeError, ShapeError, StructureError
from autodiff_kit.ops.number_parameters import value_of_parameter
from autodiff_kit.ops.shape_manipulation import reshape

__all__ = ["check_ids", "count_from_ids", "fraction_array", "integer_array", "rows_and_ids", "segment_count"]

Array = np.ndarray[Any, Any]
_MAX_SEGMENTS = 1 << 32  # more do not fit into memory


def integer_array(name: str, what: str, given: Any) -> Any:
    """Integers as an array that the caller cannot change, since the tape keeps it."""
    try:
        numbers = as_array(unwrap(given))
    except ValueError as error:
        raise ShapeError(f"{name}: the {what} cannot be converted to an array; give lists of equal lengths") from error
    if not numbers.size and numbers.dtype.kind == "f":
        return numbers.astype(np.intp)  # NumPy makes an array of floats from an empty list
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"{name}: {what} must be integers, got {numbers.dtype}")
    return numbers if isinstance(given, Value) or not is_writable(numbers) else np.copy(numbers)


def count_from_ids(numbers: Any) -> int:
    """The number of segments that the ids need: the largest id plus one."""
    return max(int(numbers.max()) + 1, 0) if numbers.size else 0


def segment_count(name: str, what: str, given: Any) -> int:
    """A number of segments, given as an argument."""
    try:
        count = operator.index(unwrap(given))
    except TypeError as error:
        raise DtypeError(f"{name}: {what} must be an integer, got {given!r}") from error
    if not 0 <= count < _MAX_SEGMENTS:
        raise StructureError(f"{name}: {what} must be 0 or more, and below 2**32, got {count}")
    return count


def fraction_array(name: str, what: str, given: Any) -> Array:
    """An array of numbers from 0 to 1."""
    value = value_of_parameter(f"{name}: the {what}", given)
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{name}: the {what} must be a number from 0 to 1, got {given!r}") from error
    if not np.all((numbers >= 0) & (numbers <= 1)):
        raise StructureError(f"{name}: the {what} must be from 0 to 1, got {given!r}")
    return numbers


@opaque
def check_ids(name: str, what: str, numbers: Array, count: int) -> Array:
    """Ids as a flat array of NumPy's index type, or an error if one is not from 0 to ``count - 1``."""
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        place = tuple(int(k) for k in np.argwhere((numbers < 0) | (numbers >= count))[0])
        raise RangeError(
            f"{name}: {what} {numbers[place]} at place {place[0] if len(place) == 1 else place} is out of range; "
            + (f"it goes from 0 to {count - 1}" if count else "it starts at 0, and here there are none")
        )
    return numbers.reshape(-1).astype(np.intp, copy=False)


def rows_and_ids(name: str, what: str, data: Any, ids: Any) -> tuple[Tensor, Any]:
    """The data with the axes that the ids cover flattened into one, and the ids."""
    t, numbers = as_tensor(data), integer_array(name, what, ids)
    if t.dtype.kind not in "biuf":
        raise DtypeError(f"{name}: the data must be numbers, got dtype {t.dtype}")
    if not numbers.ndim or t.shape[: numbers.ndim] != numbers.shape:
        raise ShapeError(
            f"{name}: {what} of shape {numbers.shape} do not number the rows of data of shape {t.shape}; "
            "their shape must equal the first axes of the data"
        )
    if numbers.ndim > 1:
        t = reshape(t, (numbers.size, *t.shape[numbers.ndim :]))
    return t, numbers
