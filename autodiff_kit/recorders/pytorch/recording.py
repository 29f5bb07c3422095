"""What a block of PyTorch did, in order: operations on numbered values, and events such as backward passes.

A tensor that is written over gets a new number, so that a number stands for one value. Which values were computed from
which is kept here; through which of them a gradient flows, PyTorch's own graph says.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from autodiff_kit.core.source_location import SourceLocation, location_of
from autodiff_kit.recorders.pytorch.backward_pass import BackwardPass
from autodiff_kit.recorders.user_lines import calling_frame

__all__ = ["Event", "Operation", "Recording", "TensorValue"]


class TensorValue:
    """A value: the tensor while it is held, its shape and dtype afterwards."""

    __slots__ = ("copy", "dtype", "first_read", "grad_fn", "holder", "operation", "required_grad", "shape")

    def __init__(self, tensor: Any, holder: Any, operation: int, first_read: int) -> None:
        self.holder = holder  # the tensor, or a weak reference to it
        self.shape, self.dtype = tensor.shape, tensor.dtype
        self.required_grad: bool = tensor.requires_grad
        self.operation = operation  # the one that computed it, -1 for none
        self.first_read = first_read  # the number of operations before it was seen
        self.copy: Any = None  # what it was before it was written over, where that is known
        self.grad_fn: Any = None  # its node in the graph, where the tensor has another one by now

    @property
    def tensor(self) -> Any:
        """The tensor; None if nobody holds it any more."""
        holder = self.holder
        return holder() if type(holder) is weakref.ref else holder


class Operation:
    """One call of a function on tensors."""

    __slots__ = (
        "code", "decides", "foreign", "grad", "inference", "inputs", "inside_custom", "lasti", "left", "name", "numbers",
        "outputs",
    )  # fmt: skip

    def __init__(self, name: str, inputs: tuple[int, ...], code: Any, lasti: int) -> None:
        self.name, self.inputs, self.code, self.lasti = name, inputs, code, lasti
        self.outputs: tuple[int, ...] = ()
        self.grad = True  # gradients were on
        self.inference = self.inside_custom = False
        self.left: Any = None  # the plain number or array that it gave
        self.decides = False  # it gave a truth value, which decides a branch
        self.foreign = False  # it took a number that the text of its line does not name
        self.numbers: tuple[int, ...] = ()  # operations whose plain numbers or arrays it took

    @property
    def place(self) -> SourceLocation:
        """The user's line."""
        return location_of(self.code, self.lasti)


@dataclass
class Event:
    """Something that happened between two operations.

    Attributes
    ----------
    kind : str
        "backward", "step", "cleared", "read_grad", "wrote_grad", "hook", "requires_grad", "grad_mode", "made_optimizer".
    at : int
        The number of operations before it.
    what : object
        The pass, the optimizer, or the tensor.
    detail : object
    """

    kind: str
    at: int
    what: Any
    detail: Any
    code: Any
    lasti: int

    @property
    def place(self) -> SourceLocation:
        """The user's line."""
        return location_of(self.code, self.lasti)


@dataclass
class Recording:
    """All that a block did.

    Attributes
    ----------
    plain : dict
        By its id, each number or array that a tensor was turned into, and the operation that did it.
    older : dict
        By its id, each tensor that a variable held when the block began.
    stopped : str
        Why nothing more is recorded; empty while recording and after an ordinary end.
    """

    max_operations: int
    max_bytes: int
    operations: list[Operation] = field(default_factory=list)
    values: list[TensorValue] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    passes: list[BackwardPass] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    plain: dict[int, tuple[Any, int]] = field(default_factory=dict)
    older: dict[int, Any] = field(default_factory=dict)
    held_bytes: int = 0
    stopped: str = ""
    trouble: BaseException | None = None
    last_asked: Any = None  # the last tensor that an optimizer was given
    last_target: Any = None  # the last tensor that a backward pass began at
    last_frame: tuple[Any, int] = (None, 0)

    def forget(self) -> None:
        """Begin again with nothing."""
        for kept in (self.operations, self.values, self.events, self.passes, self.numbers, self.plain):
            kept.clear()
        self.held_bytes = 0

    def number_of(self, tensor: Any) -> int | None:
        """The number of a tensor's present value; None if the block never saw it."""
        number = self.numbers.get(id(tensor))
        return number if number is not None and self.values[number].tensor is tensor else None

    def numbers_of(self, tensor: Any) -> list[int]:
        """The numbers of all values that a tensor had, oldest first."""
        number = self.number_of(tensor)
        if number is None:
            return []
        return [k for k, value in enumerate(self.values) if value.tensor is tensor]

    def add_value(self, tensor: Any, operation: int = -1) -> int:
        """Give a tensor's value a number."""
        size = tensor.numel() * tensor.element_size() if operation >= 0 else 0
        holder: Any = tensor
        if size and self.held_bytes + size > self.max_bytes:
            holder = weakref.ref(tensor)
        else:
            self.held_bytes += size
        number = self.numbers[id(tensor)] = len(self.values)
        self.values.append(TensorValue(tensor, holder, operation, len(self.operations)))
        return number

    def input_number(self, tensor: Any) -> int:
        """The number of an operation's input; one that no operation computed is a leaf."""
        number = self.number_of(tensor)
        return self.add_value(tensor) if number is None else number

    def add_event(self, kind: str, what: Any, detail: Any = None, frame: Any = None) -> Event:
        """Note an event at the user's present line."""
        frame = frame or calling_frame(2)
        event = Event(kind, len(self.operations), what, detail, frame.f_code, frame.f_lasti)
        self.events.append(event)
        return event
