"""NumPy's functions that no kernel computes, as native units: those of integers, seldom ones, and argmax.

Units of elementwise functions call their inner loops, which NumPy keeps for each combination of dtypes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar, promotion_type
from autodiff_kit.compile.topological_order import view_base
from autodiff_kit.core.dispatch import compute
from autodiff_kit.kernels import native_calls

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_argmax", "emit_running", "emit_ufunc"]

_RUNNING: dict[str, Any] = {"cumsum": np.add, "cumprod": np.multiply}
_MOST_ROWS = 16
_ARGMAX_PARAMETERS = {"axis", "keepdims"}
"""Those that the unit knows."""


def emit_ufunc(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add an elementwise function of arrays in rows and of numbers as a unit; False for others."""
    ufunc = getattr(np, n.op, None)
    if not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or n.dtype.kind not in "biuf":
        return False
    if ufunc is np.power and n.dtype.kind != "f":
        return False  # the loop of integers raises, which needs Python
    buffer, offset, view = plan.locate(n)
    if not view.flags.c_contiguous:
        return False
    dtypes = ufunc.resolve_dtypes((*map(promotion_type, n.args), None))
    operands = [_operand(plan, n, k, dtype) for k, dtype in enumerate(dtypes[:-1])]
    if dtypes[-1] != n.dtype or None in operands or _types(dtypes) not in ufunc.types:
        return False
    places, steps = zip(*operands, ((buffer, offset), n.dtype.itemsize), strict=True)
    loop = native_calls.ufunc_loop(ufunc, _types(dtypes))
    plan.add_unit(native_calls.UFUNC, n.op, [*loop, len(places), *places, n.size, *steps])
    return True


def emit_running(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add running sums or products as units; False for others.

    As NumPy does it: the loop adds to each entry the one before it of its own result.
    """
    call = n.params
    if call.function is not compute or call.args[0].user_defined or call.args[0].name not in _RUNNING:
        return False
    shape, axis = n.shape, call.args[2]["axis"] % n.ndim
    each, step = math.prod(shape[axis:]), math.prod(shape[axis + 1 :])  # entries of a run, and from one to the next
    if not plan.are_plain((*n.args, n)) or n.size // each > _MOST_ROWS:
        return False
    loop = native_calls.ufunc_loop(_RUNNING[call.args[0].name], f"{n.dtype.char * 2}->{n.dtype.char}")
    size = n.dtype.itemsize
    (given, x), (result, y) = plan.locate(n.args[0])[:2], plan.locate(n)[:2]
    for first in range(0, n.size * size, each * size):
        after = first + step * size
        plan.add_unit(native_calls.COPY, "first", [1, (given, x + first), (result, y + first), step * size])
        places = [(result, y + first), (given, x + after), (result, y + after)]
        plan.add_unit(native_calls.UFUNC, call.args[0].name, [*loop, 3, *places, each - step, size, size, size])
    return True


def emit_argmax(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add argmax or argmin of floats in rows, along an axis or of all, as a unit; False for others."""
    call = n.params
    if (
        call.function not in (np.argmax, np.argmin)
        or len(call.args) != 1
        or not call.kwargs.keys() <= _ARGMAX_PARAMETERS
    ):
        return False
    if len(n.args) != 1 or not plan.are_plain(n.args) or not plan.locate(n)[2].flags.c_contiguous:
        return False
    (x,), axis, name = n.args, call.kwargs.get("axis"), call.function.__name__
    shape = (x.size,) if axis is None else x.shape[axis % x.ndim :]
    entries = [plan.locate(x)[:2], x.size, plan.locate(n)[:2], n.size, shape[0], math.prod(shape[1:])]
    plan.add_unit(native_calls.ARGMAX[name, x.dtype.char], name, entries)
    return True


def _operand(plan: PlanCodeGenerator, n: GraphNode, k: int, dtype: Any) -> Any:
    """Where operand ``k`` is, and the bytes between its entries; None if the loop cannot read it there."""
    a = n.args[k]
    if a.size == 1 and (value := view_base(a).value) is not None:
        if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            return None  # NumPy compares with it all the same
        key = ("number", (n, k))
        plan.fixed[key] = np.array(value, dtype).reshape(())
        return (key, 0), 0
    if a.size == 1 and a.dtype == np.int64 and dtype == np.float64 and not a.weak:
        return plan.cell_address(a), 0  # converted
    if a.dtype != dtype or a.weak:
        return None
    if is_scalar(a):
        return (plan.cell_address(a), 0) if dtype == np.float64 else None
    buffer, offset, view = plan.locate(a)
    fits = a.size == 1 or (a.shape == n.shape and view.flags.c_contiguous)
    return ((buffer, offset), 0 if a.size == 1 else dtype.itemsize) if fits else None


def _types(dtypes: Any) -> str:
    """The dtypes as NumPy writes them in the list of a function's loops."""
    *inputs, output = (dtype.char for dtype in dtypes)
    return f"{''.join(inputs)}->{output}"
