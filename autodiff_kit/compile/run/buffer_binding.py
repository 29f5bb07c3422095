"""Binding of memory that a plan does not own: arguments, variables, optimizer slots and outputs.

The plan accesses variables and slots through NumPy views that are globals of its function, and updates them in place.
The array of a variable belongs to the plan: if another object refers to it, or another array was assigned, the plan
copies it first, so that arrays that others hold never change. Slots are never returned to a caller. Arguments and
outputs are local names of the function; each call makes new outputs, and large ones in memory that the caller dropped.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.trace.input_sources import AttributeSource, OptimizerSlotSource
from autodiff_kit.errors import StructureError
from autodiff_kit.kernels.native_calls import write_addresses

__all__ = ["BufferBinder"]


LARGE_BYTES = 2**20
"""Size of outputs from which memory that the system must hand out anew costs more than a kernel."""


class BufferBinder:
    """Binds views of external memory, and generates the lines that check whether the binding still holds.

    Parameters
    ----------
    env : dict
        Globals of the plan's function.
    views_of_buffer, pointer_rows : dict
        For each buffer: its views, and the rows of addresses to update with ``write_addresses``.
    """

    def __init__(
        self, env: dict[str, Any], views_of_buffer: dict[Any, list[Any]], pointer_rows: dict[Any, tuple[float, float]]
    ) -> None:
        self.env, self.views_of_buffer, self.pointer_rows = env, views_of_buffer, pointer_rows
        env |= {"refcount": sys.getrefcount, "empty": np.empty, "write_addresses": write_addresses}
        env["bind_slots"] = self._bind_slots
        self._slots_index: dict[tuple[int, int], int] = {}
        self._slots: list[tuple[Any, Any, list[tuple[str, GraphNode]]]] = []

    def _bind_views(self, node: GraphNode, array: Any) -> None:
        """Point all views and addresses of an input, and of the new value that is written over it, to an array."""
        for buffer in (("input", node), ("state", node)):
            for name, shape, dtype, offset, strides in self.views_of_buffer.get(buffer, ()):
                self.env[name] = np.ndarray(shape, dtype, array, offset, strides)
            if buffer in self.pointer_rows:
                write_addresses(*self.pointer_rows[buffer], id(array))

    # -------------------------------------------------------------------------------------------- arguments and outputs
    def address_lines(self, buffer: Any, name: str) -> list[str]:
        """The line that tells the kernels where the array of a local name is, if a kernel uses it."""
        rows = self.pointer_rows.get(buffer)
        return [] if rows is None else [f"write_addresses({rows[0]!r}, {rows[1]!r}, id({name}))"]

    def output_lines(self, k: int, like: GraphNode) -> list[str]:
        """The lines that make the array of output ``k``."""
        self.env[f"dtype_out{k}"] = like.dtype
        made = f"empty({like.shape}, dtype_out{k})"
        if like.size * like.dtype.itemsize >= LARGE_BYTES:
            self.env |= {f"spare{k}": [], "reused_or_empty": _reused_or_empty}
            made = f"reused_or_empty(spare{k}, {like.shape}, dtype_out{k})"
        return [f"out{k} = {made}", *self.address_lines(("out", k), f"out{k}")]

    # -------------------------------------------------------------------------------------------------------- variables
    def variable_check_line(self, node: GraphNode, variable: Any, written: bool) -> str:
        """The line that binds a variable again if its array has changed or another object refers to it."""
        k = node.number
        self.env |= {f"variable{k}": variable, f"variable_array{k}": None, f"variable_refs{k}": 0}
        self.env[f"bind_variable{k}"] = partial(self._bind_variable, node, variable, written)
        held = f" or refcount(variable_array{k}) != variable_refs{k}" if written else ""
        return f"if variable{k}._value is not variable_array{k}{held}: bind_variable{k}()"

    def _bind_variable(self, node: GraphNode, variable: Any, written: bool) -> None:
        k = node.number
        self.env[f"variable_array{k}"] = None
        array = variable._value
        if written or type(array) is not np.ndarray or not array.flags.c_contiguous or not array.flags.aligned:
            array = variable._value = np.array(array, order="C")
        self._bind_views(node, array)
        self.env[f"variable_array{k}"] = array
        del array
        self.env[f"variable_refs{k}"] = sys.getrefcount(self.env[f"variable_array{k}"])

    # ------------------------------------------------------------------------------------------------ numbers and slots
    def scalar_code(self, node: GraphNode, source: AttributeSource | OptimizerSlotSource) -> tuple[list[str], str]:
        """For a number in an attribute or slot: the lines to run before it is read, and the expression for it."""
        if isinstance(source, OptimizerSlotSource):
            k, lines = self.slots_number_and_lines(source)
            return lines, f"slots{k}[{source.name!r}]"
        self.env[f"owner{node.number}"] = source.owner
        return [], f"owner{node.number}.{source.name}"

    def slots_number_and_lines(self, source: OptimizerSlotSource) -> tuple[int, list[str]]:
        """The number of a variable's slots, and on first use the line that binds them again if replaced."""
        key = (id(source.optimizer), id(source.variable))
        if key in self._slots_index:
            return self._slots_index[key], []
        k = self._slots_index[key] = len(self._slots)
        self._slots.append((source.optimizer, source.variable, []))
        self.env |= {
            f"optimizer{k}": source.optimizer,
            f"slot_variable_id{k}": id(source.variable),
            f"slot_entry{k}": False,
            f"slots{k}": None,
        }
        return k, [f"if optimizer{k}._state.get(slot_variable_id{k}) is not slot_entry{k}: bind_slots({k})"]

    def slot_array_lines(self, node: GraphNode, source: OptimizerSlotSource) -> list[str]:
        """Bind the array of a slot; returns the lines that check the binding.

        An eager step, or another plan, may have put another array into the same slots.
        """
        k, lines = self.slots_number_and_lines(source)
        self._slots[k][2].append((source.name, node))
        held = f"slot_array{node.number}"
        self.env[held] = None
        return [*lines, f"if slots{k}[{source.name!r}] is not {held}: bind_slots({k})"]

    def _bind_slots(self, k: int) -> None:
        optimizer, variable, names = self._slots[k]
        slots = optimizer._own_slots(variable)
        slots.buffers = None  # views of arrays that may be replaced here, or have just been
        for name, node in names:
            if type(slots[name]) is not np.ndarray or not slots[name].flags.carray:
                slots[name] = np.array(slots[name], order="C")
            if (slots[name].shape, slots[name].dtype) != (node.shape, node.dtype):
                raise StructureError(
                    f"the slot {name!r} of {type(optimizer).__name__} has shape {slots[name].shape} and dtype "
                    f"{slots[name].dtype}, and had {node.shape} and {node.dtype} when it was traced; keep them"
                )
            self._bind_views(node, slots[name])
            self.env[f"slot_array{node.number}"] = slots[name]
        self.env |= {f"slot_entry{k}": optimizer._state[id(variable)], f"slots{k}": slots}


def _reused_or_empty(spare: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """One of the last two outputs if nothing else refers to it, or a new array. Its holder may have reshaped it."""
    for k in range(len(spare)):
        if sys.getrefcount(spare[k]) == 2 and spare[k].shape == shape and spare[k].dtype == dtype:
            spare[k].flags.writeable = True  # the caller may have made it read-only
            return spare[k]
    found = np.empty(shape, dtype)
    spare[:] = [found, *spare[:1]]
    return found
