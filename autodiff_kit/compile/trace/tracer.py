"""The tracer: run a function once on symbolic values and record its graph, inputs, outputs and side effects.

Variables and optimizer slots are inputs like the arguments: those that the function reads become inputs of the trace,
and those that it assigns are written back after each call. Nothing is assigned during tracing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.row_steps import set_rows, sum_equal_ids
from autodiff_kit.compile.trace.input_sources import ArgumentSource, AttributeSource, OptimizerSlotSource
from autodiff_kit.compile.trace.loop import trace_loop
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.compile.trace.numpy_functions import pad_with_zeros
from autodiff_kit.compile.trace.opaque_call import NodePlaceholder, OpaqueCall, sample_value
from autodiff_kit.compile.trace.symbolic_array import SymbolicArray, SymbolicScalar, symbolic_value
from autodiff_kit.core.dispatch import compute
from autodiff_kit.core.numpy_protocol import Value, canonical, check_real_numbers, unwrap
from autodiff_kit.core.pytree import flatten, unflatten_like
from autodiff_kit.core.record import ACTIVE_MODES, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import SymbolicValue, as_array, highest_tracer
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import AutodiffError, ConcretizationError
from autodiff_kit.optim.inplace import OwnedSlots

__all__ = ["OutputLeaf", "StepUpdate", "Trace", "Tracer", "suspend_tracing", "trace_function"]


@dataclass
class OutputLeaf:
    """One leaf of the return value: a node converted to ``kind``, or an object that is the same at each call."""

    kind: str  # "tensor", "array", "number", "fixed"
    node: GraphNode | None = None
    fixed: Any = None


@dataclass
class StepUpdate:
    """What the last step of an optimizer added to a variable: to all of it, or to the rows ``ids``."""

    optimizer: Any
    variable: Variable
    node: GraphNode
    ids: GraphNode | None = None

    @property
    def nodes(self) -> list[GraphNode]:
        """The nodes that a call must compute for it."""
        return [self.node] if self.ids is None else [self.node, self.ids]


@dataclass
class Trace:
    """The result of tracing: the graph, its inputs and outputs, and the assignments to variables and slots."""

    graph: ComputationGraph
    inputs: list[tuple[ArgumentSource | AttributeSource | OptimizerSlotSource, GraphNode]]
    leaves: list[OutputLeaf]
    structure: Any  # the return value without its leaves
    assignments: list[tuple[AttributeSource | OptimizerSlotSource, GraphNode]]
    updates: list[StepUpdate]

    @property
    def returned_nodes(self) -> list[GraphNode]:
        """The nodes among the leaves of the return value."""
        return [leaf.node for leaf in self.leaves if leaf.node is not None]

    @property
    def outputs(self) -> list[GraphNode]:
        """All nodes that a call must compute: returned, assigned, and updates of optimizer steps."""
        updates = [node for update in self.updates for node in update.nodes]
        return [*self.returned_nodes, *(node for _, node in self.assignments), *updates]

    def pack(self, parts: list[Any]) -> Any:
        """The return value with the given leaves."""
        return unflatten_like(self.structure, parts)


class Tracer:
    """The state of one trace while the function runs.

    The body of a loop has a tracer of its own, whose ``parent`` is the trace that the loop belongs to. Values of the
    parent that the body finds are ``captured``: by their node in the graph of the body.
    """

    def __init__(self, parent: Tracer | None = None) -> None:
        self.graph = ComputationGraph()
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.captured: dict[GraphNode, Any] = {}
        self.outside: list[Any] = []  # records of tapes outside the body
        self._captures: dict[tuple[Tracer, GraphNode], Any] = {}
        self.inputs: list[tuple[ArgumentSource | AttributeSource | OptimizerSlotSource, GraphNode]] = []
        self.variable_values: dict[int, tuple[Variable, Any]] = {}  # of the variables that were read or assigned
        self.initial_values: dict[int, Any] = {}
        self.slot_values: dict[tuple[int, int], tuple[Any, Variable, dict[str, Any], dict[str, Any]]] = {}
        self.step_updates: dict[tuple[int, int], StepUpdate] = {}
        self.rows_of_gradient: dict[GraphNode, tuple[Any, Any]] = {}  # dense gradient -> ids and rows
        self.closed = False
        self.in_branch = False

    def node(self, value: Any) -> GraphNode:
        """The node of a symbolic value, or a constant node for any other value."""
        if isinstance(value, SymbolicArray):
            if value.tracer.depth < self.depth and not (value.tracer.closed or self.closed):
                return self._captured(value).node  # type: ignore[no-any-return]
            if value.tracer is not self or self.closed:
                raise ConcretizationError(
                    "this value belongs to a trace of ak.compile that has ended: the function stored it in a list, an "
                    "attribute or a global. Return it from the compiled function instead."
                )
            return value.node
        return self.graph.const(value if type(value) in (float, int, bool) else _constant_value(value))

    def _captured(self, value: SymbolicArray) -> Any:
        """The value of a trace around this one, as an input of this one."""
        found = self._captures.get((value.tracer, value.node))
        if found is None:
            node = value.node
            own = (
                self.graph.const(node.value)
                if node.op == "const"
                else self.graph.input(node.shape, node.dtype, node.weak)
            )
            found = self._captures[value.tracer, node] = symbolic_value(self, own)
            self.captured[own] = value
        return found

    def add_loop(self, loop: LoopCall, values: list[Any]) -> list[Any]:
        """Record a loop on values; returns what it gives."""
        nodes = tuple(map(self.node, values))
        call = OpaqueCall(loop.__name__, loop, [*map(NodePlaceholder, range(len(nodes)))], {})
        many = self.graph.add(GraphNode("call", nodes, call, (), np.dtype(object)))
        items = [GraphNode("item", (many,), k, *spec) for k, spec in enumerate(loop.specs())]
        return [symbolic_value(self, self.graph.add(item)) for item in items]

    def scan(self, f: Any, init: list[Tensor], xs: list[Tensor], count: int, reverse: bool) -> Any:
        """Record a loop whose body runs once; NotImplemented where it cannot."""
        return trace_loop(self, f, init, xs, count, reverse)

    def add_input(self, source: Any, value: Any, strong: bool = False) -> Any:
        """A symbolic input for values like ``value``; a Python number stays weakly typed unless ``strong``."""
        if type(value) in (float, int) and not strong:
            node = self.graph.input((), type(value), weak=True)
        else:
            node = self.graph.input(np.shape(value), np.asarray(value).dtype)
        self.inputs.append((source, node))
        return symbolic_value(self, node)

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Record a call of a function, or of an operation of the kit, as one opaque call."""
        batched = highest_tracer(args)
        if isinstance(batched, SymbolicValue) and batched.level > SymbolicArray.level:
            return batched.tracer.call(function, args, kwargs)
        if (now := open_records.trace) is not None and now.depth > self.depth:  # in the body of a loop
            return now.call(function, args, kwargs)
        name: str = getattr(function, "name", "") or getattr(function, "__name__", "call")
        if hasattr(function, "vjps"):
            if name == "scatter" and (padded := pad_with_zeros(self, args[0], kwargs)) is not None:
                return padded
            op, args, kwargs, function = function, (function, args, kwargs), {}, compute
            name = op.name
        nodes: list[GraphNode] = []
        opaque_call = OpaqueCall(
            name, function, self._replace_symbolic(args, nodes), self._replace_symbolic(kwargs, nodes)
        )
        trial = opaque_call.with_copied_generators()
        result = trial(*map(sample_value, nodes))
        self._check_fixed_shape(trial, nodes, result)
        if not isinstance(result, (tuple, list)):
            return symbolic_value(self, self._add_call(opaque_call, nodes, result))
        many = self.graph.add(GraphNode("call", tuple(nodes), opaque_call, (), np.dtype(object)))
        parts: list[Any] = []
        for k, part in enumerate(result):
            if part is None:
                parts.append(None)
                continue
            array = np.asarray(part)
            parts.append(symbolic_value(self, self.graph.add(GraphNode("item", (many,), k, array.shape, array.dtype))))
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def _add_call(self, opaque_call: OpaqueCall, nodes: list[GraphNode], result: Any) -> GraphNode:
        array = np.asarray(result)
        return self.graph.add(GraphNode("call", tuple(nodes), opaque_call, array.shape, array.dtype))

    def _check_fixed_shape(self, opaque_call: OpaqueCall, nodes: list[GraphNode], result: Any) -> None:
        """Raise an error if the shape of the result depends on the values of the operands."""
        try:
            other = opaque_call(*(sample_value(n, other=True) for n in nodes))
        except (AutodiffError, ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError):
            return
        shapes = [[np.shape(p) for p in (a if isinstance(a, (tuple, list)) else [a])] for a in (result, other)]
        if shapes[0] != shapes[1]:
            operand = SymbolicArray(self, (nodes or [self.graph.const(0.0)])[0])
            operand._refuse_value(f"{opaque_call.name}, whose result has a shape that depends on the values,")

    def _replace_symbolic(self, nest: Any, found: list[GraphNode]) -> Any:
        """The nested arguments with placeholders for symbolic values, whose nodes are appended to ``found``."""
        if isinstance(nest, Value):
            nest = unwrap(as_tensor(nest))
        if isinstance(nest, SymbolicArray):
            found.append(self.node(nest))
            return NodePlaceholder(len(found) - 1)
        if type(nest) in (tuple, list):
            return type(nest)(self._replace_symbolic(x, found) for x in nest)
        if isinstance(nest, dict):
            return {key: self._replace_symbolic(x, found) for key, x in nest.items()}
        if isinstance(nest, slice):
            return slice(*(self._replace_symbolic(x, found) for x in (nest.start, nest.stop, nest.step)))
        return nest

    # -------------------------------------------------------------------------------------------------------- variables
    def read_variable(self, variable: Variable, now: Callable[[], Any]) -> Any:
        """The current symbolic value of a variable; the first read makes the variable an input."""
        if self.parent is not None:
            return self._captured(self.parent.read_variable(variable, now))
        known = self.variable_values.get(id(variable))
        if known is None:
            symbol = self.add_input(AttributeSource(variable, "_value"), now(), strong=True)
            self.initial_values[id(variable)] = symbol
            known = self.variable_values[id(variable)] = (variable, symbol)
        return known[1]

    def assign_variable(self, variable: Variable, value: Any, new: bool) -> bool:
        """Record an assignment; returns True if it must be made at once, because the variable is being created."""
        if new and not isinstance(value, SymbolicArray):
            return True
        if new:
            value._refuse_value("making a variable from a traced value")
        if self.parent is not None:
            raise ConcretizationError(
                f"the function of scan assigns to {variable._label()}, but while a function is compiled its steps are "
                "recorded once. Make the value a part of the carry, and assign the last one after the loop."
            )
        if self.in_branch:
            raise ConcretizationError(
                f"a branch of cond assigns to {variable._label()}, but while a function is compiled both branches run. "
                "Return the new value from the branches and assign it afterwards: w.assign(ak.cond(...))."
            )
        self.variable_values[id(variable)] = (variable, value)
        return False

    @contextmanager
    def both_branches(self) -> Iterator[None]:
        """A block that runs both branches of a condition, in which nothing may be assigned."""
        outer, self.in_branch = self.in_branch, True
        try:
            yield
        finally:
            self.in_branch = outer

    def slots(self, optimizer: Any, variable: Variable) -> OwnedSlots:
        """The slots of an optimizer for a variable, as symbolic values."""
        if self.parent is not None:
            raise ConcretizationError(
                "the function of scan makes a step of an optimizer, but while a function is compiled its steps are "
                "recorded once. Make the loop with for, or compile one step and call it in a loop."
            )
        key = (id(optimizer), id(variable))
        known = self.slot_values.get(key)
        if known is None:
            with suspend_tracing():
                numbers = optimizer._slots_of(variable)
                first = {
                    name: self._add_slot_input(OptimizerSlotSource(optimizer, variable, name), value)
                    for name, value in numbers.items()
                }
            known = self.slot_values[key] = (optimizer, variable, first, first)
        return OwnedSlots(known[3])

    def _add_slot_input(self, slot: OptimizerSlotSource, value: Any) -> Any:
        """An input for one slot. Step counters of one optimizer with equal values share one input."""
        if type(value) is not int:
            return self.add_input(slot, value, strong=True)
        for other, node in self.inputs:  # equal step counters share one input
            if (
                isinstance(other, OptimizerSlotSource)
                and other.optimizer is slot.optimizer
                and node.weak
                and other.read() == value
            ):
                return symbolic_value(self, node)
        return self.add_input(slot, value)

    def step(self, optimizer: Any, variable: Variable, g: Any) -> None:
        """Record a step of an optimizer on a variable: its new value, the new slots, and the update."""
        mask = optimizer._frozen.get(id(variable))
        before, old = variable._value, self.slots(optimizer, variable)
        if mask is not None and mask.all():
            self._set_step(optimizer, variable, old, before - before)
            return
        new = dict(old)
        rows = self._rows_of(g) if optimizer._supports_row_updates else None
        if rows is None:
            after = before + optimizer._compute_update(before, g, new)
        else:
            after, delta = self._step_rows(optimizer, before, *rows, new)
            if mask is None and variable.constraint is None:
                variable._value = after
                self._set_step(optimizer, variable, new, delta, rows[0])
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
        node = self.node(dense)
        self.rows_of_gradient[node] = ids, rows
        return symbolic_value(self, node)

    def _rows_of(self, g: Any) -> tuple[Any, Any] | None:
        """Ids and rows of a gradient that is zero elsewhere, or of a sum of such gradients; otherwise None."""
        node = self.node(g)
        known = self.rows_of_gradient.get(node)
        if known is not None or node.op != "add":
            return known
        parts = [self._rows_of(symbolic_value(self, a)) for a in node.args if a.shape == node.shape]
        if len(parts) < len(node.args) or None in parts:
            return None
        ids, rows = zip(*parts, strict=True)
        return np.concatenate(ids), np.concatenate(rows)

    def _step_rows(self, optimizer: Any, before: Any, ids: Any, rows: Any, new: dict[str, Any]) -> tuple[Any, Any]:
        """Record a step of some rows of a table, and put the new slots into ``new``; the new value, and the update."""
        tables = {name: x for name, x in new.items() if x.shape == before.shape}
        part = new | {name: x[ids] for name, x in tables.items()}
        old = before[ids]
        delta = optimizer._compute_update(old, self._call_on(sum_equal_ids, [ids, rows], rows), part)
        new |= part | {name: self._call_on(set_rows, [x, ids, part[name]], x) for name, x in tables.items()}
        return self._call_on(set_rows, [before, ids, old + delta], before), delta

    def _call_on(self, function: Any, values: list[Any], like: Any) -> Any:
        """Record a call with values alone, whose result has the shape and dtype of another value."""
        nodes = tuple(map(self.node, values))
        call = OpaqueCall(function.__name__, function, [*map(NodePlaceholder, range(len(nodes)))], {})
        return symbolic_value(self, self.graph.add(GraphNode("call", nodes, call, like.shape, like.dtype)))

    def _set_step(self, optimizer: Any, variable: Variable, new: dict[str, Any], delta: Any, ids: Any = None) -> None:
        key = (id(optimizer), id(variable))
        self.slot_values[key] = (*self.slot_values[key][:3], new)
        rows = None if ids is None else self.node(ids)
        self.step_updates[key] = StepUpdate(optimizer, variable, self.node(delta), rows)

    # --------------------------------------------------------------------------------------------------- finished trace
    def finish(self, result: Any) -> Trace:
        """The finished trace, for the return value of the function."""
        leaves = [self._output_leaf(x) for x in flatten(result)]
        structure = unflatten_like(result, [None] * len(leaves)) if leaves else result
        assignments: list[tuple[AttributeSource | OptimizerSlotSource, GraphNode]] = [
            (AttributeSource(v, "_value"), self.node(now))
            for v, now in self.variable_values.values()
            if now is not self.initial_values.get(id(v))
        ]
        assignments += [
            (OptimizerSlotSource(optimizer, variable, name), self.node(value))
            for optimizer, variable, first, now in self.slot_values.values()
            for name, value in now.items()
            if value is not first.get(name)
        ]
        self.closed = True
        return Trace(self.graph, self.inputs, leaves, structure, assignments, [*self.step_updates.values()])

    def _output_leaf(self, value: Any) -> OutputLeaf:
        if type(value) is Tensor and isinstance(value._value, SymbolicArray):
            return OutputLeaf("tensor", self.node(value._value))
        if isinstance(value, SymbolicArray):
            return OutputLeaf("number" if type(value) is SymbolicScalar else "array", self.node(value))
        return OutputLeaf("fixed", fixed=value)


def _constant_value(value: Any) -> Any:
    """The value of a constant operand as a NumPy array or number."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        check_real_numbers(array.dtype, "a constant")
    if array.dtype.kind not in "biuf":
        raise ConcretizationError(
            f"a {type(value).__name__} cannot be combined with a value that ak.compile is tracing; pass an array"
        )
    return array if array.ndim else array[()]


# ---------------------------------------------------------------------------------------- reads and writes of variables
class _TracedVariableValue:
    """Replaces the slot ``Variable._value`` during tracing: reads and assignments go to the tracer."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, variable: Any, owner: Any = None) -> Any:
        tracer = open_records.trace
        if tracer is None or variable is None:
            return self.slot.__get__(variable, owner)
        return tracer.read_variable(variable, lambda: self.slot.__get__(variable, owner))

    def __set__(self, variable: Any, value: Any) -> None:
        tracer = open_records.trace
        if tracer is None or tracer.assign_variable(variable, value, not self._is_initialised(variable)):
            self.slot.__set__(variable, value)

    def _is_initialised(self, variable: Any) -> bool:
        try:
            self.slot.__get__(variable)
        except AttributeError:
            return False
        return True


_VALUE_SLOT: Any = Variable.__dict__["_value"]
_lock = threading.Lock()
_running = 0


@contextmanager
def _tracing(tracer: Tracer) -> Iterator[None]:
    global _running
    with _lock:
        _running += 1
        if _running == 1:
            setattr(Variable, "_value", _TracedVariableValue(_VALUE_SLOT))  # noqa: B010 - the slot itself
    open_records.trace = tracer
    ACTIVE_MODES.append(tracer)
    try:
        yield
    finally:
        ACTIVE_MODES.remove(tracer)
        open_records.trace = None
        tracer.closed = True
        with _lock:
            _running -= 1
            if not _running:
                setattr(Variable, "_value", _VALUE_SLOT)  # noqa: B010


@contextmanager
def suspend_tracing() -> Iterator[None]:
    """Compute with concrete values while a function is being traced."""
    tracer, open_records.trace = open_records.trace, None
    try:
        yield
    finally:
        open_records.trace = tracer


def trace_function(function: Callable[..., Any], args: Any, kwargs: Any, optimizers: Iterable[Any] = ()) -> Trace:
    """Run a function on symbolic values in place of the numbers, arrays and tensors among its arguments.

    The learning rates of ``optimizers`` become inputs too, since schedules change them at each step.
    """
    tracer = Tracer()
    symbolic_tensors: dict[int, Tensor] = {}  # a tensor that is passed twice stays one tensor

    def symbolic(leaf: Any) -> Any:
        if not _is_traced_input(leaf):
            return leaf
        if type(leaf) is not Tensor:
            return tracer.add_input(ArgumentSource(next(places)), leaf)
        place = next(places)
        if id(leaf) not in symbolic_tensors:
            symbolic_tensors[id(leaf)] = wrap(tracer.add_input(ArgumentSource(place), leaf._value, strong=True))
        return symbolic_tensors[id(leaf)]

    places = count()
    with _tracing(tracer), _traced_learning_rates(tracer, optimizers):
        result = function(*_map_leaves(symbolic, args), **_map_leaves(symbolic, kwargs))
        return tracer.finish(result)


@contextmanager
def _traced_learning_rates(tracer: Tracer, optimizers: Iterable[Any]) -> Iterator[None]:
    before = [(o, o.learning_rate) for o in optimizers if type(o.learning_rate) is float]
    try:
        for optimizer, rate in before:
            optimizer.learning_rate = tracer.add_input(AttributeSource(optimizer, "learning_rate"), rate)
        yield
    finally:
        for optimizer, rate in before:
            optimizer.learning_rate = rate


def _is_traced_input(leaf: Any) -> bool:
    """Whether an argument becomes an input; all other arguments are part of the cache key."""
    return type(leaf) in (Tensor, float, np.ndarray) or isinstance(leaf, np.generic)


def _map_leaves(function: Callable[[Any], Any], nest: Any) -> Any:
    """The nested structure with each leaf replaced; structures without leaves are returned unchanged."""
    return unflatten_like(nest, [function(leaf) for leaf in flatten(nest)]) if flatten(nest) else nest
