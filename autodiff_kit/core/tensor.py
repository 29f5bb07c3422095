"""Values: immutable tensors, and variables that an optimizer moves."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Standin, Value, array, later, may_change, method, normal, plain
from autodiff_kit.core.record import ArrayNode, Like, Node, Reading, Record, join, leaf, members, note, open_records
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError, TapeError

__all__ = [
    "Standin",
    "Tensor",
    "Value",
    "Variable",
    "array",
    "constant",
    "follow_variable",
    "later",
    "lift",
    "make",
    "may_change",
    "method",
    "normal",
    "plain",
]


def make(value: Any, node: Node | None = None) -> Tensor:
    """A tensor around a value that is in the kit's own form already."""
    if type(node) is Tensor:
        return node  # a scalar's node is its tensor
    tensor = Tensor()
    tensor._value = value
    tensor._node = node
    tensor.record = None
    return tensor


def lift(value: Any) -> Tensor:
    """A tensor for whatever stands as an operand: a tensor, a variable, an array, a list or a number."""
    if type(value) is Tensor:
        return value
    if isinstance(value, Variable):
        return value.read_value()
    own = normal(value)
    if type(own) is not float and own.dtype.kind not in "biufc":
        raise DtypeError(f"an array of dtype {own.dtype} holds no numbers; give it a floating or whole dtype")
    # An array of the user's may be written to later, and the record must not notice.
    if type(own) is np.ndarray:
        return make(own.copy() if may_change(own) else own)
    return make(own if type(own) is float or not isinstance(own, Standin) else own.strong())


class Tensor(Value, Node):
    """An immutable array that a tape can follow.

    Made by :func:`constant` and by every operation. A float64 scalar is kept as a Python float, which is several times
    faster than an array without axes; :meth:`numpy` gives an array either way.

    Notes
    -----
    **Dtypes.** NumPy's: a Python float becomes float64, integers stay integers.
    """

    __slots__ = ("_node", "_value")  # no weak references: they would cost each operation 3 %
    _node: Node | None  # of an array; a scalar is its own

    @property
    def node(self) -> Node | None:
        """The entry of this value on a record; None where no tape follows it."""
        return self if self.record is not None else self._node

    def follow(self, record: Record) -> Node:
        """Put this value on a record: as a leaf, or as one value on several records."""
        node = self.node
        if node is not None:
            node.record = join(node.record, record) or record
        else:
            node = _begin(self, record)
        return node

    def _leave(self, kind: str = "left", variable: Variable | None = None) -> None:
        node = self.node
        if node is not None and open_records.records:
            note(kind, node, variable)

    @property
    def name(self) -> str | None:
        """The name that was given, or None."""
        name: str | None = self.get("name")
        return name

    def register_hook(self, function: Callable[[Tensor], Any]) -> None:
        """See, and if wanted replace, the gradient that passes this value on its way back.

        Parameters
        ----------
        function : callable
            Gets the gradient as a Tensor; what it returns takes the gradient's place, None leaves it.

        Raises
        ------
        TapeError
            If no tape has this value on its record.
        """
        node = self.node
        if node is None:
            raise TapeError("no tape follows this value: watch a source first, then register the hook")
        for record in members(node.record):
            record.hooks.setdefault(node, []).append(function)

    def __repr__(self) -> str:
        text = np.array2string(np.asarray(self._value), separator=", ", threshold=50)
        named = f", name={self.name!r}" if self.name else ""
        return f"Tensor({text}, shape={self.shape}, dtype={self.dtype}{named})"


def _begin(tensor: Tensor, record: Record) -> Node:
    """Make a tensor that no record follows a leaf of one."""
    value = tensor._value
    if type(value) is float:
        return leaf(tensor, record)
    own = tensor._node = ArrayNode()
    own.like = Like.of(value)
    return leaf(own, record)


def constant(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor with the given values.

    Parameters
    ----------
    value : array_like
        Numbers, nested lists, an array, or a tensor. Arrays are copied.
    dtype : dtype, optional
        By default NumPy's: float64 for Python floats, int64 for Python integers.
    name : str, optional
        Shown in tables and errors.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If the value is not numbers (a ragged list, text, an object).

    Notes
    -----
    **Gradient.** A constant is followed only after ``tape.watch``.

    Examples
    --------
    >>> ak.constant([1.0, 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float64)
    """
    tensor = make(_owned(value, dtype))
    if name is not None:
        tensor.put("name", name)
    return tensor


def _owned(value: Any, dtype: Any) -> Any:
    if isinstance(given := plain(value), Standin):
        return array(given.strong(), dtype)
    try:
        own = np.array(plain(value), dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        wanted = "" if dtype is None else f" of dtype {dtype}"
        raise DtypeError(f"these values do not make an array{wanted}: {error}") from error
    if own.dtype.kind not in "biufc":
        raise DtypeError(f"a tensor holds numbers, got dtype {own.dtype}")
    return normal(own)


class Variable(Value):
    """A value that can be assigned, and that tapes follow by themselves.

    Parameters
    ----------
    value : array_like
        The first value; it is copied.
    trainable : bool, optional
        Whether tapes watch it on access.
    name : str, optional
        Shown in tables and errors.
    dtype : dtype, optional
        By default NumPy's.
    constraint : callable, optional
        Applied to the new value after each step of an optimizer.

    Notes
    -----
    **Gradient.** Assignment writes a number, not a history: what was assigned has no path back to where it came from.

    Examples
    --------
    >>> w = ak.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([0.5, 0.5]).numpy()
    array([1.5, 2.5])
    """

    __slots__ = ("__weakref__", "_name", "_value", "constraint", "trainable")

    def __init__(
        self,
        value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        constraint: Callable[[Any], Any] | None = None,
    ) -> None:
        self._value = _owned(value, dtype)
        self._name = name
        self.trainable = trainable
        self.constraint = constraint

    @property
    def name(self) -> str | None:
        """The name that was given, or None."""
        return self._name

    @property
    def like(self) -> Like | None:
        """Shape and dtype, or None for a float64 scalar."""
        return None if type(self._value) is float else Like(self._value.shape, self._value.dtype)

    def assign(self, value: Any) -> Variable:
        """Put a new value in place of the old one; shape and dtype stay."""
        return self._put(value, value)

    def assign_add(self, value: Any) -> Variable:
        """Add to the value in place."""
        return self._put(self._moved(operator.add, value), value)

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from the value in place."""
        return self._put(self._moved(operator.sub, value), value)

    def _moved(self, how: Callable[[Any, Any], Any], value: Any) -> Any:
        given = plain(value)
        if type(given) not in (float, int, np.ndarray):
            given = normal(given)  # lists are arrays; what is no number is said to be none
        try:
            return how(self._value, given)
        except AutodiffError:
            raise
        except ValueError as error:
            raise ShapeError(f"{self._called()} has shape {self.shape}: {error}") from error
        except TypeError as error:
            raise DtypeError(f"{self._called()} has dtype {self.dtype}: {error}") from error

    def _called(self) -> str:
        return f"variable {self.name}" if self.name else "the variable"

    def _put(self, value: Any, origin: Any) -> Variable:
        if open_records.records and isinstance(origin, Value):
            origin._leave("assigned", self)
        if type(value) is float and type(self._value) is float:
            self._value = value
            return self
        new = _owned(value, self.dtype)
        if np.shape(new) != self.shape:
            raise ShapeError(
                f"{self._called()} has shape {self.shape}, the new value {np.shape(new)}. "
                "A variable keeps its shape; make a new one for another shape."
            )
        self._value = new
        return self

    def _leave(self, kind: str = "left", variable: Variable | None = None) -> None:
        if open_records.records:
            note(kind, self, variable)

    def read_value(self) -> Tensor:
        """The present value as a tensor, on the record of every open tape that watches this variable."""
        records = open_records.records
        if not records:
            return make(self._value)
        hit = records[-1].leaves.get(id(self))
        if hit is not None and hit.latest._value is self._value:
            tensor: Tensor = hit.latest
            return tensor
        return _read(self, records)

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"Variable({np.array2string(np.asarray(self._value), separator=', ', threshold=50)}{named})"


def _read(variable: Variable, records: list[Record]) -> Tensor:
    """Read a variable whose tensor on the innermost record is missing or out of date."""
    record = records[-1]
    if len(records) == 1 and id(variable) not in record.leaves:  # the first reading inside the only tape
        first = make(variable._value)
        if record.page is not None:
            if record.automatic and variable.trainable:
                _begin(first, record)
            record.leaves[id(variable)] = Reading(variable, first, first)
        return first
    known = [r for r in records if _watches(r, variable)]
    wanting = [r for r in records if r in known or (r.automatic and variable.trainable and r.page is not None)]
    latest: Tensor = known[0].leaves[id(variable)].latest if known else make(variable._value)
    if latest._value is not variable._value:  # assigned since; gradients of all readings meet at the first
        from autodiff_kit.core.operation import reread

        latest = reread(known[0].leaves[id(variable)].first, variable._value)
    for record in wanting:
        if record.page is not None and record not in known:
            latest.follow(record)
    innermost = [records[-1]] if records[-1].page is not None and records[-1] not in wanting else []
    for record in [*wanting, *innermost]:  # one that pauses will want to watch the next reading itself
        first = record.leaves[id(variable)].first if record in known else latest
        record.leaves[id(variable)] = Reading(variable, first, latest)
    return latest


def follow_variable(variable: Variable, record: Record) -> Node:
    """Put a variable on a record that does not watch variables by itself."""
    tensor = variable.read_value()
    node = tensor.follow(record)
    for known in open_records.records:
        if known is record or id(variable) in known.leaves:
            first = known.leaves[id(variable)].first if _watches(known, variable) else tensor
            known.leaves[id(variable)] = Reading(variable, first, tensor)
    return node


def _watches(record: Record, variable: Variable) -> bool:
    hit = record.leaves.get(id(variable))
    node = hit.first.node if hit is not None else None
    return node is not None and record in members(node.record)
