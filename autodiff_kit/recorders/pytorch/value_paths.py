"""Which recorded values were computed from which, gradients or not, and the operations at which a gradient is lost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.diagnostics.user_code import is_discarded
from autodiff_kit.recorders.pytorch.recording import Operation, Recording

__all__ = ["PathEnd", "ValuePaths"]

_TAKING = frozenset(
    [
        "tensor",
        "as_tensor",
        "asarray",
        "from_numpy",
        "scalar_tensor",
        "full",
        "full_like",
        "new_tensor",
        "new_full",
        "new_ones",
    ]
)
_CUTTING = frozenset(("detach", "detach_", ".data"))


class PathEnd(NamedTuple):
    """An operation at which a gradient is lost on the way of a value."""

    kind: str
    operation: int


class ValuePaths:
    """The values that lead from a source to a target.

    Parameters
    ----------
    recording : Recording
    target : int
        The number of the target's value.
    """

    def __init__(self, recording: Recording, target: int) -> None:
        self.recording = recording
        self.target = target
        self.jumps, self.value_jumps = self._possible_jumps()
        self.needed_values, self.needed = self._ancestors()

    def _ancestors(self) -> tuple[set[int], set[int]]:
        """Values and operations that the target was computed from, also through plain numbers."""
        values: set[int] = set()
        operations: set[int] = set()
        todo: list[tuple[str, int]] = [("value", self.target)]
        while todo:
            what, k = todo.pop()
            if what == "value" and k not in values:
                values.add(k)
                made_by = self.recording.values[k].operation
                before = [made_by] if made_by >= 0 else self.value_jumps.get(k, ())
                todo += [("operation", j) for j in before]
            elif what == "operation" and k not in operations:
                operations.add(k)
                operation = self.recording.operations[k]
                todo += [("value", n) for n in operation.inputs]
                todo += [("operation", j) for j in (*operation.numbers, *self.jumps.get(k, ()))]
        return values, operations

    def _possible_jumps(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Where plain numbers may have come from: for operations that take some, and for leaves that appear in the block.

        PyTorch does not see what NumPy and Python do with numbers. So these may depend on any operation before them that
        gave plain numbers.
        """
        operations: dict[int, list[int]] = {}
        values: dict[int, list[int]] = {}
        before = [k for k, op in enumerate(self.recording.operations)
                  if op.left is not None and not op.decides and not is_discarded(op.place)]  # fmt: skip
        if not before:
            return operations, values
        for k, operation in enumerate(self.recording.operations):
            takes = operation.foreign or (operation.name in _TAKING and not operation.inputs)
            if takes and operation.left is None and not operation.numbers:
                operations[k] = [j for j in before if j < k]
        for number, value in enumerate(self.recording.values):
            tensor = value.tensor
            if value.operation < 0 and tensor is not None and id(tensor) not in self.recording.older:
                values[number] = self._sharing(tensor, before) or [j for j in before if j < value.first_read]
        return operations, values

    def _sharing(self, tensor: Any, before: list[int]) -> list[int]:
        """The operations whose array has the memory of a tensor, as after ``torch.from_numpy``."""
        found = []
        for j in before:
            array = self.recording.operations[j].left
            if isinstance(array, np.ndarray) and tensor.device.type == "cpu":
                start, stop = np.lib.array_utils.byte_bounds(array)
                found += [j] if start <= tensor.data_ptr() < stop else []
        return found

    def reached_from(self, sources: list[int]) -> tuple[set[int], set[int]]:
        """Values and operations that were computed from some values."""
        values, operations = set(sources), set()
        for k, operation in enumerate(self.recording.operations):
            takes = any(n in operations for n in (*operation.numbers, *self.jumps.get(k, ())))
            values.update(n for n in operation.inputs if any(j in operations for j in self.value_jumps.get(n, ())))
            if takes or any(n in values for n in operation.inputs):
                operations.add(k)
                values.update(operation.outputs)
        return values, operations

    def ends(self, sources: list[int]) -> list[PathEnd]:
        """The operations between some values and the target at which a gradient is lost, in execution order."""
        _values, operations = self.reached_from(sources)
        alive = set(sources)
        found = []
        for k in sorted(operations & self.needed):
            operation = self.recording.operations[k]
            has_gradient = any(n in alive for n in operation.inputs)
            kind = self._lost_at(operation, has_gradient)
            if kind:
                found.append(PathEnd(kind, k))
            if has_gradient and not kind:
                alive.update(n for n in operation.outputs if self._requires_grad(n))
        return found

    def _requires_grad(self, number: int) -> bool:
        value = self.recording.values[number]
        tensor = value.tensor
        return value.required_grad or (tensor is not None and bool(tensor.requires_grad))

    def _lost_at(self, operation: Operation, has_gradient: bool) -> str:
        """How a gradient is lost at an operation on the way to the target; empty if it passes."""
        if operation.left is not None:
            return "left"
        if not has_gradient or any(self._requires_grad(n) for n in operation.outputs):
            return ""
        if operation.name in _CUTTING or operation.name == "grad":
            return "detached"
        if operation.name in _TAKING:
            return "left"
        if operation.inside_custom:
            return "custom"
        if not operation.grad:
            return "no_grad"
        return "no_slope"

    def place(self, k: int) -> SourceLocation:
        """The user's line of an operation."""
        return self.recording.operations[k].place

    def tensor_of(self, number: int) -> Any:
        """The tensor of a value, if it is held."""
        return self.recording.values[number].tensor

    def dead_ends(self, sources: list[int]) -> list[int]:
        """The operations that were computed from some values and that no other operation of these reads."""
        _, operations = self.reached_from(sources)
        recorded = self.recording.operations
        operations = {k for k in operations if recorded[k].left is None or recorded[k].decides}
        operations = {k for k in operations if self.recording.operations[k].name != "grad" and not self._is_update(k)}
        read = {n for k in operations for n in self.recording.operations[k].inputs}
        return sorted(k for k in operations if not any(n in read for n in self.recording.operations[k].outputs))

    def _is_update(self, k: int) -> bool:
        return self.recording.operations[k].name.endswith(".step")
