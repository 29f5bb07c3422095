"""A loop inside a plan as native units, if its steps need no Python: so loops inside of loops are native as well.

Its first carry and its numbers are copied to where the steps read them, and its results to where the plan keeps them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.compile.trace.opaque_call import NodePlaceholder, OpaqueCall
from autodiff_kit.kernels import native_calls

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_loop", "emit_loop_result"]

_MOST_BYTES = 1 << 20
"""Of results that a plan keeps memory for. With more, a call from Python takes no time beside the steps."""


def emit_loop(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add a loop as native units; False for other calls, and for a loop that cannot be one."""
    loop: LoopCall = n.params.function
    native: Any = getattr(loop, "run_native", None)
    if native is None or any(x.weak for x in loop.inputs):
        return False
    if not all(type(x) is NodePlaceholder for x in n.params.args) or (native.is_large and not plan.of_step):
        return False  # called from Python, a large loop can be stopped
    stacks = [np.empty(shape, dtype) for shape, dtype in loop.specs[loop.carries :]]
    places = [_place(plan, n.args[x.number], k, loop) for k, x in enumerate(n.params.args)]
    if None in places or sum(x.nbytes for x in stacks) > _MOST_BYTES:
        return False
    copies, rows = native.copies_and_rows(places, stacks)
    plan.add_unit(native_calls.COPY, "first carry", [len(copies) // 3, *copies])
    entries = [*map(int, native.ends), len(rows) // 2, *rows, len(loop.order)]
    plan.add_unit(native_calls.LOOP, f"{len(loop.order)} steps", entries)
    plan.env[f"loop{n.number}"] = native  # kept alive
    if native.may_fail:
        again = OpaqueCall("scan", partial(native.run_in_python, stacks), n.params.args, {})
        plan.emit_after_failure(n, native.failed, again)
    plan.loop_results |= {(n, k): x for k, x in enumerate([*native.current, *stacks])}
    return True


def _place(plan: PlanCodeGenerator, a: GraphNode, k: int, loop: LoopCall) -> Any:
    """Where operand ``k`` of a loop is, as a buffer and an offset; None if the loop cannot read it there."""
    step = loop.inputs[k]
    each_step = loop.carries <= k < loop.carries + loop.entries
    if a.dtype != step.dtype or a.shape != (len(loop.order), *step.shape)[not each_step :]:
        return None
    if is_scalar(a):
        return plan.cell_address(a) if a.dtype == np.float64 else None
    buffer, offset, view = plan.locate(a)
    return (buffer, offset) if view.flags.c_contiguous else None


def emit_loop_result(plan: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add the copy of one result of a loop that runs as a unit; False for results of other calls."""
    result = plan.loop_results.get((n.args[0], n.params))
    if result is None:
        return False
    buffer, offset, _ = plan.locate(n)  # a result of a call lies in rows
    plan.add_unit(native_calls.COPY, "result", [1, result.ctypes.data, (buffer, offset), result.nbytes])
    return True
