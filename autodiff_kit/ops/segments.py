"""Sums, means, products and extremes of rows in groups, rows by their number, and sparse matrix products.

The rows stand along the axis ``-ndim``, so that every rule works with more axes in front; ``ids`` are checked whole
numbers, one for each row, in any order. See :mod:`autodiff_kit.nn.segment` for what users call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.operation import bilinear, general, linear, v
from autodiff_kit.core.tensor import Standin, later, plain

__all__ = ["gather_rows", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "sparse_product"]

Array = np.ndarray[Any, Any]
_SHORT = 1 << 16  # ids below it are sorted as 16-bit numbers, which takes a tenth of the time


def _wide(x: Any) -> Array:
    """float16 is added up in float32."""
    x = np.asarray(x)
    wide: Array = x.astype(np.float32) if x.dtype == np.float16 else x
    return wide


def _narrow(y: Array, x: Any) -> Array:
    return y.astype(np.float16) if np.asarray(x).dtype == np.float16 else y


def _per_row(numbers: Any, ndim: int) -> Any:
    """A number for each row, with axes of length 1 behind it."""
    return numbers.reshape(-1, *(1,) * (ndim - 1))


# -------------------------------------------------------------------------------- sums, and what undoes them
def _add_rows(x: Array, ids: Any, count: int, ndim: int) -> Array:
    """Rows added up by their id, in order; every lead in front gets ids of its own, so that one loop does it all."""
    ids = np.asarray(ids)
    front, behind = x.shape[: x.ndim - ndim], x.shape[x.ndim - ndim + 1 :]
    lead, width = math.prod(front), math.prod(behind)
    out = np.zeros((lead * count, width), np.add.reduce(x[..., :0], axis=None).dtype)
    if out.size and ids.size:
        places = ids if lead == 1 else (np.arange(lead)[:, None] * count + ids).reshape(-1)
        _add_to(out, places, np.ascontiguousarray(x, out.dtype).reshape(-1, width))
    return out.reshape(*front, count, *behind)


def _add_to(out: Array, places: Array, rows: Array) -> None:
    loop = kernels.compiled_loop("scatter_add_rows") if rows.dtype.char in "fd" else None
    if loop is not None:
        loop(out, places, rows)
        return
    width = rows.shape[1]
    flat = places if width == 1 else (places[:, None] * width + np.arange(width)).reshape(-1)
    np.add.at(out.reshape(-1), flat, rows.reshape(-1))  # NumPy is quick along one axis only


@linear(lambda g, _y, _x, *, ids, ndim: v.segment_sum(g, ids=ids, count=_x.shape[-ndim], ndim=ndim))
def gather_rows(x: Any, ids: Any, ndim: int) -> Any:
    """Rows by their number; the transpose of :func:`segment_sum`."""
    return np.take(x, ids, axis=-ndim)


@linear(lambda g, _y, _x, *, ids, count, ndim: v.gather_rows(g, ids=ids, ndim=ndim))
def segment_sum(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The sum of each group of rows."""
    return _narrow(_add_rows(_wide(x), ids, count, ndim), x)


def _sizes(ids: Any, count: int, ndim: int) -> Any:
    return _per_row(np.maximum(np.bincount(ids, minlength=count), 1), ndim)


@linear(
    lambda g, _y, _x, *, ids, count, ndim: v.gather_rows(
        g * (1.0 / _sizes(ids, count, ndim)).astype(g.dtype), ids=ids, ndim=ndim
    )
)
def segment_mean(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The mean of each group of rows; of none it is 0."""
    total = _add_rows(_wide(x), ids, count, ndim)
    sizes = _sizes(ids, count, ndim)
    return _narrow(total / sizes.astype(total.dtype if total.dtype.kind == "f" else np.float64), x)


# -------------------------------------------------------------------------------- extremes and products
def _unknown(ids: Any) -> bool:
    """Whether the ids are still to come, in a function that ak.compile records."""
    return isinstance(ids, Standin)


def _order(ids: Any, count: int) -> Any:
    """The order that sorts the ids, stable; None where they are known to be sorted."""
    if _unknown(ids):
        return np.argsort(ids, kind="stable")
    if ids.size < 2 or np.all(ids[1:] >= ids[:-1]):
        return None
    return np.argsort(ids.astype(np.uint16) if count <= _SHORT else ids, kind="stable")


def _reduced(ufunc: np.ufunc, x: Array, ids: Any, count: int, ndim: int, empty: int) -> Array:
    """Each group reduced by NumPy's function; groups without rows are ``empty``."""
    ids, axis = np.asarray(ids), x.ndim - ndim
    order = _order(ids, count)
    if order is not None:
        x, ids = x.take(order, axis), ids[order]
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    some = ufunc.reduceat(x, starts, axis=axis) if starts.size else x
    out = np.full((*x.shape[:axis], count, *x.shape[axis + 1 :]), empty, some.dtype)
    out[(slice(None),) * axis + (ids[starts],)] = some
    return out


def _winners(x: Any, y: Any, ids: Any, count: int, ndim: int) -> Any:
    """1 at the extreme rows, shared evenly; a constant, since it does not change nearby."""
    return later(_winners_of, plain(x), plain(y), ids, count, ndim)


def _winners_of(x: Array, y: Array, ids: Array, count: int, ndim: int) -> Array:
    best = np.take(y, ids, axis=-ndim)
    equal = (x == best) | (np.isnan(x) & np.isnan(best))
    among = _add_rows(equal, ids, count, ndim)
    shares: Array = equal / np.maximum(np.take(among, ids, axis=-ndim), 1)
    return shares.astype(x.dtype)


def _extreme_pull(g: Any, y: Any, x: Any, *, ids: Any, count: int, ndim: int) -> Any:
    return v.gather_rows(g, ids=ids, ndim=ndim) * _winners(x, y, ids, count, ndim)


def _extreme_push(t: Any, y: Any, x: Any, *, ids: Any, count: int, ndim: int) -> Any:
    return v.segment_sum(t[0] * _winners(x, y, ids, count, ndim), ids=ids, count=count, ndim=ndim)


@general(_extreme_pull, jvp=_extreme_push)
def segment_max(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The largest entry of each group; equal ones share the gradient evenly."""
    return _reduced(np.maximum, np.asarray(x), ids, count, ndim, 0)


@general(_extreme_pull, jvp=_extreme_push)
def segment_min(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The smallest entry of each group; equal ones share the gradient evenly."""
    return _reduced(np.minimum, np.asarray(x), ids, count, ndim, 0)


def _neighbour(x: Any, ids: Any, step: int, ndim: int) -> Any:
    """The row ``step`` places away where it is of the same group, else 1."""
    here = np.arange(ids.size)
    there = np.clip(here - step, 0, ids.size - 1)
    same = (here - step == there) & (ids[there] == ids)
    return v.select(v.gather_rows(x, ids=there, ndim=ndim), 1.0, condition=_per_row(same, ndim))


def _products_before(x: Any, ids: Any, longest: int, way: int, ndim: int) -> Any:
    """The product of all rows of a group before each row (behind it, for ``way`` -1), in doubling steps."""
    total, step = _neighbour(x, ids, way, ndim), 1
    while step < longest - 1:
        total = total * _neighbour(total, ids, way * step, ndim)
        step *= 2
    return total


def _others(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """For each row the product of the others of its group: those before times those behind, no division."""
    order = _order(ids, count)
    if order is not None:
        x, ids = v.gather_rows(x, ids=order, ndim=ndim), ids[order]
    longest = ids.size if _unknown(ids) else int(np.bincount(ids).max(initial=0))
    before, behind = (_products_before(x, ids, longest, way, ndim) for way in (1, -1))
    others = before * behind
    return others if order is None else v.gather_rows(others, ids=np.argsort(order), ndim=ndim)


@general(
    lambda g, _y, x, *, ids, count, ndim: v.gather_rows(g, ids=ids, ndim=ndim) * _others(x, ids, count, ndim),
    jvp=lambda t, _y, x, *, ids, count, ndim: v.segment_sum(
        t[0] * _others(x, ids, count, ndim), ids=ids, count=count, ndim=ndim
    ),
)
def segment_prod(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The product of each group of rows; of none it is 1. The gradient divides by nothing, to any order."""
    wide = _wide(x)
    wide = wide.astype(np.multiply.reduce(wide[..., :0], axis=None).dtype, copy=False)
    return _narrow(_reduced(np.multiply, wide, ids, count, ndim, 1), x)


# -------------------------------------------------------------------------------- sparse matrices
def _pull_values(g: Any, _y: Any, _a: Any, b: Any, *, rows: Any, columns: Any, shape: Any) -> Any:
    pairs = v.gather_rows(g, ids=rows, ndim=2) * v.gather_rows(b, ids=columns, ndim=2)
    return v.sum(pairs, axis=(-1,), keepdims=False)


@bilinear(
    _pull_values,
    lambda g, _y, a, _b, *, rows, columns, shape: v.sparse_product(
        a, g, rows=columns, columns=rows, shape=(shape[1], shape[0])
    ),
    flops=lambda y, a, b: 2 * np.size(a) * np.shape(b)[-1],
)
def sparse_product(values: Any, x: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """``A @ x`` where ``A[rows[k], columns[k]]`` is ``values[k]``; entries at one place add up."""
    dtype = np.result_type(values, x)
    values, x = (_wide(np.asarray(part, dtype)) for part in (values, x))
    loop = (
        kernels.compiled_loop("scatter_add_scaled_rows")
        if values.ndim == 1 and x.ndim == 2 and dtype.char in "fd"
        else None
    )
    if loop is None:
        out = _add_rows(np.take(x, columns, axis=-2) * values[..., None], rows, shape[0], 2)
        return out.astype(dtype, copy=False)
    out = np.zeros((shape[0], x.shape[1]), dtype)
    loop(out, rows, np.ascontiguousarray(values), columns, np.ascontiguousarray(x))
    return out
