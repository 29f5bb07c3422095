"""Variables: values that can be assigned, and their readings by open tapes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.constant import copy_value
from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.joint_record import joint_record, records_of
from autodiff_kit.core.numpy_protocol import Value, as_text, canonical, unwrap
from autodiff_kit.core.operation import Op
from autodiff_kit.core.path_breaks import mark_path_break
from autodiff_kit.core.record import Node, Record, open_records
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.core.validation import check_flag, describe
from autodiff_kit.errors import AutodiffError, ConcretizationError, DtypeError, ShapeError

__all__ = ["Variable", "VariableReading", "attach_variable", "watches_by_itself"]


class VariableReading(NamedTuple):
    """The readings of a variable on a record: the first tensor, whose node represents the variable, and the latest.

    They differ after an assignment to the variable.
    """

    variable: Variable
    first: Tensor
    latest: Tensor


class Variable(Value):
    """A value that can be assigned and that tapes watch automatically.

    Parameters
    ----------
    value : array_like
        The initial value; it is copied.
    trainable : bool, optional
        Whether tapes watch the variable when it is read. They never watch integers, which have no derivative.
    name : str, optional
        Shown in tables and errors.
    dtype : dtype, optional
        By default NumPy's.
    constraint : callable, optional
        Applied to the new value after each step of an optimizer.

    Notes
    -----
    **Gradient.** Assignment stores numbers only: the assigned value has no path back to the values it was computed
    from.

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
        self._value = copy_value(value, dtype)
        self._name, self.constraint, self.trainable = name, constraint, check_flag("trainable", trainable)
        if isinstance(value, Value):
            value._mark_exit("assigned", self)

    @property
    def name(self) -> str | None:
        """The name of the variable, or None."""
        return self._name

    def assign(self, value: Any) -> Variable:
        """Replace the value; shape and dtype stay the same."""
        return self._set(value, value, replaces=value is not self)

    def assign_add(self, value: Any) -> Variable:
        """Add to the value in place."""
        return self._set(self._combined(operator.add, value), value)

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from the value in place."""
        return self._set(self._combined(operator.sub, value), value)

    def _combined(self, how: Callable[[Any, Any], Any], value: Any) -> Any:
        given = unwrap(value)  # of other types, lists become arrays, and what is no number raises an error
        given = given if type(given) in (float, int, np.ndarray) else canonical(given)
        try:
            return how(self._value, given)
        except AutodiffError:
            raise
        except ValueError as error:
            raise ShapeError(f"{self._label()} has shape {self.shape}: {error}") from error
        except (TypeError, OverflowError) as error:
            raise DtypeError(f"{self._label()} has dtype {self.dtype}: {error}") from error

    def _label(self) -> str:
        return f"variable {self.name}" if self.name else "the variable"

    def _set(self, value: Any, origin: Any, replaces: bool = False) -> Variable:
        if open_records.in_branch:
            raise ConcretizationError(
                f"a branch of cond assigns to {self._label()}, but compiled or in vmap both branches run. Return the "
                "new value from the branches and assign it afterwards: w.assign(ak.cond(...))."
            )
        fits = type(value) is float and type(self._value) is float
        new = value if fits else self._checked(value)
        if replaces:
            self._mark_exit("overwritten")
        if isinstance(origin, Value):
            origin._mark_exit("assigned", self)
        self._value = new
        return self

    def _checked(self, value: Any) -> Any:
        """A new value in the variable's dtype, or an error if it does not fit."""
        new = copy_value(value, self.dtype)
        if isinstance(new, SymbolicValue):
            new.check_assignment(self)
        if self.dtype.kind != "f" and not (isinstance(new, SymbolicValue) or np.array_equal(unwrap(value), new)):
            raise DtypeError(
                f"{self._label()} has dtype {self.dtype}, which cannot hold {describe(value)}. Make it of floating-"
                "point numbers (Variable([1.0]) for Variable([1])), or round the new value first."
            )
        if np.shape(new) != self.shape:
            raise ShapeError(
                f"{self._label()} has shape {self.shape}, the new value {np.shape(new)}; make a new variable for that."
            )
        return new

    def _mark_exit(self, kind: str = "left", variable: Value | None = None) -> None:
        if open_records.records:
            mark_path_break(kind, self, variable)

    def read_value(self) -> Tensor:
        """The current value as a tensor, on the record of every open tape that watches this variable."""
        records = open_records.records
        if not records:
            return wrap(self._value)
        hit = records[-1].readings.get(id(self))
        if (
            hit is not None
            and hit.latest._value is self._value
            and (len(records) == 1 or ((node := hit.latest.node) is not None and list(node.record.members) == records))
        ):  # on all open tapes
            return hit.latest  # type: ignore[no-any-return]
        return _read(self, records)

    _as_tensor = read_value

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"Variable({as_text(self._value)}{named})"


# The gradients of all readings of a variable meet at the first reading, through this operation.
_READ = Op("read", lambda x: x, vjps=(lambda g, _y, _x: g,), jvp=lambda t, _y, _x: t[0], family="linear")


def _read(variable: Variable, records: list[Record]) -> Tensor:
    """Read a variable whose tensor on the innermost record is missing or out of date."""
    record = records[-1]
    if len(records) == 1 and id(variable) not in record.readings:  # the first reading, with one open tape
        first = wrap(variable._value)
        if record.sink is not None:
            if watches_by_itself(record, variable):
                first.attach(record)
            record.readings[id(variable)] = VariableReading(variable, first, first)
        return first
    known = [r for r in records if _watches(r, variable)]
    wanting = [r for r in records if r in known or (r.sink is not None and watches_by_itself(r, variable))]
    active = [r for r in known if r.sink is not None]
    latest = _current_reading(variable, active)
    if latest is None:
        latest = _read_again(variable, active) if active else wrap(variable._value)
    for record in wanting:
        if record.sink is not None and record not in known:
            latest.attach(record)
    innermost = [records[-1]] if records[-1] not in wanting else []
    for record in [*wanting, *innermost]:
        if record.sink is not None:  # a paused record must watch the next reading itself
            first = record.readings[id(variable)].first if record in known else latest
            record.readings[id(variable)] = VariableReading(variable, first, latest)
    return latest


def _current_reading(variable: Variable, active: list[Record]) -> Tensor | None:
    """The reading of the present value that all these records have; None if there is none."""
    for latest in [record.readings[id(variable)].latest for record in active]:
        own = () if latest.node is None else records_of(latest.node.record)
        if latest._value is variable._value and set(own).issuperset(active):
            return latest  # type: ignore[no-any-return]
    return None


def _read_again(variable: Variable, active: list[Record]) -> Tensor:
    """A reading after an assignment, whose gradient passes to the first reading of each of the records.

    Most have it in common. Of tapes that were paused or entered again, each has one input of the operation.
    """
    firsts = {r: r.readings[id(variable)].first for r in active}
    heads, covered = [], set[Any]()
    for record in sorted(active, key=lambda r: -len({*records_of(firsts[r].node.record)}.intersection(active))):
        if record not in covered:
            heads.append(firsts[record])
            covered.update(records_of(firsts[record].node.record))
    op = _READ
    if len(heads) > 1:
        op = Op("read", lambda x, *_: x, vjps=(lambda g, *_: g,) * len(heads), jvp=_only_tangent, family="linear")
    tensor = record_op(op, variable._value, tuple(t._value for t in heads), tuple(t.node for t in heads))
    if tensor.node is not None:
        tensor.node.record = joint_record(tensor.node.record)  # not those that are paused
    return tensor


def _only_tangent(tangents: Any, *_: Any) -> Any:
    return next(t for t in tangents if t is not None)


def watches_by_itself(record: Record, variable: Variable) -> bool:
    """Whether reading a variable makes a tape watch it; nothing has a derivative with respect to integers."""
    return record.watches_variables and variable.trainable and variable.dtype.kind == "f"


def attach_variable(variable: Variable, record: Record) -> Node:
    """Put a variable on a record that does not watch variables by itself."""
    tensor = variable.read_value()
    node = tensor.attach(record)
    for known in open_records.records:
        if known is record or (known.sink is not None and id(variable) in known.readings):
            first = known.readings[id(variable)].first if _watches(known, variable) else tensor
            known.readings[id(variable)] = VariableReading(variable, first, tensor)
    return node


def _watches(record: Record, variable: Variable) -> bool:
    hit = record.readings.get(id(variable))
    node = hit.first.node if hit is not None else None
    return node is not None and record in records_of(node.record)
