"""Binding of memory that a plan does not own: arguments, variables, optimizer slots, and outputs.

The plan accesses each through NumPy views that are globals of its function. Variables and slots are updated in place.
The array of a variable belongs to the plan: if another object refers to it, or another array was assigned, the plan
copies it first, so that arrays that others hold never change. Slots are never returned to a caller.

An output array is reused once the caller has dropped it, which its reference count shows; a tensor that a tape has
recorded is not reused. Each output has two arrays, so that a caller can keep one result while the next one is
computed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.trace.input_sources import AttributeSource, OptimizerSlotSource
from autodiff_kit.core.tensor import Tensor, wrap

__all__ = ["BufferBinder", "OutputBuffers"]


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
        from autodiff_kit.kernels.native_calls import write_addresses

        self.env, self.views_of_buffer, self.pointer_rows = env, views_of_buffer, pointer_rows
        self.write_addresses = write_addresses
        env |= {"refcount": sys.getrefcount, "bind_variable": self._bind_variable, "bind_slots": self._bind_slots}
        self._sources: list[tuple[GraphNode, Any, bool]] = []
        self._slots_index: dict[tuple[int, int], int] = {}
        self._slots: list[tuple[Any, Any, list[tuple[str, GraphNode]]]] = []

    def _bind_views(self, buffer: Any, array: Any) -> None:
        """Point all views and addresses of a buffer to an array."""
        for name, shape, dtype, offset, strides in self.views_of_buffer.get(buffer, ()):
            self.env[name] = np.ndarray(shape, dtype, array, offset, strides)
        if buffer in self.pointer_rows:
            self.write_addresses(*self.pointer_rows[buffer], id(array))

    # ------------------------------------------------------------------------------------------------------- arguments
    def argument_binding_line(self, place: int, node: GraphNode) -> str:
        """The line that binds an array argument.

        ``bind_and_remember`` does the same and keeps a weak reference to the array, for the fast path.
        """
        rows = self.pointer_rows.get(("input", node))

        def bind(array: Any) -> None:
            if rows is not None:
                self.write_addresses(*rows, id(array))
            self.env[f"last_argument{place}"] = _no_argument

        def bind_and_remember(array: Any) -> None:
            bind(array)
            self.env[f"last_argument{place}"] = ref(array)

        self.env |= {
            f"bind_argument{place}": bind,
            f"bind_and_remember{place}": bind_and_remember,
            f"last_argument{place}": _no_argument,
        }
        return f"bind_argument{place}(arg{place})"

    # -------------------------------------------------------------------------------------------------------- variables
    def variable_check_line(self, node: GraphNode, variable: Any, written: bool) -> str:
        """The line that binds a variable again if its array has changed or another object refers to it."""
        k = len(self._sources)
        self._sources.append((node, variable, written))
        self.env |= {f"variable{k}": variable, f"variable_array{k}": None, f"variable_refs{k}": 0}
        held = f" or refcount(variable_array{k}) != variable_refs{k}" if written else ""
        return f"if variable{k}._value is not variable_array{k}{held}: bind_variable({k})"

    def _bind_variable(self, k: int) -> None:
        node, variable, written = self._sources[k]
        self.env[f"variable_array{k}"] = None
        array = variable._value
        if written or type(array) is not np.ndarray or not array.flags.c_contiguous or not array.flags.aligned:
            array = variable._value = np.array(array, order="C")
        self._bind_views(("input", node), array)
        self._bind_views(("state", node), array)
        self.env[f"variable_array{k}"] = array
        del array
        self.env[f"variable_refs{k}"] = sys.getrefcount(self.env[f"variable_array{k}"])

    # ------------------------------------------------------------------------------------------------ numbers and slots
    def scalar_code(self, node: GraphNode, source: AttributeSource | OptimizerSlotSource) -> tuple[list[str], str]:
        """For a number in an attribute or slot: the lines to run before it is read, and the expression for it."""
        if isinstance(source, OptimizerSlotSource):
            name, lines = self.slots_name_and_lines(source)
            return lines, f"{name}[{source.name!r}]"
        self.env[f"owner{node.number}"] = source.owner
        return [], f"owner{node.number}.{source.name}"

    def slots_name_and_lines(self, source: OptimizerSlotSource) -> tuple[str, list[str]]:
        """The name of a variable's slots, and on first use the line that binds them again if replaced."""
        key = (id(source.optimizer), id(source.variable))
        if key in self._slots_index:
            return f"slots{self._slots_index[key]}", []
        k = self._slots_index[key] = len(self._slots)
        self._slots.append((source.optimizer, source.variable, []))
        self.env |= {
            f"optimizer{k}": source.optimizer,
            f"slot_variable_id{k}": id(source.variable),
            f"slot_entry{k}": None,
            f"slots{k}": None,
        }
        return f"slots{k}", [f"if optimizer{k}._state.get(slot_variable_id{k}) is not slot_entry{k}: bind_slots({k})"]

    def slot_array_lines(self, node: GraphNode, source: OptimizerSlotSource) -> list[str]:
        """Bind the array of a slot; returns the lines that check the binding."""
        _, lines = self.slots_name_and_lines(source)
        k = self._slots_index[id(source.optimizer), id(source.variable)]
        self._slots[k][2].append((source.name, node))
        return lines

    def _bind_slots(self, k: int) -> None:
        optimizer, variable, names = self._slots[k]
        slots = optimizer._own_slots(variable)
        for name, node in names:
            if type(slots[name]) is not np.ndarray or not slots[name].flags.carray:
                slots[name] = np.array(slots[name], order="C")
            self._bind_views(("input", node), slots[name])
            self._bind_views(("state", node), slots[name])
        self.env |= {f"slot_entry{k}": optimizer._state[id(variable)], f"slots{k}": slots}

    def bind_output(self, k: int, array: Any) -> None:
        """Point the views of output ``k`` to an array."""
        self._bind_views(("out", k), array)


def _no_argument() -> None:
    """The placeholder for the weak reference to an argument before the first call."""


class OutputBuffers:
    """The outputs of a plan, and the lines that check whether their memory is free.

    Parameters
    ----------
    env : dict
        Globals of the plan's function.
    bind : callable
        ``bind(k, array)`` binds a new array of output ``k``.
    """

    def __init__(self, env: dict[str, Any], bind: Callable[[int, Any], None]) -> None:
        self.env, self.bind_views = env, bind
        env |= {"refcount": sys.getrefcount, "renew_output": self._replace_buffer}
        self._buffers: dict[int, list[list[Any]]] = {}
        self._like: dict[int, tuple[Any, bool]] = {}

    def array_output_code(self, k: int, like: Any, tensor: bool) -> tuple[str, str]:
        """For array output ``k``, shaped like ``like``: the check before it is written, and the output expression."""
        self._register(k, like, tensor)
        check = f"refcount(output_array{k}) != array_refs{k}"
        if tensor:
            check = f"{self._tensor_in_use(k)} or {check}"
        return f"if {check}: renew_output({k})", f"output_tensor{k}" if tensor else f"output_array{k}.view()"

    def scalar_code(self, k: int, text: str) -> tuple[list[str], str]:
        """For output ``k``, a tensor of one number: the lines that store the number, and the output expression."""
        self._register(k, None, True)
        check = f"if {self._tensor_in_use(k)}: renew_output({k})"
        return [check, f"output_tensor{k}._value = {text}"], f"output_tensor{k}"

    @staticmethod
    def _tensor_in_use(k: int) -> str:
        """The expression for: another object holds the tensor, or a tape has recorded it."""
        tensor = f"output_tensor{k}"
        return f"refcount({tensor}) != tensor_refs{k} or {tensor}._node is not None or {tensor}.record is not None"

    def _register(self, k: int, like: Any, tensor: bool) -> None:
        self._like[k], self._buffers[k] = (like, tensor), []

    def allocate(self) -> None:
        """Allocate the first buffers, once the views of the outputs are known."""
        for k in self._like:
            self._replace_buffer(k)

    def _replace_buffer(self, k: int) -> None:
        """Drop the current buffer of an output, which the caller holds, and take a free or a new one."""
        (like, tensor), pairs = self._like[k], self._buffers[k]
        self.env |= {f"output_tensor{k}": None, f"output_array{k}": None}
        place = next((place for place, pair in enumerate(pairs) if _is_unused(pair)), None)
        found = _new_buffer(like, tensor) if place is None else pairs.pop(place)
        pairs[:] = [found, *pairs[:1]]
        self.env |= {f"output_tensor{k}": found[0], f"output_array{k}": found[1]}
        if found[1] is not None:
            found[1].flags.writeable = True  # the caller may have made it read-only
            self.bind_views(k, found[1])
        self.env |= {f"tensor_refs{k}": sys.getrefcount(found[0]), f"array_refs{k}": sys.getrefcount(found[1])}


def _new_buffer(like: Any, tensor: bool) -> list[Any]:
    array = None if like is None else np.empty(like.shape, like.dtype)
    return [wrap(array) if tensor else None, array]


def _is_unused(pair: list[Any]) -> bool:
    """Whether only the pair refers to its tensor and array."""
    clean = type(pair[0]) is not Tensor or (pair[0]._node is None and pair[0].record is None)
    held = 2 if type(pair[0]) is Tensor else 1  # the tensor refers to the array as well
    return clean and (
        (pair[0] is None or sys.getrefcount(pair[0]) == 2) and (pair[1] is None or sys.getrefcount(pair[1]) == held + 1)
    )
