"""The tracer: run a function once on symbolic values and record its graph, inputs, outputs and side effects.

Variables and optimizer slots are inputs like the arguments: those that the function reads become inputs of the trace,
and those that it assigns are written back after each call. Nothing is assigned during tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np

from autodiff_kit.compile.graph import ComputationGraph, constant_key
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.trace.input_sources import ArgumentSource, AttributeSource, OptimizerSlotSource
from autodiff_kit.compile.trace.loop import trace_loop
from autodiff_kit.compile.trace.numpy_functions import pad_with_zeros
from autodiff_kit.compile.trace.opaque_call import NodePlaceholder, OpaqueCall, map_nested, sample_value
from autodiff_kit.compile.trace.optimizer_steps import OptimizerSteps
from autodiff_kit.compile.trace.symbolic_array import SymbolicArray, SymbolicScalar, symbolic_value
from autodiff_kit.compile.trace.trace import OutputLeaf, Trace
from autodiff_kit.compile.trace.traced_variables import traced_learning_rates, tracing
from autodiff_kit.core.dispatch import compute
from autodiff_kit.core.numpy_protocol import Value, check_real_numbers, is_writable, unwrap
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import SymbolicValue, highest_tracer
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import AutodiffError, ConcretizationError
from autodiff_kit.pytree import flatten, unflatten_like

__all__ = ["Tracer", "trace_function"]

_COPIED_BYTES = 2**24
"""Constant arrays up to this size are copied while tracing, because others may write into them later."""

_KEPT_BYTES = 2**22
"""Results of opaque calls up to this size are kept for equal calls. The windows of a convolution are nine images."""


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
        self.body: Any = None  # of the loop that is traced
        self._results: dict[Any, Any] = {}  # of opaque calls
        self._constants: dict[Any, tuple[Any, Any]] = {}  # arrays, which keep their key their own, and their copies
        self._captures: dict[GraphNode, Any] = {}  # by their node outside
        self.inputs: list[tuple[ArgumentSource | AttributeSource | OptimizerSlotSource, GraphNode]] = []
        # Of the variables that were read or assigned: the value that was read first, and the present one.
        self.variable_values: dict[int, tuple[Variable, Any, Any]] = {}
        self.optimizer_steps = OptimizerSteps(self)
        self.made: list[Any] = []  # variables and optimizers that the function makes
        self.closed = False

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
        return self.graph.const(value if type(value) in (float, int, bool) else self._constant(value))

    def _constant(self, value: Any) -> Any:
        """The value of a constant operand; of an array that may still be written into, a copy for each content."""
        array = _constant_value(value)
        if type(array) is not np.ndarray or array.nbytes > _COPIED_BYTES or not is_writable(array):
            return array
        known = self._constants.get(key := constant_key(array))
        if known is None or known[1].tobytes() != array.tobytes():
            known = self._constants[key] = array, array.copy()
        return known[1]

    def _captured(self, value: SymbolicArray) -> Any:
        """The value of a trace around this one, as an input of this one."""
        graph, node = self.graph, value.node
        found = self._captures.get(node)
        if found is None:
            own = graph.const(node.value) if node.op == "const" else graph.input(node.shape, node.dtype, node.weak)
            found = self._captures[node] = symbolic_value(self, own)
            self.captured[own] = value
        return found

    scan = staticmethod(trace_loop)  # records a loop whose body runs once; NotImplemented where it cannot

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
        found: list[Any] = []
        map_nested(found.append, (args, kwargs))
        batched = highest_tracer(found)
        if isinstance(batched, SymbolicValue) and batched.level > SymbolicArray.level:
            return batched.tracer.call(function, args, kwargs)
        if (now := open_records.trace) is not None and now.depth > self.depth:  # in the body of a loop
            return now.call(function, args, kwargs)
        name: str = getattr(function, "name", "") or getattr(function, "__name__", "call")
        if hasattr(function, "vjps"):
            if name == "scatter" and (padded := pad_with_zeros(self, args[0], kwargs)) is not None:
                return padded
            args, kwargs, function = (function, args, kwargs), {}, compute
        nodes: list[GraphNode] = []

        def placeholder(x: Any) -> Any:
            x = unwrap(as_tensor(x)) if isinstance(x, Value) else x
            if not isinstance(x, SymbolicArray):
                return x
            nodes.append(self.node(x))
            return NodePlaceholder(len(nodes) - 1)

        opaque_call = OpaqueCall(name, function, map_nested(placeholder, args), map_nested(placeholder, kwargs))
        key = opaque_call.key(nodes)
        if (known := self._results.get(key)) is not None:
            return known
        trial = opaque_call.with_copied_generators()
        result = trial(*map(sample_value, nodes))
        self._check_fixed_shape(trial, nodes, result)
        found = self._symbolic_result(opaque_call, nodes, result)
        if key is not None and _is_kept(result, nodes):
            self._results[key] = found
        return found

    def _symbolic_result(self, opaque_call: OpaqueCall, nodes: list[GraphNode], result: Any) -> Any:
        """Record a call whose result is like ``result``."""
        if not isinstance(result, (tuple, list)):
            return self.add_call(opaque_call, nodes, np.asarray(result))
        specs = [None if part is None else (np.shape(part), np.asarray(part).dtype) for part in result]
        parts = self.add_call(opaque_call, nodes, specs)
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def add_call(self, call: OpaqueCall, nodes: Iterable[GraphNode], like: Any) -> Any:
        """Record a call whose result has the shape and dtype of another value.

        A list of shapes and dtypes stands for that many results, of which None is None.
        """
        if not isinstance(like, list):
            return symbolic_value(self, self.graph.add(GraphNode("call", tuple(nodes), call, like.shape, like.dtype)))
        many = self.graph.add(GraphNode("call", tuple(nodes), call, (), np.dtype(object)))
        items = [spec and self.graph.add(GraphNode("item", (many,), k, *spec)) for k, spec in enumerate(like)]
        return [node and symbolic_value(self, node) for node in items]

    def call_on(self, function: Any, values: list[Any], like: Any) -> Any:
        """Record a call of a function whose arguments are these values alone; ``like`` is that of :meth:`add_call`."""
        places = list(map(NodePlaceholder, range(len(values))))
        return self.add_call(OpaqueCall(function.__name__, function, places, {}), map(self.node, values), like)

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

    # -------------------------------------------------------------------------------------------------------- variables
    def read_variable(self, variable: Variable, now: Callable[[], Any]) -> Any:
        """The current symbolic value of a variable; the first read makes the variable an input."""
        if self.parent is not None:
            return self._captured(self.parent.read_variable(variable, now))
        known = self.variable_values.get(id(variable))
        if known is None:
            symbol = self.add_input(AttributeSource(variable, "_value"), now(), strong=True)
            known = self.variable_values[id(variable)] = (variable, symbol, symbol)
        return known[2]

    def assign_variable(self, variable: Variable, value: Any, new: bool) -> bool:
        """Record an assignment; returns True if it must be made at once, because the variable is being created."""
        if new and not isinstance(value, SymbolicArray):
            self.made.append(variable)
            return True
        if new:
            value._refuse_value("making a variable from a traced value")
        if self.parent is not None:
            raise ConcretizationError(
                f"the function of scan assigns to {variable._label()}, but while a function is compiled its steps are "
                "recorded once. Make the value a part of the carry, and assign the last one after the loop."
            )
        if self.has_made(variable):
            raise ConcretizationError(
                f"the function makes {variable._label()} and assigns to it. ak.compile runs the function once, so "
                "later calls would go on with its last value. Make the variable outside, or use a tensor."
            )
        if open_records.in_branch:  # an optimizer's step does not ask the variable
            raise ConcretizationError(
                f"a branch of cond assigns to {variable._label()}, but while a function is compiled both branches run. "
                "Return the new value from the branches and assign it afterwards: w.assign(ak.cond(...))."
            )
        first = self.variable_values.get(id(variable), (variable, None))[1]
        self.variable_values[id(variable)] = (variable, first, value)
        return False

    def has_made(self, value: Any) -> bool:
        """Whether the function has made this variable or optimizer, so that all calls would share it."""
        return any(value is made for made in self.made)

    def as_own(self, x: Tensor) -> Tensor:
        """A tensor as one of the loop's body, if there is one and a tape outside of it follows the tensor."""
        return x if self.body is None else self.body.followed_from_outside(x)

    # --------------------------------------------------------------------------------------------------- finished trace
    def finish(self, result: Any) -> Trace:
        """The finished trace, for the return value of the function."""
        leaves = [self._output_leaf(x) for x in flatten(result)]
        structure = unflatten_like(result, [None] * len(leaves)) if leaves else result
        assignments: list[tuple[AttributeSource | OptimizerSlotSource, GraphNode]] = [
            (AttributeSource(v, "_value"), self.node(now))
            for v, first, now in self.variable_values.values()
            if now is not first
        ]
        steps = self.optimizer_steps
        assignments += steps.assignments()
        updates = list(steps.updates.values())
        return Trace(self.graph, self.inputs, leaves, structure, assignments, updates, steps.equal_slots())

    def _output_leaf(self, value: Any) -> OutputLeaf:
        if type(value) is Tensor and isinstance(value._value, SymbolicArray):
            return OutputLeaf("tensor", self.node(value._value))
        if isinstance(value, SymbolicArray):
            return OutputLeaf("number" if type(value) is SymbolicScalar else "array", self.node(value))
        if self.has_made(value):
            raise ConcretizationError(
                f"the function makes a {type(value).__name__} and returns it. ak.compile runs the function once, so "
                "each call would return the same one. Make it outside, or return its value."
            )
        if type(value) is np.ndarray and value.dtype.kind in "biuf":  # a new one at each call
            return OutputLeaf("array", self.node(value))
        return OutputLeaf("fixed", fixed=value)


def _is_kept(result: Any, nodes: list[GraphNode]) -> bool:
    """Whether the result of a call is kept for equal calls: not if it is large, and larger than its operands."""
    parts = [np.asarray(part).nbytes for part in (result if isinstance(result, (tuple, list)) else [result])]
    return sum(parts) <= max(_KEPT_BYTES, sum(n.size * n.dtype.itemsize for n in nodes))


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


def trace_function(function: Callable[..., Any], args: Any, kwargs: Any, optimizers: Iterable[Any] = ()) -> Trace:
    """Run a function on symbolic values in place of the numbers, arrays and tensors among its arguments.

    The learning rates of ``optimizers`` become inputs too, since schedules change them at each step.
    """
    tracer = Tracer()
    symbolic_tensors: dict[int, Tensor] = {}  # a tensor that is passed twice stays one tensor

    def symbolic(leaf: Any) -> Any:
        if not _is_traced_input(leaf):
            return leaf
        source = ArgumentSource(next(places))
        if type(leaf) is not Tensor:
            return tracer.add_input(source, leaf)
        if id(leaf) not in symbolic_tensors:
            symbolic_tensors[id(leaf)] = wrap(tracer.add_input(source, leaf._value, strong=True))
        return symbolic_tensors[id(leaf)]

    places = count()
    with tracing(tracer), traced_learning_rates(tracer, optimizers):
        try:
            result = function(*_map_leaves(symbolic, args), **_map_leaves(symbolic, kwargs))
        except ValueError as error:
            if type(error) is ValueError and isinstance(error.__cause__, ConcretizationError):
                raise ConcretizationError(str(error.__cause__)) from error  # NumPy hid it, in `array[i] = value`
            raise
        return tracer.finish(result)


def _is_traced_input(leaf: Any) -> bool:
    """Whether an argument becomes an input; all other arguments are part of the cache key."""
    return type(leaf) in (Tensor, float, np.ndarray) or isinstance(leaf, np.generic)


def _map_leaves(function: Callable[[Any], Any], nest: Any) -> Any:
    """The nested structure with each leaf replaced; structures without leaves are returned unchanged."""
    return unflatten_like(nest, [function(leaf) for leaf in flatten(nest)]) if flatten(nest) else nest
