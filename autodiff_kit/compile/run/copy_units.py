"""Concatenations, and zeros around an array, as native units of a plan that copy blocks."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar, slice_from_bounds
from autodiff_kit.compile.passes.kernel_source import memory_span
from autodiff_kit.compile.topological_order import view_base
from autodiff_kit.kernels import native_calls

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_copies"]

_MOST_COPIES = 64


def emit_copies(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add a concatenation, or zeros around an array, as a native unit that copies blocks, if these are few."""
    if not n.size or any(a.dtype != n.dtype for a in n.args):
        return False
    buffer, start, whole = plan.locate(n)
    copies: list[Any] = []
    if n.op == "pad":
        parts = [whole[tuple(map(slice_from_bounds, n.params))]]
        plan.zero_bytes = max(plan.zero_bytes, whole.nbytes)
        copies += [(("zeros", None), 0), (buffer, start), whole.nbytes]
    else:
        ends = accumulate((a.shape[n.params] for a in n.args), initial=0)
        parts = [whole[(*(slice(None),) * n.params, slice(*pair))] for pair in pairwise(ends)]
    for a, part in zip(n.args, parts, strict=True):
        if is_scalar(a) and (value := view_base(a).value) is None:
            return False  # a number that is computed
        source, offset, view = (("filled", a), 0, np.full(a.shape, value, a.dtype)) if is_scalar(a) else plan.locate(a)
        if is_scalar(a):
            plan.fixed[source] = view
        place = start + memory_span(part)[0] - memory_span(whole)[0]
        blocks = _blocks_without_gaps(view, part)
        copies += [x for i, j, size in blocks for x in ((source, offset + i), (buffer, place + j), size)]
        if (a.size and not blocks) or len(copies) > 3 * _MOST_COPIES:
            return False
    if n.op == "pad" and not whole.flags.c_contiguous:
        return False
    plan.add_unit(native_calls.COPY, n.op, [len(copies) // 3, *copies])
    return True


def _blocks_without_gaps(source: Any, target: Any) -> list[tuple[int, int, int]]:
    """The largest blocks without gaps in two arrays of one shape: offset in each, and bytes. None if there are many."""
    for lead in range(source.ndim):
        shape, blocks = source.shape[:lead], (source[(0,) * lead], target[(0,) * lead])
        if math.prod(shape) > _MOST_COPIES:
            break
        if all(block.flags.c_contiguous for block in blocks):
            away = [[sum(map(mul, place, x.strides)) for place in np.ndindex(shape)] for x in (source, target)]
            return [(i, j, blocks[0].nbytes) for i, j in zip(*away, strict=True)]
    return []
