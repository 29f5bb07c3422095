"""Tracing rules for NumPy functions: reductions, views, concatenation, indexing."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from operator import getitem
from typing import Any

import numpy as np

from autodiff_kit.compile.trace.symbolic_array import (
    TRACED_FUNCTIONS,
    SymbolicArray,
    SymbolicScalar,
    symbolic_value,
    tracer_of,
)
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.index_arguments import checked_slice

__all__ = ["pad_with_zeros"]


def _matmul(a: Any, b: Any, **more: Any) -> Any:
    if more:
        return NotImplemented
    tracer = tracer_of(a, b)
    x, y, graph = tracer.node(a), tracer.node(b), tracer.graph
    if not x.ndim or not y.ndim:
        raise ShapeError(f"matmul of shapes {x.shape} and {y.shape}: a single number has no axes; use * instead")
    if x.shape[-1] != y.shape[-2 if y.ndim > 1 else -1]:
        raise ShapeError(
            f"matmul of shapes {x.shape} and {y.shape}: the last axis of the first and the "
            f"{'last but one' if y.ndim > 1 else 'only'} axis of the second differ in length"
        )
    row, column = x.ndim == 1, y.ndim == 1
    x = graph.reshape(x, (1, *x.shape)) if row else x
    y = graph.reshape(y, (*y.shape, 1)) if column else y
    z = graph.matmul(x, y)
    shape = (*z.shape[:-2], *(() if row else z.shape[-2:-1]), *(() if column else z.shape[-1:]))
    return symbolic_value(tracer, graph.reshape(z, shape))


def _axes(x: SymbolicArray, axis: Any) -> tuple[int, ...]:
    """The axes of a reduction, non-negative and in order; NumPy finds them, and raises its errors."""
    if isinstance(axis, (list, np.ndarray)):
        axis = tuple(np.ravel(axis))
    lengths = np.add.reduce(np.empty((0,) * x.ndim), axis, keepdims=True).shape
    return tuple(k for k, n in enumerate(lengths) if n == 1)


def _is_default(value: Any) -> bool:
    return value is None or value is np._NoValue or value is True


def _reduction(op: str, combine: Any) -> Callable[..., Any]:
    """The tracing rule of a sum, maximum or minimum; ``combine`` is its operation on two arrays."""

    def rule(
        x: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if type(x) is not SymbolicArray or out is not None or not _is_default(where):
            return NotImplemented
        axes = _axes(x, axis)
        if op != "sum" and (dtype is not None or any(x.shape[k] == 0 for k in axes)):
            return NotImplemented  # NumPy raises an error for no entries, or returns the input
        y = x.tracer.graph.reduce(op, x.node, axes, dtype)
        keeps = keepdims is not np._NoValue and keepdims
        shape = y.shape if keeps else tuple(n for k, n in enumerate(y.shape) if k not in axes)
        found = symbolic_value(x.tracer, x.tracer.graph.reshape(y, shape))
        return found if initial is None or initial is np._NoValue else combine(found, initial)

    return rule


_SUM, _MAX, _MIN = _reduction("sum", np.add), _reduction("max", np.maximum), _reduction("min", np.minimum)


def _mean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **more: Any) -> Any:
    if type(x) is not SymbolicArray or out is not None or x.dtype.char not in "fd" or dtype is not None or more:
        return NotImplemented
    count = math.prod(x.shape[k] for k in _axes(x, axis))
    return _SUM(x, axis, keepdims=keepdims) / count if count else NotImplemented


def _reshape(x: Any, shape: Any = None, order: str = "C", **more: Any) -> Any:
    if order != "C" or more:
        return NotImplemented
    full = np.reshape(np.broadcast_to(False, x.shape), shape).shape  # raises NumPy's errors
    return symbolic_value(x.tracer, x.tracer.graph.reshape(x.node, full))


def _reshaping_function(function: Any) -> Callable[..., Any]:
    """The tracing rule of a NumPy function that only changes the shape."""
    return lambda x, *args, **more: _reshape(x, function(np.broadcast_to(False, x.shape), *args, **more).shape)


def _permuting_function(function: Any) -> Callable[..., Any]:
    """The tracing rule of a NumPy function that permutes axes; run on an array whose axes differ in length."""

    def rule(x: Any, *args: Any, **more: Any) -> Any:
        answer = function(np.broadcast_to(False, tuple(range(1, x.ndim + 1))), *args, **more)
        return symbolic_value(x.tracer, x.tracer.graph.permute(x.node, tuple(n - 1 for n in answer.shape)))

    return rule


_expand_dims = _reshaping_function(np.expand_dims)


def _broadcast_to(x: Any, shape: Any, subok: bool = False) -> Any:
    wanted = np.broadcast_to(np.broadcast_to(False, x.shape), shape).shape
    return symbolic_value(x.tracer, x.tracer.graph.broadcast(x.node, wanted))


def _where(condition: Any, a: Any = None, b: Any = None) -> Any:
    if a is None or b is None:
        return NotImplemented
    tracer = tracer_of(condition, a, b)
    return symbolic_value(tracer, tracer.graph.elementwise("where", *map(tracer.node, (condition, a, b))))


def _triangle_function(function: Any) -> Callable[..., Any]:
    """The tracing rule of ``np.tril`` or ``np.triu``: a choice between the entries and 0."""

    @lru_cache(maxsize=256)
    def entries(shape: tuple[int, ...], k: int) -> Any:
        return function(np.ones(shape, np.bool_), k)

    return lambda x, k=0: _where(entries(x.shape[-2:], int(k)), x, x.dtype.type(0)) if x.ndim > 1 else NotImplemented


def _diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A slice of the matrices whose rows are put one behind the other."""
    if (axis1 - x.ndim if axis1 >= 0 else axis1, axis2 - x.ndim if axis2 >= 0 else axis2) != (-2, -1):
        return NotImplemented
    rows, columns = x.shape[-2:]
    places = np.diagonal(np.arange(rows * columns).reshape(rows, columns), offset)
    if not places.size:
        return NotImplemented
    flat = _reshape(x, (*x.shape[:-2], rows * columns))
    return flat[..., int(places[0]) : int(places[-1]) + 1 : columns + 1]


def _concatenate(arrays: Any, axis: int = 0, **more: Any) -> Any:
    if more or axis is None:
        return NotImplemented
    tracer = tracer_of(*arrays)
    nodes = tuple(map(tracer.node, arrays))
    np.concatenate([np.broadcast_to(False, n.shape) for n in nodes], axis)  # raises NumPy's errors
    return symbolic_value(tracer, tracer.graph.concat(nodes, axis % nodes[0].ndim))


def _roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Along each axis, the entries from some place on and then those before it."""
    if axis is None or type(x) is not SymbolicArray:
        return NotImplemented
    for by, k in np.broadcast(shift, axis):
        ahead, n = (slice(None),) * (int(k) % x.ndim), x.shape[k]
        place = -int(by) % n if n else 0
        if place:
            x = _concatenate([x[(*ahead, slice(place, None))], x[(*ahead, slice(place))]], len(ahead))
    return x


def _stack(arrays: Any, axis: int = 0, **more: Any) -> Any:
    tracer = tracer_of(*arrays)
    return _concatenate([_expand_dims(symbolic_value(tracer, tracer.node(a)), axis) for a in arrays], axis, **more)


def _full_like(number: int) -> Callable[..., Any]:
    def function(x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
        one = x.tracer.graph.const(np.asarray(number, dtype or x.dtype)[()])
        return _broadcast_to(symbolic_value(x.tracer, one), x.shape if shape is None else shape)

    return function


def _clip(x: Any, lo: Any = None, hi: Any = None, **more: Any) -> Any:
    if more or x.dtype.kind != "f":  # integers take bounds beyond their dtype, which maximum refuses
        return NotImplemented
    low = x if lo is None else np.maximum(x, lo)
    return low if hi is None else np.minimum(low, hi)


def _operand_for_dtype(value: Any) -> Any:
    return value.dtype if type(value) is SymbolicArray else 1.0 if type(value) is SymbolicScalar else value


def _getitem(x: SymbolicArray, index: Any) -> Any:
    """``x[index]``: basic indices become slices, all others a call of the kit's operation."""
    parts = index if isinstance(index, tuple) else (index,)
    if not _is_basic(parts):
        return unwrap(as_tensor(x)[index])
    parts = tuple([checked_slice(p) if isinstance(p, slice) else p for p in parts])
    shape, spans = _index_slices(parts, x.shape)
    graph = x.tracer.graph
    return symbolic_value(x.tracer, graph.reshape(graph.slice(x.node, spans), shape))


def _index_slices(parts: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """The result shape of a basic index, and the slice of each axis."""
    answer = np.broadcast_to(False, shape)[parts].shape  # raises NumPy's errors too
    taken = [p for p in parts if p is not None]
    place = next((k for k, p in enumerate(taken) if p is Ellipsis), len(taken))
    fill = [slice(None)] * (len(shape) - len(taken) + (place < len(taken)))
    full = [*taken[:place], *fill, *taken[place + 1 :]]
    spans = [slice(int(p) % n, int(p) % n + 1) if _is_integer(p) else p for p, n in zip(full, shape, strict=True)]
    return answer, tuple(span.indices(n) for span, n in zip(spans, shape, strict=True))


def pad_with_zeros(tracer: Any, x: Any, params: dict[str, Any]) -> Any:
    """Zeros into which ``x`` is written at an index; None if the index is not a basic one."""
    if type(x) is float:
        return None
    parts = (slice(None),) * (x.ndim - params["ndim"]) + params["index"]
    if not _is_basic(parts):
        return None
    shape = x.shape[: x.ndim - params["ndim"]] + tuple(params["shape"])
    _, spans = _index_slices(parts, shape)
    if any(step < 0 for _, _, step in spans):
        return None
    inner = tracer.graph.reshape(tracer.node(x), tuple(len(range(*span)) for span in spans))
    return symbolic_value(tracer, tracer.graph.pad(inner, spans, shape))


def _is_basic(parts: tuple[Any, ...]) -> bool:
    return all(p is None or p is Ellipsis or isinstance(p, slice) or _is_integer(p) for p in parts)


def _is_integer(part: Any) -> bool:
    return isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_))


TRACED_FUNCTIONS |= {
    getitem: _getitem,
    np.matmul: _matmul,
    np.add.reduce: _SUM,
    np.maximum.reduce: _MAX,
    np.minimum.reduce: _MIN,
    np.sum: _SUM,
    np.max: _MAX,
    np.amax: _MAX,
    np.min: _MIN,
    np.amin: _MIN,
    np.mean: _mean,
    np.reshape: _reshape,
    np.ravel: lambda x, order="C": _reshape(x, (-1,), order),
    np.expand_dims: _expand_dims,
    np.squeeze: _reshaping_function(np.squeeze),
    np.transpose: _permuting_function(np.transpose),
    np.swapaxes: _permuting_function(np.swapaxes),
    np.moveaxis: _permuting_function(np.moveaxis),
    np.broadcast_to: _broadcast_to,
    np.where: _where,
    np.tril: _triangle_function(np.tril),
    np.triu: _triangle_function(np.triu),
    np.diagonal: _diagonal,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.roll: _roll,
    np.zeros_like: _full_like(0),
    np.ones_like: _full_like(1),
    np.clip: _clip,
    np.result_type: lambda *values: np.result_type(*map(_operand_for_dtype, values)),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.copy: lambda x, order="K", subok=False: x,
    np.can_cast: lambda a, to, casting="safe": np.can_cast(_operand_for_dtype(a), to, casting),
}
