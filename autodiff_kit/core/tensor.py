"""Tensors: immutable arrays that a tape can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.joint_record import joint_record, records_of
from autodiff_kit.core.numpy_protocol import Value, as_text, canonical, check_real_numbers, is_writable
from autodiff_kit.core.operation import OPS
from autodiff_kit.core.path_breaks import mark_path_break
from autodiff_kit.core.record import ArrayNode, Node, Record, make_leaf, open_records
from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.errors import TapeError

__all__ = ["Tensor", "as_tensor", "wrap"]


def wrap(value: Any, node: Node | None = None) -> Tensor:
    """A tensor around a value that is already in canonical form (see :func:`canonical`)."""
    if type(node) is Tensor:
        return node  # a scalar's node is its tensor
    tensor = Tensor()
    tensor._value, tensor._node, tensor.record = value, node, None
    return tensor


def as_tensor(value: Any) -> Tensor:
    """A tensor for any operand: a tensor, a variable, an array, a list or a number; a list of tensors is stacked."""
    if type(value) is Tensor:
        return value
    if isinstance(value, Value):
        return value._as_tensor()
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return OPS["Stack"].function(value)  # type: ignore[misc,no-any-return]
    own = canonical(value)
    if type(own) is float:
        return wrap(own)
    if own.dtype.kind not in "biuf":
        check_real_numbers(own.dtype, f"an array of dtype {own.dtype}")
    # The user may write to an array later; the record must not change with it.
    if type(own) is np.ndarray:
        return wrap(own.copy() if is_writable(own) else own)
    return wrap(own.as_value() if isinstance(own, SymbolicValue) else own)


def _holds_tensors(values: Any) -> bool:
    """Whether a list, or a list in it, has a tensor, a variable or a value without numbers."""
    kinds = set(map(type, values))  # of a million numbers in a few milliseconds
    if any(issubclass(kind, (Value, SymbolicValue)) for kind in kinds):
        return True
    return not kinds.isdisjoint((list, tuple)) and any(_holds_tensors(x) for x in values if type(x) in (list, tuple))


class Tensor(Value, Node):
    """An immutable array that a tape can follow.

    Made by :func:`constant` and by every operation. A float64 scalar is kept as a Python float, which is several times
    faster than an array without axes; :meth:`numpy` gives an array either way.

    Notes
    -----
    **Dtypes.** NumPy's: a Python float becomes float64, integers stay integers.
    """

    __slots__ = ("_node", "_value")  # no weak references: they would slow down each operation by 3 %
    _node: Node | None  # of an array; a scalar is its own

    @property
    def node(self) -> Node | None:
        """The entry of this value on a record; None where no tape follows it."""
        return self if self.record is not None else self._node

    def attach(self, record: Record) -> Node:
        """Put this value on a record: as a leaf, or as one value on several records."""
        node = self.node
        if node is not None:
            node.record = joint_record(node.record, record, paused=True) or record  # None if all its records are closed
            return node
        if type(self._value) is float:
            return make_leaf(self, record)
        own = self._node = ArrayNode()
        own.spec = ArraySpec.of(self._value)
        return make_leaf(own, record)

    def _as_tensor(self) -> Tensor:
        return self

    def _mark_exit(self, kind: str = "left", variable: Value | None = None) -> None:
        if open_records.records and (node := self.node) is not None:
            mark_path_break(kind, node, variable)

    @property
    def name(self) -> str | None:
        """The name of the tensor, or None."""
        return self.get_extra("name")  # type: ignore[no-any-return]

    def register_hook(self, function: Callable[[Tensor], Any]) -> None:
        """Call a function with the gradient of this value during the backward pass, and let it replace the gradient.

        Parameters
        ----------
        function : callable
            Receives the gradient as a Tensor. Its return value replaces the gradient; None keeps the gradient.

        Raises
        ------
        TapeError
            If no tape has this value on its record.
        """
        node = self.node
        if node is None:
            raise TapeError("no tape follows this value; watch a source first, then register the hook")
        records = records_of(node.record)
        if isinstance(self._value, SymbolicValue):  # inside a vmap, tapes outside follow the value of all examples
            records = self._value.take_hook(function, records)
        for record in records:
            record.hooks.setdefault(node, []).append(function)

    def __copy__(self, _: Any = None) -> Tensor:
        return self  # immutable, as numbers are

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        """Pickle the numbers and the name. A record stays where it is, and notes that the value left it."""
        self._mark_exit()
        return wrap, (canonical(np.asarray(self._value)),), (None, {"extras": {"name": self.name}})

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"Tensor({as_text(self._value)}, shape={self.shape}, dtype={self.dtype}{named})"
