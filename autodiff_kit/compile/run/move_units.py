"""Operations that move entries, or add them up at places, as native units: joins, flips, indices, borders, segments.

Where each entry goes is not written down for each operation. The operation is called once with places in memory in
place of values, and returns where each entry of its result comes from. Neighbours that stay neighbours are one block.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.run.numpy_codegen import NUMPY_NAMES, numpy_expression
from autodiff_kit.compile.topological_order import view_base
from autodiff_kit.compile.trace.opaque_call import NodePlaceholder, OpaqueCall
from autodiff_kit.core.dispatch import compute
from autodiff_kit.core.operation import v
from autodiff_kit.kernels import native_calls

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_lookups", "emit_moves", "emit_rows", "emit_sums"]

_MOVES = frozenset(["concat", "pad", "copy", "take", "getitem", "replace", "frame", "diagonal", "on_diagonal"])
"""Operations of the graph and of the kit. Each entry of their results is one of an operand, a constant, or 0."""
_SUMS = frozenset(["scatter", "segment_sum", "segment_mean"])
_MOST_COPIES = 64
_MOST_ENTRIES = 1 << 20
"""With more entries, a line of Python takes no time beside what NumPy takes."""
_OPERAND = 1 << 40
"""The places of an operand's entries begin at a multiple of this. Float64 holds them exactly."""


def emit_moves(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add an operation that only moves entries as units that copy blocks; False for others."""
    few = 0 < n.size + sum(a.size for a in n.args) <= _MOST_ENTRIES
    if _name(n) not in _MOVES or not few or any(a.dtype != n.dtype for a in n.args):
        return False
    operands: list[Any] = [(("zeros", None), 0)]

    def places(buffer: Any, offset: int, view: Any) -> Any:
        operands.append((buffer, offset))
        return _offsets(view) + float((len(operands) - 1) * _OPERAND)

    def constant(x: Any) -> Any:
        key = ("moved", (n, len(operands)))
        plan.fixed[key] = np.array(x, n.dtype, order="C")
        return places(key, 0, plan.fixed[key])

    given = []
    for a in n.args:
        if not is_scalar(a):
            given.append(places(*plan.locate(a)))
        elif (x := view_base(a).value) is not None:
            given.append(constant(np.full(a.shape, x)))
        elif n.dtype == np.float64:
            given.append(places(*plan.cell_address(a), np.empty(a.shape)))
        else:
            return False
    found = _with_places(n, given, constant)
    if found is None or not (((found == 0) & ~np.signbit(found)) | (found >= _OPERAND)).all():
        return False  # a parameter is among the entries
    buffer, start, view = plan.locate(n)
    target = _offsets(view).reshape(-1).astype(np.int64)
    source = np.where(found == 0, _offsets(view), found).reshape(-1).astype(np.int64)  # of zeros as long as the result
    if not found.all():
        plan.zero_bytes = max(plan.zero_bytes, int(target.max()) + n.dtype.itemsize)
    firsts, sizes = _blocks(n.dtype.itemsize, source, target)
    if len(firsts) > _MOST_COPIES:
        return _emit_equal_blocks(plan, n, operands, math.gcd(*sizes), source, target)
    copies: list[Any] = [len(firsts)]
    for x, y, size in zip(source[firsts].tolist(), target[firsts].tolist(), sizes, strict=True):
        origin, offset = operands[x // _OPERAND]
        copies += [(origin, offset + x % _OPERAND), (buffer, start + y), size * n.dtype.itemsize]
    plan.add_unit(native_calls.COPY, _name(n), copies)
    return True


def _emit_equal_blocks(
    plan: PlanCodeGenerator, n: GraphNode, operands: list[Any], size: int, source: Any, target: Any
) -> bool:
    """Add one unit for each operand that copies many blocks of ``size`` entries."""
    words, left = divmod(n.dtype.itemsize, native_calls.BLOCK_WORD)
    if left:
        return False
    each = np.stack([source[::size] % _OPERAND, target[::size]], axis=1) // native_calls.BLOCK_WORD
    operand = source[::size] // _OPERAND
    for k in np.unique(operand):
        table = each[operand == k]
        plan.env[f"places{n.number}_{k}"] = table  # kept alive
        entries = [operands[k], plan.locate(n)[:2], table.ctypes.data, table.size, size * words]
        plan.add_unit(native_calls.MOVE, _name(n), entries)
    return True


def emit_sums(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add what sums entries or rows at places that are known, as a native unit; False for others."""
    name = _name(n)
    if name not in _SUMS or len(n.args) != 1 or not plan.are_plain((*n.args, n)):
        return False
    x, params, sizes = n.args[0], n.params.args[2], np.empty(0, n.dtype)
    if name != "scatter":
        ids, width = np.array(params["ids"], np.int64), x.size // x.shape[0]
        if params["ndim"] != x.ndim or ids.shape != x.shape[:1] or not 0 <= ids.min() <= ids.max() < n.shape[0]:
            return False
        places = ids * width
        if name == "segment_mean":
            sizes = np.maximum(np.bincount(ids, minlength=n.shape[0]), 1).astype(n.dtype)
    elif x.size + n.size <= _MOST_ENTRIES:
        index, whole = params["index"], np.arange(n.size).reshape(n.shape)
        places = v.getitem(whole, index=index, ndim=len(params["shape"])).reshape(-1)
        width = math.gcd(*_blocks(1, places)[1])
        places = places[::width].copy()
    else:
        return False
    plan.env[f"places{n.number}"] = places, sizes  # kept alive
    entries = [plan.locate(x)[:2], x.size, places.ctypes.data, places.size]
    entries += [plan.locate(n)[:2], n.size, width, sizes.ctypes.data, sizes.size]
    plan.add_unit(native_calls.SUM_ROWS[n.dtype.char], name, entries)
    return True


def emit_rows(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add rows that are taken by known numbers as a unit, without a place for each entry; False for others."""
    if _name(n) != "take" or len(n.args) > 1:
        return False
    x, ids, axis = n.args[0], n.params.args[1], n.params.kwargs.get("axis")
    if not isinstance(ids, np.ndarray) or axis not in (0, -x.ndim) or not plan.are_plain((x, n)):
        return False
    rows = np.array(ids, np.int64, order="C")  # a copy: others may hold the ids
    failed = np.zeros(1, np.intc)  # nobody asks: the ids were in range when the function was traced
    plan.env[f"rows{n.number}"] = rows, failed  # kept alive
    entries = [plan.locate(x)[:2], rows.ctypes.data, rows.size, x.shape[0], x.size // x.shape[0]]
    entries += [plan.locate(n)[:2], n.size, failed.ctypes.data]
    plan.add_unit(native_calls.READ_ROWS[n.dtype.char], "take", entries)
    return True


def emit_lookups(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add rows that are read, or to which others are added, by computed numbers as a unit; False for others.

    As where LAPACK fails, a line after it makes the call from Python where a number is out of range, which raises.
    """
    name = _name(n)
    if name not in ("getitem", "scatter") or len(n.args) != 2 or n.args[1].dtype != np.int64:
        return False
    x, ids = n.args
    (operand,), params, table = n.params.args[1], n.params.args[2], x if name == "getitem" else n
    on_first_axis = len(params["index"]) == 1 and params["ndim"] == x.ndim and type(operand) is NodePlaceholder
    number = name == "scatter" and is_scalar(x) and x.dtype == n.dtype == np.float64
    if is_scalar(ids) or not on_first_axis or not plan.are_plain((n,) if number else (x, n)):
        return False
    if not plan.memory_plan.array_of(ids).flags.c_contiguous:
        return False
    failed = np.zeros(1, np.intc)
    source = plan.cell_address(x) if number else plan.locate(x)[:2]
    entries = [source, plan.locate(ids)[:2], ids.size, table.shape[0], table.size // table.shape[0]]
    entries += [plan.locate(n)[:2], n.size, failed.ctypes.data]
    units = native_calls.READ_ROWS if name == "getitem" else native_calls.ADD_ROWS
    plan.add_unit(units[n.dtype.char], name, entries)
    plan.emit_after_failure(n, failed)
    return True


def _name(n: GraphNode) -> str:
    """The name of an operation; an empty one for calls of other functions than the kit's and ``np.take``."""
    if n.op != "call":
        return n.op
    if n.params.function is compute and not n.params.args[0].user_defined:
        return str(n.params.args[0].name)
    return "take" if n.params.function is np.take else ""


def _with_places(n: GraphNode, given: list[Any], constant: Callable[[Any], Any]) -> Any:
    """The result of an operation on places in place of values; None if parameters are computed."""
    if n.op != "call":
        names = {a: f"given{k}" for k, a in enumerate(n.args)}
        env = NUMPY_NAMES | {f"given{k}": x for k, x in enumerate(given)}
        return eval(numpy_expression(n, names, env), env)
    call = n.params
    operands = call.args[:1] if call.function is np.take else call.args[1]
    if sum(type(x) is NodePlaceholder for x in operands) != len(n.args):
        return None
    if call.function is compute:
        operands = tuple(x if type(x) is NodePlaceholder else constant(x) for x in operands)
        params = {k: constant(x) if k == "fill" else x for k, x in call.args[2].items()}
        call = OpaqueCall(call.name, compute, (call.args[0], operands, params), {})
    return call(*given)


def _offsets(view: Any) -> Any:
    """The offset in bytes of each entry of an array."""
    offsets = np.zeros(view.shape)
    for place, step in zip(np.ogrid[tuple(map(slice, view.shape))], view.strides, strict=True):
        offsets += place * step
    return offsets


def _blocks(step: int, *places: Any) -> tuple[Any, list[int]]:
    """Where blocks begin, whose neighbours are ``step`` apart in all arrays, and their lengths."""
    breaks = np.any([np.diff(x) != step for x in places], axis=0)
    firsts = np.concatenate([[0], np.flatnonzero(breaks) + 1])
    return firsts, np.diff([*firsts, places[0].size]).tolist()
