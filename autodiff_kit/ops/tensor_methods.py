"""Operators and methods of tensors, installed on the tensor class from the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.numpy_protocol import add_method, canonical
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.errors import DtypeError
from autodiff_kit.ops import (
    arithmetic,
    axis_order,
    comparison,
    creation,
    cumulative,
    diagonals,
    dtypes,
    indexed_update,
    indexing,
    matrix_products,
    reductions,
    rounding,
    searching,
    selection,
    shape_manipulation,
    sorting,
    statistics,
    tiling,
)
from autodiff_kit.ops.index_arguments import checked_index


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator for a tensor on the right-hand side."""
    return lambda a, b: function(b, a)


_BINARY_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": arithmetic.divide,
    "pow": arithmetic.power,
    "mod": arithmetic.mod,
    "floordiv": rounding.floor_divide,
    "matmul": matrix_products.matmul,
    "and": comparison.bitwise_and,
    "or": comparison.bitwise_or,
    "xor": comparison.bitwise_xor,
    "divmod": lambda a, b: (rounding.floor_divide(a, b), arithmetic.mod(a, b)),
}
for _name, _function in _BINARY_OPERATORS.items():
    add_method(f"__{_name}__", _function)
    add_method(f"__r{_name}__", _reflected(_function))


def _comparing(function: Callable[[Any, Any], Any], unlike: bool) -> Callable[[Any, Any], Any]:
    """``==`` or ``!=``, which also answer for what is no number: each entry is unlike it, as in NumPy."""

    def compare(a: Any, b: Any) -> Any:
        if b is None or isinstance(b, (str, bytes)):
            return creation.full(a.shape, unlike)
        return function(a, b)

    return compare


def _subscript(x: Any, index: Any) -> Tensor:
    """``x[index]`` as users write it: :func:`indexing.getitem`, with a short way for tensors that hold arrays."""
    z = x._value
    if type(x) is not Tensor or type(z) is not np.ndarray:
        return indexing.getitem(x, index)
    try:
        own = checked_index(index)
        y = z[own]
    except Exception:  # noqa: BLE001 - `getitem` explains it
        return indexing.getitem(x, index)
    if type(y) is not np.ndarray or not y.shape:
        y = canonical(y)
    node = x._node
    if node is None:
        return wrap(y)
    return record_op(indexing.getitem.op, y, (z,), (node,), {"index": own, "ndim": z.ndim}, 2)  # type: ignore[attr-defined]


_OTHER_OPERATORS: dict[str, Callable[..., Any]] = {
    "neg": arithmetic.negative,
    "abs": arithmetic.abs,
    "pos": selection.identity,
    "invert": comparison.bitwise_invert,
    "getitem": _subscript,
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
    "eq": _comparing(comparison.equal, False),
    "ne": _comparing(comparison.not_equal, True),
    "round": lambda t, decimals=None: rounding.round(t, decimals or 0),
}
for _name, _function in _OTHER_OPERATORS.items():
    add_method(f"__{_name}__", _function)


def _setitem(_: Any, _index: Any, _value: Any) -> NoReturn:
    raise DtypeError(
        "t[...] = value would change a value that a tape may have recorded; tensors and variables have no assignment "
        "to parts. Make a new tensor, t = t.at[...].set(value), or give a variable a whole new value by assign()."
    )


add_method("__setitem__", _setitem)


def _reshape(self: Any, *shape: Any) -> Any:
    return shape_manipulation.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Any, *axes: Any) -> Any:
    one = len(axes) == 1 and isinstance(axes[0], (list, tuple, np.ndarray, type(None)))
    return axis_order.permute_dims(self, (axes[0] if one else axes) if axes else None)


_METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(module, name)
    for module, names in (
        (reductions, "sum mean prod max min"),
        (statistics, "var std"),
        (cumulative, "cumsum cumprod"),
        (searching, "all any argmax argmin nonzero searchsorted"),
        (sorting, "argsort partition sort"),
        (rounding, "round"),
        (indexing, "take"),
        (tiling, "repeat"),
        (arithmetic, "abs"),
        (selection, "clip"),
        (matrix_products, "dot"),
        (diagonals, "diagonal trace"),
        (axis_order, "permute_dims swapaxes"),
        (shape_manipulation, "ravel squeeze"),
    )
    for name in names.split()
} | {
    "astype": dtypes.cast,
    "copy": selection.identity,
    "flatten": shape_manipulation.ravel,
    "reshape": _reshape,
    "transpose": _transpose,
}
for _name, _function in _METHODS.items():
    add_method(_name, _function)

add_method("at", property(indexed_update.at_property))
add_method("T", property(axis_order.permute_dims, doc="The axes in reverse order."))
add_method("mT", property(axis_order.matrix_transpose, doc="The last two axes exchanged."))
