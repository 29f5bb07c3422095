"""Segment reductions: sum, mean, maximum, minimum and product of groups of rows; sparse matrix products.

The rows lie along the axis ``-ndim``, so that gradients work with extra axes in front; ``ids`` are checked integers,
one for each row, in any order. The public functions are those of :mod:`autodiff_kit.nn.segment`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tracer import concrete_only, opaque
from autodiff_kit.errors import RangeError
from autodiff_kit.ops.families import bilinear, general, linear
from autodiff_kit.ops.in_place import add_rows_at

Array = np.ndarray[Any, Any]
_SORTED_AS_UINT16 = 1 << 16  # smaller ids are sorted as 16-bit integers, in a tenth of the time


def _to_float32(x: Any) -> Array:
    """float16 as float32, for sums; other dtypes unchanged."""
    x = np.asarray(x)
    wide: Array = x.astype(np.float32) if x.dtype == np.float16 else x
    return wide


def _to_dtype_of(y: Array, x: Any) -> Array:
    """Convert to float16 if ``x`` is float16."""
    return y.astype(np.float16) if np.asarray(x).dtype == np.float16 else y


def _broadcast_over_rows(numbers: Any, ndim: int) -> Any:
    """One number for each row, with axes of length 1 after it."""
    return numbers.reshape(-1, *(1,) * (ndim - 1))


# -------------------------------------------------------------------------------- sums and their transposes
def _sum_rows_by_id(x: Array, ids: Any, count: int, ndim: int) -> Array:
    """The rows summed by their id; each leading entry has separate ids, so that one loop computes all."""
    ids = np.asarray(ids)
    front, behind = x.shape[: x.ndim - ndim], x.shape[x.ndim - ndim + 1 :]
    lead, width = math.prod(front), math.prod(behind)
    out = np.zeros((lead * count, width), np.add.reduce(x[..., :0], axis=None).dtype)
    if out.size and ids.size:
        places = ids if lead == 1 else (np.arange(lead)[:, None] * count + ids).reshape(-1)
        add_rows_at(out, places, np.ascontiguousarray(x, out.dtype).reshape(-1, width))
    return out.reshape(*front, count, *behind)


@linear(lambda g, _y, _x, *, ids, ndim: v.segment_sum(g, ids=ids, count=_x.shape[-ndim], ndim=ndim))
def gather_rows(x: Any, ids: Any, ndim: int) -> Any:
    """Take rows by their indices; the transpose of :func:`segment_sum`."""
    return np.take(x, ids, axis=-ndim)


@linear(lambda g, _y, _x, *, ids, count, ndim: v.gather_rows(g, ids=ids, ndim=ndim), counts=True)
def segment_sum(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The sum of the rows of each group."""
    return _to_dtype_of(_sum_rows_by_id(_to_float32(x), ids, count, ndim), x)


def _group_sizes(ids: Any, count: int, ndim: int) -> Any:
    return _broadcast_over_rows(np.maximum(np.bincount(ids, minlength=count), 1), ndim)


@linear(
    lambda g, _y, _x, *, ids, count, ndim: v.gather_rows(
        g * (1.0 / _group_sizes(ids, count, ndim)).astype(g.dtype), ids=ids, ndim=ndim
    )
)
def segment_mean(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The mean of the rows of each group; 0 for a group without rows."""
    total = _sum_rows_by_id(_to_float32(x), ids, count, ndim)
    sizes = _group_sizes(ids, count, ndim)
    return _to_dtype_of(total / sizes.astype(total.dtype if total.dtype.kind == "f" else np.float64), x)


# -------------------------------------------------------------------------------- extremes and products
@concrete_only
def _are_sorted(ids: Array) -> bool:
    """Whether no id is smaller than the one before it."""
    return ids.size < 2 or bool(np.all(ids[1:] >= ids[:-1]))


@concrete_only
def _longest_group(ids: Array) -> int:
    """The number of rows of the largest group."""
    return int(np.bincount(ids).max(initial=0))


def _sorting_order(ids: Any, count: int) -> Any:
    """The stable order that sorts the ids; None where they are known to be sorted."""
    if _are_sorted(ids):
        return None
    return np.argsort(ids.astype(np.uint16) if count <= _SORTED_AS_UINT16 else ids, kind="stable")


def _reduce_groups(ufunc: np.ufunc, x: Array, ids: Any, count: int, ndim: int, empty: int) -> Array:
    """Each group reduced by a NumPy ufunc; groups without rows are ``empty``."""
    ids, axis = np.asarray(ids), x.ndim - ndim
    order = _sorting_order(ids, count)
    if order is not None:
        x, ids = x.take(order, axis), ids[order]
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    some = ufunc.reduceat(x, starts, axis=axis) if starts.size else x
    out = np.full((*x.shape[:axis], count, *x.shape[axis + 1 :]), empty, some.dtype)
    out[(slice(None),) * axis + (ids[starts],)] = some
    return out


@opaque
def _extreme_weights(x: Array, y: Array, ids: Array, count: int, ndim: int) -> Array:
    """1 at the extreme rows of each group, shared evenly among equal ones; a constant in derivatives."""
    best = np.take(y, ids, axis=-ndim)
    equal = (x == best) | (np.isnan(x) & np.isnan(best))
    among = _sum_rows_by_id(equal, ids, count, ndim)
    shares: Array = equal / np.maximum(np.take(among, ids, axis=-ndim), 1)
    return shares.astype(x.dtype)


def _extreme_vjp(g: Any, y: Any, x: Any, *, ids: Any, count: int, ndim: int) -> Any:
    return v.gather_rows(g, ids=ids, ndim=ndim) * _extreme_weights(unwrap(x), unwrap(y), ids, count, ndim)


def _extreme_jvp(t: Any, y: Any, x: Any, *, ids: Any, count: int, ndim: int) -> Any:
    return v.segment_sum(
        t[0] * _extreme_weights(unwrap(x), unwrap(y), ids, count, ndim), ids=ids, count=count, ndim=ndim
    )


@general(_extreme_vjp, jvp=_extreme_jvp)
def segment_max(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The maximum of each group; equal entries share the gradient evenly."""
    return _reduce_groups(np.maximum, np.asarray(x), ids, count, ndim, 0)


@general(_extreme_vjp, jvp=_extreme_jvp)
def segment_min(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The minimum of each group; equal entries share the gradient evenly."""
    return _reduce_groups(np.minimum, np.asarray(x), ids, count, ndim, 0)


def _row_of_same_group(x: Any, ids: Any, step: int, ndim: int) -> Any:
    """The row ``step`` positions away if it belongs to the same group, otherwise 1."""
    here = np.arange(ids.size)
    there = np.clip(here - step, 0, ids.size - 1)
    same = (here - step == there) & (ids[there] == ids)
    return v.select(v.gather_rows(x, ids=there, ndim=ndim), 1.0, condition=_broadcast_over_rows(same, ndim))


def _exclusive_products(x: Any, ids: Any, longest: int, way: int, ndim: int) -> Any:
    """The product of all rows of a group before each row (after it, for ``way`` -1), in doubling steps."""
    total, step = _row_of_same_group(x, ids, way, ndim), 1
    while step < longest - 1:
        total = total * _row_of_same_group(total, ids, way * step, ndim)
        step *= 2
    return total


def _product_of_others(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """For each row the product of the other rows of its group: those before times those after, without a division."""
    order = _sorting_order(ids, count)
    if order is not None:
        x, ids = v.gather_rows(x, ids=order, ndim=ndim), ids[order]
    longest = _longest_group(ids) or ids.size
    before, behind = (_exclusive_products(x, ids, longest, way, ndim) for way in (1, -1))
    others = before * behind
    return others if order is None else v.gather_rows(others, ids=np.argsort(order), ndim=ndim)


@general(
    lambda g, _y, x, *, ids, count, ndim: (
        v.gather_rows(g, ids=ids, ndim=ndim) * _product_of_others(x, ids, count, ndim)
    ),
    jvp=lambda t, _y, x, *, ids, count, ndim: v.segment_sum(
        t[0] * _product_of_others(x, ids, count, ndim), ids=ids, count=count, ndim=ndim
    ),
    counts=True,
)
def segment_prod(x: Any, ids: Any, count: int, ndim: int) -> Any:
    """The product of the rows of each group; 1 for a group without rows. The gradient needs no division."""
    wide = _to_float32(x)
    wide = wide.astype(np.multiply.reduce(wide[..., :0], axis=None).dtype, copy=False)
    return _to_dtype_of(_reduce_groups(np.multiply, wide, ids, count, ndim, 1), x)


# -------------------------------------------------------------------------------- sparse matrices
def _sparse_product_vjp_values(g: Any, _y: Any, _a: Any, b: Any, *, rows: Any, columns: Any, shape: Any) -> Any:
    pairs = v.gather_rows(g, ids=rows, ndim=2) * v.gather_rows(b, ids=columns, ndim=2)
    return v.sum(pairs, axis=(-1,), keepdims=False)


@bilinear(
    _sparse_product_vjp_values,
    lambda g, _y, a, _b, *, rows, columns, shape: v.sparse_product(
        a, g, rows=columns, columns=rows, shape=(shape[1], shape[0])
    ),
    flops=lambda y, a, b: 2 * np.size(a) * np.shape(b)[-1],
)
def sparse_product(values: Any, x: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """The product of a sparse matrix, ``A[rows[k], columns[k]] = values[k]``, and a dense one; entries at one position
    add up.
    """
    dtype = np.result_type(values, x)
    values, x = (_to_float32(np.asarray(part, dtype)) for part in (values, x))
    loop = (
        kernels.compiled_loop("scatter_add_scaled_rows")
        if values.ndim == 1 and x.ndim == 2 and dtype.char in "fd"
        else None
    )
    if loop is None:
        out = _sum_rows_by_id(np.take(x, columns, axis=-2) * values[..., None], rows, shape[0], 2)
        return out.astype(dtype, copy=False)
    out = np.zeros((shape[0], x.shape[1]), dtype)
    if not loop(out, rows, np.ascontiguousarray(values), columns, np.ascontiguousarray(x)):
        raise RangeError(f"a row or a column of the sparse matrix is out of range for its shape, {shape}")
    return out
