"""Steps of optimizers inside a trace: their slots as inputs, and dense or sparse updates of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.row_steps import set_rows, sum_equal_ids
from autodiff_kit.compile.trace.input_sources import OptimizerSlotSource
from autodiff_kit.compile.trace.symbolic_array import symbolic_value
from autodiff_kit.compile.trace.trace import StepUpdate
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.tracer import as_array, suspend_tracing
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ConcretizationError, StructureError
from autodiff_kit.optim.inplace import OwnedSlots

if TYPE_CHECKING:
    from autodiff_kit.compile.trace.tracer import Tracer

__all__ = ["OptimizerSteps"]


class OptimizerSteps:
    """The steps that optimizers make while a function is traced."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        # Of an optimizer and a variable: the slots before the first step, and those after the last.
        self._values: dict[tuple[int, int], tuple[Any, Variable, dict[str, Any], dict[str, Any]]] = {}
        self.updates: dict[tuple[int, int], StepUpdate] = {}  # what the last step of each added to each variable
        self._counters: dict[tuple[int, str, int], tuple[Any, list[OptimizerSlotSource]]] = {}
        self._rows_of_gradient: dict[GraphNode, tuple[Any, Any]] = {}  # dense gradient -> ids and rows

    def equal_slots(self) -> list[list[OptimizerSlotSource]]:
        """The slots that share one input."""
        return [sources for _, sources in self._counters.values() if len(sources) > 1]

    def assignments(self) -> list[tuple[OptimizerSlotSource, GraphNode]]:
        """The slots that a call must write back."""
        return [
            (OptimizerSlotSource(optimizer, variable, name), self.tracer.node(value))
            for optimizer, variable, first, now in self._values.values()
            for name, value in now.items()
            if value is not first.get(name)
        ]

    def slots(self, optimizer: Any, variable: Variable) -> OwnedSlots:
        """The slots of an optimizer for a variable, as symbolic values."""
        if self.tracer.parent is not None:
            raise ConcretizationError(
                "the function of scan makes a step of an optimizer, but while a function is compiled its steps are "
                "recorded once. Make the loop with for, or compile one step and call it in a loop."
            )
        if optimizer._slots and self.tracer.has_made(optimizer):
            raise ConcretizationError(
                f"the function makes its optimizer ({type(optimizer).__name__}). ak.compile runs the function once, so "
                "later calls would go on with this optimizer's slots. Make the optimizer outside."
            )
        key = (id(optimizer), id(variable))
        known = self._values.get(key)
        if known is None:
            with suspend_tracing():
                first = {
                    name: self._add_slot_input(OptimizerSlotSource(optimizer, variable, name), value)
                    for name, value in optimizer._slots_of(variable).items()
                }
            known = self._values[key] = (optimizer, variable, first, first)
        return OwnedSlots(known[3])

    def _add_slot_input(self, slot: OptimizerSlotSource, value: Any) -> Any:
        """An input for one slot. Step counters that are equal share one, and are guarded to stay equal."""
        if type(value) is not int:
            return self.tracer.add_input(slot, value, strong=True)
        key = id(slot.optimizer), slot.name, value
        if key not in self._counters:
            self._counters[key] = self.tracer.add_input(slot, value), []
        symbol, sources = self._counters[key]
        sources.append(slot)
        return symbol

    def record(self, optimizer: Any, variable: Variable, g: Any) -> None:
        """Record a step of an optimizer on a variable: its new value, the new slots, and the update."""
        mask = optimizer._frozen.get(id(variable))
        before, old = variable._value, self.slots(optimizer, variable)
        if mask is not None and mask.all():
            self._set_step(optimizer, variable, old, np.zeros(before.shape, variable.dtype))
            return
        new = dict(old)
        rows = self._rows_of(g) if optimizer._supports_row_updates else None
        if rows is None:
            update, ids = optimizer._compute_update(before, g, new), None
            after, delta = before + update, np.broadcast_to(as_array(update, variable.dtype), before.shape)
        else:
            (after, delta), ids = self._step_rows(optimizer, before, *rows, new), rows[0]
        if mask is None and variable.constraint is None:
            variable._value = as_array(after, variable.dtype)
            self._set_step(optimizer, variable, new, delta, ids)
            return
        if variable.constraint is not None:
            after = unwrap(variable.constraint(canonical(after)))
        if mask is not None and mask.any():
            after = np.where(mask, before, after)
            new = {name: x if name == "t" else np.where(mask, old[name], x) for name, x in new.items()}
        variable._value = after = as_array(after, variable.dtype)
        self._set_step(optimizer, variable, new, after - before)

    def mark_rows(self, dense: Any, ids: Any, rows: Any) -> Any:
        """The gradient of a table, for whose step its ids and rows are enough."""
        node = self.tracer.node(dense)
        self._rows_of_gradient[node] = ids, rows
        return symbolic_value(self.tracer, node)

    def _rows_of(self, g: Any) -> tuple[Any, Any] | None:
        """Ids and rows of a gradient that is zero elsewhere, or of a sum of such gradients; otherwise None."""
        node = self.tracer.node(g)
        known = self._rows_of_gradient.get(node)
        if known is not None or node.op != "add":
            return known
        parts = [self._rows_of(symbolic_value(self.tracer, a)) for a in node.args if a.shape == node.shape]
        if len(parts) < len(node.args) or None in parts:
            return None
        ids, rows = zip(*parts, strict=True)
        return np.concatenate(ids), np.concatenate(rows)

    def _step_rows(self, optimizer: Any, before: Any, ids: Any, rows: Any, new: dict[str, Any]) -> tuple[Any, Any]:
        """Record a step of some rows of a table, and put the new slots into ``new``; the new value, and the update."""
        call_on = self.tracer.call_on
        tables = {name: x for name, x in new.items() if x.shape == before.shape}
        part = new | {name: x[ids] for name, x in tables.items()}
        old = before[ids]
        delta = optimizer._compute_update(old, call_on(sum_equal_ids, [ids, rows], rows), part)
        new |= part | {name: call_on(set_rows, [x, ids, part[name]], x) for name, x in tables.items()}
        return call_on(set_rows, [before, ids, old + delta], before), delta

    def _set_step(self, optimizer: Any, variable: Variable, new: dict[str, Any], delta: Any, ids: Any = None) -> None:
        key = (id(optimizer), id(variable))
        for name, old in self._values[key][2].items():
            if (found := getattr(new[name], "shape", ())) != getattr(old, "shape", ()):
                raise StructureError(
                    f"a step of {type(optimizer).__name__} changes its slot {name!r} from shape {old.shape} to "
                    f"{found}. In a compiled function a slot keeps its shape: make it large enough in _initial_slots"
                )
        self._values[key] = (*self._values[key][:3], new)
        rows = None if ids is None else self.tracer.node(ids)
        self.updates[key] = StepUpdate(optimizer, variable, self.tracer.node(delta), rows)
