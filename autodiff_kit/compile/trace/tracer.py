"""Running a function once on symbols, so that it writes down what it computes.

Variables and slots of optimizers are inputs as much as arguments are: what the function reads becomes one, and what it
assigns is written back after each call. Nothing is assigned while it is recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from autodiff_kit.compile.graph import Graph
from autodiff_kit.compile.node import Node
from autodiff_kit.compile.trace.inputs import Argument, Field, Slot
from autodiff_kit.compile.trace.numpy_functions import pad
from autodiff_kit.compile.trace.opaque_call import Call, Place, sample
from autodiff_kit.compile.trace.symbolic_array import Number, Symbol, wrap
from autodiff_kit.core.dispatch import computed
from autodiff_kit.core.pytree import flatten, map_structure, pack_like
from autodiff_kit.core.record import UNUSUAL, open_records
from autodiff_kit.core.tensor import Tensor, Value, Variable, lift, make, plain
from autodiff_kit.errors import AutodiffError, NumbersAskedError

__all__ = ["Leaf", "Recorder", "Recording", "aside", "record"]


@dataclass
class Leaf:
    """One member of what a function returned: a node's value, as ``kind``, or the same object at each call."""

    kind: str  # "tensor", "array", "number", "fixed"
    node: Node | None = None
    fixed: Any = None


@dataclass
class Recording:
    """What was written down."""

    graph: Graph
    inputs: list[tuple[Argument | Field | Slot, Node]]
    leaves: list[Leaf]
    skeleton: Any  # what the function returned, without its leaves
    assigned: list[tuple[Field | Slot, Node]]
    updates: list[tuple[Any, Variable, Node]]  # what each step added

    @property
    def given(self) -> list[Node]:
        """What the caller gets of what was computed."""
        return [leaf.node for leaf in self.leaves if leaf.node is not None]

    @property
    def outputs(self) -> list[Node]:
        """All that has to be computed, in the order of the attributes."""
        return [*self.given, *(node for _, node in self.assigned), *(node for _, _, node in self.updates)]

    def pack(self, parts: list[Any]) -> Any:
        """What the function returns, of its leaves."""
        return pack_like(self.skeleton, parts)


class Recorder:
    """One recording under way."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.inputs: list[tuple[Argument | Field | Slot, Node]] = []
        self.values: dict[int, tuple[Variable, Any]] = {}  # of variables that were read or assigned
        self.first: dict[int, Any] = {}
        self.slots_now: dict[tuple[int, int], tuple[Any, Variable, dict[str, Any], dict[str, Any]]] = {}
        self.last: dict[tuple[int, int], tuple[Any, Variable, Any]] = {}
        self.closed = False

    def node(self, value: Any) -> Node:
        """The node of a symbol; a constant's of anything else."""
        if isinstance(value, Symbol):
            if value.recorder is not self or self.closed:
                raise NumbersAskedError(
                    "this value belongs to a recording of ak.compile that has ended: it was kept in a list, an "
                    "attribute or a global. Return it from the compiled function instead."
                )
            return value.node
        return self.graph.const(value if type(value) in (float, int, bool) else _settled(value))

    def input(self, source: Any, value: Any, strong: bool = False) -> Any:
        """A symbol for something that is given at each call, like ``value``; a Python number unless it is strong."""
        if type(value) in (float, int) and not strong:
            node = self.graph.input((), type(value), weak=True)
        else:
            node = self.graph.input(np.shape(value), np.asarray(value).dtype)
        self.inputs.append((source, node))
        return wrap(self, node)

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Record one call of a function, or of an operation, as it is."""
        name: str = getattr(function, "name", "") or getattr(function, "__name__", "call")
        if hasattr(function, "vjps"):
            if name == "scatter" and (padded := pad(self, args[0], kwargs)) is not None:
                return padded
            op, args, kwargs, function = function, (function, args, kwargs), {}, computed
            name = op.name
        nodes: list[Node] = []
        called = Call(name, function, self._dug(args, nodes), self._dug(kwargs, nodes))
        tried = called.harmless()
        answer = tried(*map(sample, nodes))
        self._check_shape(tried, nodes, answer)
        if not isinstance(answer, (tuple, list)):
            return wrap(self, self._called(called, nodes, answer))
        many = self.graph.add(Node("call", tuple(nodes), called, (), np.dtype(object)))
        parts: list[Any] = []
        for k, part in enumerate(answer):
            if part is None:
                parts.append(None)
                continue
            array = np.asarray(part)
            parts.append(wrap(self, self.graph.add(Node("item", (many,), k, array.shape, array.dtype))))
        return type(answer)(*parts) if hasattr(answer, "_fields") else type(answer)(parts)

    def _called(self, called: Call, nodes: list[Node], answer: Any) -> Node:
        array = np.asarray(answer)
        return self.graph.add(Node("call", tuple(nodes), called, array.shape, array.dtype))

    def _check_shape(self, called: Call, nodes: list[Node], answer: Any) -> None:
        """An answer whose shape follows from the numbers cannot be recorded."""
        try:
            other = called(*(sample(n, other=True) for n in nodes))
        except (AutodiffError, ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError):
            return
        shapes = [[np.shape(p) for p in (a if isinstance(a, (tuple, list)) else [a])] for a in (answer, other)]
        if shapes[0] != shapes[1]:
            asked = Symbol(self, (nodes or [self.graph.const(0.0)])[0])
            asked._asked(f"{called.name}, whose answer has a shape that depends on the numbers,")

    def _dug(self, nest: Any, found: list[Node]) -> Any:
        """A nest with places where symbols stood."""
        if isinstance(nest, Value):
            nest = plain(lift(nest))
        if isinstance(nest, Symbol):
            found.append(self.node(nest))
            return Place(len(found) - 1)
        if type(nest) in (tuple, list):
            return type(nest)(self._dug(x, found) for x in nest)
        if isinstance(nest, dict):
            return {key: self._dug(x, found) for key, x in nest.items()}
        if isinstance(nest, slice):
            return slice(*(self._dug(x, found) for x in (nest.start, nest.stop, nest.step)))
        return nest

    # -------------------------------------------------------------------------------------------------------- variables
    def read(self, variable: Variable, now: Callable[[], Any]) -> Any:
        """The present value of a variable; its first reading makes it an input."""
        known = self.values.get(id(variable))
        if known is None:
            symbol = self.input(Field(variable, "_value"), now(), strong=True)
            self.first[id(variable)] = symbol
            known = self.values[id(variable)] = (variable, symbol)
        return known[1]

    def assign(self, variable: Variable, value: Any, new: bool) -> bool:
        """Note an assignment; True if it is to be carried out at once, for a variable that is just being made."""
        if new and not isinstance(value, Symbol):
            return True
        if new:
            value._asked("making a variable from what is being recorded")
        self.values[id(variable)] = (variable, value)
        return False

    def slots(self, optimizer: Any, variable: Variable) -> dict[str, Any]:
        """An optimizer's slots of a variable, as symbols."""
        key = (id(optimizer), id(variable))
        known = self.slots_now.get(key)
        if known is None:
            with aside():
                numbers = optimizer._slots_of(variable)
                first = {name: self._slot(Slot(optimizer, variable, name), value) for name, value in numbers.items()}
            known = self.slots_now[key] = (optimizer, variable, first, first)
        return known[3]

    def _slot(self, slot: Slot, value: Any) -> Any:
        if type(value) is not int:
            return self.input(slot, value, strong=True)
        for other, node in self.inputs:  # clocks that show the same time are one
            if isinstance(other, Slot) and other.optimizer is slot.optimizer and node.weak and other.read() == value:
                return wrap(self, node)
        return self.input(slot, value)

    def stepped(self, optimizer: Any, variable: Variable, new: dict[str, Any], delta: Any) -> None:
        """Note what a step of an optimizer leaves."""
        key = (id(optimizer), id(variable))
        self.slots_now[key] = (*self.slots_now[key][:3], new)
        self.last[key] = (optimizer, variable, delta)

    # ---------------------------------------------------------------------------------------------------------- the end
    def finish(self, answer: Any) -> Recording:
        """What was recorded, given what the function returned."""
        leaves = [self._leaf(x) for x in flatten(answer)]
        skeleton = map_structure(lambda _: None, answer) if flatten(answer) else answer
        assigned: list[tuple[Field | Slot, Node]] = [
            (Field(v, "_value"), self.node(now)) for v, now in self.values.values() if now is not self.first.get(id(v))
        ]
        assigned += [
            (Slot(optimizer, variable, name), self.node(value))
            for optimizer, variable, first, now in self.slots_now.values()
            for name, value in now.items()
            if value is not first.get(name)
        ]
        updates = [(optimizer, variable, self.node(delta)) for optimizer, variable, delta in self.last.values()]
        self.closed = True
        return Recording(self.graph, self.inputs, leaves, skeleton, assigned, updates)

    def _leaf(self, value: Any) -> Leaf:
        if type(value) is Tensor and isinstance(value._value, Symbol):
            return Leaf("tensor", self.node(value._value))
        if isinstance(value, Symbol):
            return Leaf("number" if type(value) is Number else "array", self.node(value))
        return Leaf("fixed", fixed=value)


def _settled(value: Any) -> Any:
    """A constant as numbers."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise NumbersAskedError(f"a {type(value).__name__} stands beside what ak.compile is recording; give an array")
    return array if array.ndim else array[()]


# ------------------------------------------------------------------------------------------------ following variables
class _Followed:
    """Takes the place of ``Variable._value`` while anything is recorded: reading and assigning go to the recorder."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, variable: Any, owner: Any = None) -> Any:
        recorder = open_records.recorder
        if recorder is None or variable is None:
            return self.slot.__get__(variable, owner)
        return recorder.read(variable, lambda: self.slot.__get__(variable, owner))

    def __set__(self, variable: Any, value: Any) -> None:
        recorder = open_records.recorder
        if recorder is None or recorder.assign(variable, value, not self._stands(variable)):
            self.slot.__set__(variable, value)

    def _stands(self, variable: Any) -> bool:
        try:
            self.slot.__get__(variable)
        except AttributeError:
            return False
        return True


_SLOT: Any = Variable.__dict__["_value"]
_lock = threading.Lock()
_running = 0


@contextmanager
def _followed(recorder: Recorder) -> Iterator[None]:
    global _running
    with _lock:
        _running += 1
        if _running == 1:
            setattr(Variable, "_value", _Followed(_SLOT))  # noqa: B010 - the slot itself
    open_records.recorder = recorder
    UNUSUAL.append(recorder)
    try:
        yield
    finally:
        UNUSUAL.remove(recorder)
        open_records.recorder = None
        recorder.closed = True
        with _lock:
            _running -= 1
            if not _running:
                setattr(Variable, "_value", _SLOT)  # noqa: B010


@contextmanager
def aside() -> Iterator[None]:
    """Compute with numbers while a recording waits."""
    recorder, open_records.recorder = open_records.recorder, None
    try:
        yield
    finally:
        open_records.recorder = recorder


def record(function: Callable[..., Any], args: Any, kwargs: Any, optimizers: Iterable[Any] = ()) -> Recording:
    """Run a function on symbols in place of the numbers, arrays and tensors among its arguments.

    So are the learning rates of the optimizers that it sees, which schedules change at each step.
    """
    recorder = Recorder()
    twins: dict[int, Tensor] = {}  # a tensor that is given twice stays one and the same

    def stand_in(leaf: Any) -> Any:
        if not _is_given(leaf):
            return leaf
        if type(leaf) is not Tensor:
            return recorder.input(Argument(next(places)), leaf)
        place = next(places)
        if id(leaf) not in twins:
            twins[id(leaf)] = make(recorder.input(Argument(place), leaf._value, strong=True))
        return twins[id(leaf)]

    places = count()
    with _followed(recorder), _rates(recorder, optimizers):
        answer = function(*_map_leaves(stand_in, args), **_map_leaves(stand_in, kwargs))
        return recorder.finish(answer)


@contextmanager
def _rates(recorder: Recorder, optimizers: Iterable[Any]) -> Iterator[None]:
    before = [(o, o.learning_rate) for o in optimizers if type(o.learning_rate) is float]
    try:
        for optimizer, rate in before:
            optimizer.learning_rate = recorder.input(Field(optimizer, "learning_rate"), rate)
        yield
    finally:
        for optimizer, rate in before:
            optimizer.learning_rate = rate


def _is_given(leaf: Any) -> bool:
    """Whether an argument is numbers that may differ from call to call; all others are what the recording is for."""
    return type(leaf) in (Tensor, float, np.ndarray) or isinstance(leaf, np.generic)


def _map_leaves(function: Callable[[Any], Any], nest: Any) -> Any:
    """A nest with each leaf replaced; empty nests stay."""
    return pack_like(nest, [function(leaf) for leaf in flatten(nest)]) if flatten(nest) else nest
