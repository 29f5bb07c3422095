"""NumPy's functions on symbols, in smaller parts: sums, views, joints, indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import rounded
from autodiff_kit.compile.trace.symbolic_array import FUNCTIONS, Number, Symbol, getitem, wrap

if TYPE_CHECKING:
    from autodiff_kit.compile.trace.tracer import Recorder

__all__ = ["pad"]


def _recorder(*values: Any) -> Any:
    return next(v.recorder for v in values if isinstance(v, Symbol))


# ---------------------------------------------------------------------------------------------------- NumPy's functions
def _matmul(rec: Recorder, a: Any, b: Any) -> Any:
    x, y = rec.node(a), rec.node(b)
    graph = rec.graph
    if not x.ndim or not y.ndim:
        raise ValueError("matmul: a number has no axes")
    row, column = x.ndim == 1, y.ndim == 1
    x = graph.reshape(x, (1, *x.shape)) if row else x
    y = graph.reshape(y, (*y.shape, 1)) if column else y
    z = graph.matmul(x, y)
    shape = (*z.shape[:-2], *(() if row else z.shape[-2:-1]), *(() if column else z.shape[-1:]))
    return wrap(rec, graph.reshape(z, shape))


def _axes(x: Symbol, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    many = (axis,) if np.ndim(axis) == 0 else tuple(axis)
    for k in many:
        if not -x.ndim <= k < x.ndim:
            raise np.exceptions.AxisError(k, x.ndim)
    return tuple(sorted({int(k) % x.ndim for k in many}))


def _reduced(op: str, x: Any, axis: Any, keepdims: Any, dtype: Any = None) -> Any:
    rec = x.recorder
    axes = _axes(x, axis)
    y = rec.graph.reduce(op, x.node, axes, dtype)
    keeps = keepdims is not np._NoValue and keepdims
    shape = y.shape if keeps else tuple(n for k, n in enumerate(y.shape) if k not in axes)
    return wrap(rec, rec.graph.reshape(y, shape))


_NONE = (None, np._NoValue, True)


def _sum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **more: Any) -> Any:
    odd = any(v not in _NONE for v in more.values()) or out is not None or type(x) is not Symbol
    return NotImplemented if odd else _reduced("sum", x, axis, keepdims, dtype)


def _extreme(op: str, entrywise: Any) -> Callable[..., Any]:
    def function(
        x: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = None,
        dtype: Any = None,
        where: Any = True,
    ) -> Any:
        if type(x) is not Symbol or out is not None or where not in _NONE or dtype is not None:
            return NotImplemented
        if any(x.shape[k] == 0 for k in _axes(x, axis)):
            return NotImplemented  # NumPy knows what that gives
        y = _reduced(op, x, axis, keepdims)
        return y if initial is None or initial is np._NoValue else entrywise(y, initial)

    return function


def _mean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **more: Any) -> Any:
    if type(x) is not Symbol or out is not None or x.dtype.char not in "fd" or dtype is not None or more:
        return NotImplemented
    axes = _axes(x, axis)
    count = int(np.prod([x.shape[k] for k in axes], dtype=np.int64))
    return _reduced("sum", x, axis, keepdims) / count if count else NotImplemented


def _reshape(x: Any, shape: Any = None, order: str = "C", **more: Any) -> Any:
    if order != "C" or more:
        return NotImplemented
    full = np.reshape(np.broadcast_to(False, x.shape), shape).shape  # NumPy's own errors where it does not fit
    return wrap(x.recorder, x.recorder.graph.reshape(x.node, full))


def _as(function: Any) -> Callable[..., Any]:
    """The same entries in the shape that a function of NumPy's gives."""
    return lambda x, *args, **more: _reshape(x, function(np.broadcast_to(False, x.shape), *args, **more).shape)


def _turned(function: Any) -> Callable[..., Any]:
    """Axes in the order in which a function of NumPy's puts them; each is known by its length."""

    def turned(x: Any, *args: Any, **more: Any) -> Any:
        answer = function(np.broadcast_to(False, tuple(range(1, x.ndim + 1))), *args, **more)
        return wrap(x.recorder, x.recorder.graph.permute(x.node, tuple(n - 1 for n in answer.shape)))

    return turned


_expand_dims = _as(np.expand_dims)


def _broadcast_to(x: Any, shape: Any, subok: bool = False) -> Any:
    wanted = np.broadcast_to(np.broadcast_to(False, x.shape), shape).shape
    return wrap(x.recorder, x.recorder.graph.broadcast(x.node, wanted))


def _where(condition: Any, a: Any = None, b: Any = None) -> Any:
    if a is None or b is None:
        return NotImplemented
    rec = _recorder(condition, a, b)
    return wrap(rec, rec.graph.where(*map(rec.node, (condition, a, b))))


def _concatenate(arrays: Any, axis: int = 0, **more: Any) -> Any:
    if more or axis is None:
        return NotImplemented
    rec = _recorder(*arrays)
    nodes = tuple(map(rec.node, arrays))
    np.concatenate([np.broadcast_to(np.zeros((), n.dtype), n.shape) for n in nodes], axis)
    return wrap(rec, rec.graph.concat(nodes, axis % nodes[0].ndim))


def _stack(arrays: Any, axis: int = 0, **more: Any) -> Any:
    rec = _recorder(*arrays)
    return _concatenate([_expand_dims(wrap(rec, rec.node(a)), axis) for a in arrays], axis, **more)


def _full_like(number: int) -> Callable[..., Any]:
    def function(x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
        rec = x.recorder
        one = np.asarray(number, dtype or x.dtype)[()]
        return wrap(rec, rec.graph.broadcast(rec.graph.const(one), x.shape if shape is None else tuple(shape)))

    return function


def _clip(x: Any, lo: Any = None, hi: Any = None, **more: Any) -> Any:
    if more:
        return NotImplemented
    low = x if lo is None else np.maximum(x, lo)
    return low if hi is None else np.minimum(low, hi)


def _result_type(*values: Any) -> Any:
    return np.result_type(*(_promoted(v) for v in values))


def _promoted(value: Any) -> Any:
    return value.dtype if type(value) is Symbol else 1.0 if type(value) is Number else value


def _index(x: Symbol, index: Any) -> Any:
    """``x[index]``: slices and whole numbers look, whatever else gathers."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(not (p is None or p is Ellipsis or isinstance(p, slice) or _whole(p)) for p in parts):
        return x.recorder.call(getitem, (x, index), {})
    shape, spans = _spans(parts, x.shape)
    graph = x.recorder.graph
    return wrap(x.recorder, graph.reshape(graph.slice(x.node, spans), shape))


def _spans(parts: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """The shape of what an index of slices and whole numbers gives, and the slice of each axis."""
    answer = np.broadcast_to(False, shape)[parts].shape  # NumPy's own errors too
    taken = [p for p in parts if p is not None]
    place = next((k for k, p in enumerate(taken) if p is Ellipsis), len(taken))
    fill = [slice(None)] * (len(shape) - len(taken) + (place < len(taken)))
    full = [*taken[:place], *fill, *taken[place + 1 :]]
    spans = tuple(slice(int(p) % n, int(p) % n + 1) if _whole(p) else p for p, n in zip(full, shape, strict=True))
    return answer, rounded(spans, shape)


def pad(rec: Recorder, x: Any, params: dict[str, Any]) -> Any:
    """Zeros with ``x`` at an index; None where that is more than slices and whole numbers."""
    parts = (slice(None),) * (x.ndim - params["ndim"]) + params["index"]
    if any(not (p is None or p is Ellipsis or isinstance(p, slice) or _whole(p)) for p in parts):
        return None
    shape = x.shape[: x.ndim - params["ndim"]] + tuple(params["shape"])
    _, spans = _spans(parts, shape)
    if any(step < 0 for _, _, step in spans):
        return None
    inner = rec.graph.reshape(rec.node(x), tuple(len(range(*span)) for span in spans))
    return wrap(rec, rec.graph.pad(inner, spans, shape))


def _whole(part: Any) -> bool:
    return isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_))


_LARGEST, _SMALLEST = _extreme("max", np.maximum), _extreme("min", np.minimum)

FUNCTIONS |= {
    getitem: _index,
    np.matmul: _matmul,
    np.add: _sum,  # its reduction
    np.maximum: _LARGEST,
    np.minimum: _SMALLEST,
    np.sum: _sum,
    np.max: _LARGEST,
    np.amax: _LARGEST,
    np.min: _SMALLEST,
    np.amin: _SMALLEST,
    np.mean: _mean,
    np.reshape: _reshape,
    np.ravel: lambda x, order="C": _reshape(x, (-1,), order),
    np.expand_dims: _expand_dims,
    np.squeeze: _as(np.squeeze),
    np.transpose: _turned(np.transpose),
    np.swapaxes: _turned(np.swapaxes),
    np.moveaxis: _turned(np.moveaxis),
    np.broadcast_to: _broadcast_to,
    np.where: _where,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.zeros_like: _full_like(0),
    np.ones_like: _full_like(1),
    np.clip: _clip,
    np.result_type: _result_type,
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.copy: lambda x, order="K", subok=False: x,
    np.can_cast: lambda a, to, casting="safe": np.can_cast(_promoted(a), to, casting),
}
