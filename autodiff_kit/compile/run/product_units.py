"""Products of matrices by BLAS, and loops over windows of images, as native units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.run.kernel_loader import module_source
from autodiff_kit.compile.run.lapack_units import have_one_float_dtype
from autodiff_kit.core.dispatch import compute
from autodiff_kit.kernels import native_calls, window_loops

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_product", "emit_window_loop"]


def emit_product(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add a matrix product as a native unit, if BLAS accepts the strides of all operands; False for others."""
    nodes = (*n.args, n)
    if n.op != "matmul" or not have_one_float_dtype(nodes):
        return False
    views: list[Any] = [plan.memory_plan.array_of(x) for x in nodes]
    views = [np.broadcast_to(view, (*n.shape[:-2], *view.shape[-2:])) for view in views]
    steps = [_batch_stride(view.shape[:-2], view.strides[:-2]) for view in views]
    if None in steps or not all(map(_is_blas_compatible, views)):
        return False
    entries: list[Any] = [native_calls.matmul_loop_address(n.dtype)]
    entries += [plan.locate(x)[:2] for x in nodes]
    entries += [n.size // (n.shape[-1] * n.shape[-2]), n.shape[-2], n.args[0].shape[-1], n.shape[-1], *steps]
    for view in views:
        entries += view.strides[-2:]
    plan.add_unit(native_calls.MATMUL, f"{n.args[0].shape} @ {n.args[1].shape}", entries)
    return True


def emit_window_loop(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add a loop over windows of images as a native unit, with its sizes as constants; False for other calls."""
    call, nodes = n.params, (*n.args, n)
    if call.function is not compute or call.args[0].loop is None or len(n.args) != len(call.args[1]):
        return False
    found = call.args[0].loop(*n.args, **call.args[2])
    if not found or not plan.are_plain(nodes):
        return False
    name, sizes = found
    entries: list[Any] = [word for a in nodes for word in (plan.locate(a)[:2], a.size)]
    entries += plan.scratch_entries(n.dtype, window_loops.rooms(name, sizes))
    if window_loops.needs_products(name):
        entries.append(native_calls.matmul_loop_address(n.dtype))
    source = module_source("", window_loops.call_source(name, sizes, n.dtype.name), n.dtype)
    plan.add_unit(plan.compiler(source), name, entries)
    return True


def _batch_stride(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """The stride in bytes of leading axes that can be collapsed to one; None if they cannot."""
    step, count = 0, 1
    for n, stride in zip(shape[::-1], strides[::-1], strict=True):
        if n > 1 and count == 1:
            step, count = stride, n
        elif n > 1:
            if stride != step * count:
                return None
            count *= n
    return step


def _is_blas_compatible(view: Any) -> bool:
    """Whether BLAS accepts the strides of a matrix or its transpose."""
    (m, n), (down, along), size = view.shape[-2:], view.strides[-2:], view.itemsize
    rows = (along == size or n == 1) and (down >= n * size or m == 1)
    columns = (down == size or m == 1) and (along >= m * size or n == 1)
    return bool(rows or columns)
