"""The body of a loop while a function is traced: its graph, its tape, and what it finds outside.

Values that the body finds outside become inputs of the loop (closure conversion):

* :meth:`Tracer.node <autodiff_kit.compile.trace.tracer.Tracer.node>` makes an input of a symbolic value of another
  trace;
* :class:`_BodySink`, in the place of the sink of each open tape, makes a leaf of a value that this tape follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.compile.node import REDUCTIONS, GraphNode
from autodiff_kit.compile.topological_order import live_nodes
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.compile.trace.symbolic_array import SymbolicArray, symbolic_value
from autodiff_kit.core.joint_record import joint_record, records_of
from autodiff_kit.core.modes import modes
from autodiff_kit.core.record import Node, Record, open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.tracer import Tracer
from autodiff_kit.core.variable import attach_variable
from autodiff_kit.errors import ConcretizationError

__all__ = ["Body", "Step", "is_followed", "records_around"]


class Body:
    """The graph and the tape of a loop's body, which are extended where a derivative is needed.

    Attributes
    ----------
    tracer : Tracer
        Its graph holds the body and its derivatives.
    tape : GradientTape or None
        Follows the inputs of the body; None where no tape follows the loop.
    saved : list of GraphNode
        Values that derivatives take from the first pass: what was drawn, and small reductions (sums, maxima, minima),
        which cost more to compute again than to store.
    stacks : list
        The saved values of all steps.
    """

    def __init__(self) -> None:
        self.tracer: Any = type(open_records.trace)(open_records.trace)
        self.tracer.body = self
        self.tape = GradientTape(persistent=True) if records_around() else None
        self.leaves: dict[Node, tuple[Tensor, Tensor]] = {}  # by the node outside: the leaf, and the value outside
        self.saved: list[GraphNode] = []
        self.stacks: list[Any] = []
        if self.tape is not None:
            self.tape._entered = self.tape._warned = True

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A block that adds to the body: its tracer traces, its tape records, tapes outside pass on their values."""
        outside = self.tracer.outside = records_around()
        around = open_records.trace, open_records.records, [(r, r.sink, r.keep_all) for r in outside]
        own = [] if self.tape is None else [self.tape._record]
        for record in own:
            record.open()
        self.tracer.closed = False
        try:
            with _recording(self.tracer, own, [(r, _BodySink(self, around, r), True) for r in outside]):
                yield
        finally:
            self.tracer.closed = True
            for record in own:
                record.close()

    def watch_variables(self) -> None:
        """Follow the variables that a tape outside was told to watch; others are followed when they are read."""
        for record in self.tracer.outside:
            for variable, first, _ in tuple(record.readings.values()):
                if not variable.trainable and first.node is not None and record in records_of(first.node.record):
                    attach_variable(variable, self.tape._record)  # type: ignore[union-attr]

    def leaf(self, shape: tuple[int, ...], dtype: Any, followed: bool) -> Tensor:
        """A new input of the body."""
        tensor = wrap(symbolic_value(self.tracer, self.tracer.graph.input(shape, dtype)))
        return self.watched(tensor) if followed and np.dtype(dtype).kind == "f" else tensor

    def watched(self, tensor: Tensor) -> Tensor:
        """A tensor that the body's tape follows from here on."""
        tensor.attach(self.tape._record)  # type: ignore[union-attr]
        self.tape._watched.append(tensor)  # type: ignore[union-attr]
        return tensor

    def leaf_for(self, node: Node, value: Any) -> Tensor:
        """The leaf that stands for a value outside which a tape follows."""
        if node not in self.leaves:
            own = symbolic_value(self.tracer, self.tracer.node(value))
            self.leaves[node] = self.watched(wrap(own)), wrap(value, node)
        return self.leaves[node][0]

    def followed_from_outside(self, x: Tensor) -> Tensor:
        """The leaf that stands for a tensor which a tape outside follows; any other tensor as it is."""
        if isinstance(x._value, Tracer) and not isinstance(x._value, SymbolicArray):
            return x  # a value of one example: the vmap enters the tensor of all of them
        if x.node is None or not any(r in self.tracer.outside for r in records_of(x.node.record)):
            return x
        return self.leaf_for(x.node, x._value)

    def own(self, x: Tensor) -> Tensor:
        """A tensor as one of the body: a value from outside becomes an input or a constant of the body."""
        x = self.followed_from_outside(x)
        if isinstance(x._value, SymbolicArray) and x._value.tracer is self.tracer:
            return x
        return wrap(symbolic_value(self.tracer, self.tracer.node(x._value)))

    def followed_values(self) -> dict[Tensor, Tensor]:
        """The leaves that stand for values which tapes outside follow, and these values, outside the body."""
        found = dict(self.leaves.values())
        readings = () if self.tape is None else tuple(self.tape._record.readings.values())
        for variable, first, _ in readings:
            value = variable.read_value()
            if first.node is not None and is_followed(value):
                found[first] = value
        return found

    def find_saved_nodes(self, step: Step) -> None:
        """Find what derivatives take from the first pass: draws, which must not be repeated, and reductions."""
        live = live_nodes(step.output_nodes)
        draws = [n for n in live if n.op == "call" and n.params.is_random()]
        items = (n for n in self.tracer.graph.nodes if n.op == "item" and n.args[0] in draws)
        self.saved = [*(n for n in draws if n.dtype != object), *items]
        step.saves = True
        if self.tape is None:
            return
        of_step = {x._value.node for x in (*step.carry, *step.entries)}
        most = max((n.size for n in of_step if n.shape), default=0)  # so memory grows as with the carries
        for node in live:
            if not of_step.isdisjoint(node.args):  # what depends on no step is computed once, before the loop
                of_step.add(node)
                # A number stays in the step: in float32 it would keep the loop out of native code.
                if node.op in REDUCTIONS and 1 < node.size <= most:
                    self.saved.append(node)


def records_around() -> list[Record]:
    """The records that are open here, those around the bodies of loops first."""
    return [r for r in (*open_records.trace.outside, *open_records.records) if r.sink is not None]


@contextmanager
def _recording(trace: Any, records: list[Record], sinks: list[tuple[Record, Any, bool]]) -> Iterator[None]:
    """A block with another trace and other open records; and records with another sink, and whether they keep all."""
    before = open_records.trace, open_records.records, [(r, r.sink, r.keep_all) for r, _, _ in sinks]
    _set_recording(trace, records, sinks)
    try:
        yield
    finally:
        _set_recording(*before)


def _set_recording(trace: Any, records: list[Record], sinks: list[tuple[Record, Any, bool]]) -> None:
    open_records.trace, open_records.records = trace, records
    for record, sink, keep_all in sinks:
        record.sink, record.keep_all = sink, keep_all


class _BodySink:
    """The sink of a tape outside, while the body runs: what it follows becomes a leaf of the body."""

    def __init__(self, body: Body, around: Any, record: Record) -> None:
        self.body, self.around, self.record = body, around, record

    def append(self, node: Node) -> None:
        """Make a node one of the body's tape; a node without a value of the body stays outside."""
        y, *values = node.saved or (None,)
        if not isinstance(y, SymbolicArray) or y.tracer is not self.body.tracer:
            with _recording(*self.around):  # as if the body did not run
                self.record.sink.append(node)
            return
        members, own = records_of(node.record), self.body.tape._record  # type: ignore[union-attr]
        if self.record not in members:
            return  # done, for another tape outside
        # A tape that is closed, as that of a gradient taken before the loop, follows nothing.
        inside = [r for r in members if r.sink is not None and r not in self.body.tracer.outside]
        inputs, values = list(node.inputs), list(values)
        for k, n in enumerate(inputs):
            if n is not None and self._is_outside(n, inside):
                leaf = self.body.leaf_for(n, values[k])
                inputs[k], values[k] = leaf.node, leaf._value
        node.parts = (*inputs, y, *values)
        node.record = joint_record(own, *inside)
        if own not in inside:
            own.sink.append(node)

    def _is_outside(self, node: Node, inside: list[Record]) -> bool:
        """Whether an input needs a leaf of the body; raises if a tape of the body's function follows it as well."""
        records = records_of(node.record)
        if self.body.tape._record in records:  # type: ignore[union-attr]
            return False
        if not any(r in inside for r in records):
            return True
        if any(r in self.body.tracer.outside for r in records):
            raise ConcretizationError(
                "scan: a tape in the function watches a value from outside, and a tape outside follows it too, which a "
                "compiled loop cannot do. Use ak.grad or ak.jvp in the function, or pass the value in the carry or xs."
            )
        return False


@dataclass(eq=False)
class Step:
    """A step of a loop: a part of its body's graph, from inputs to outputs. Steps of derivatives share the body."""

    body: Body
    carry: list[Tensor]
    entries: list[Tensor]
    shared: list[Tensor]
    new_carry: list[Tensor]
    results: list[Tensor]
    saves: bool = False  # whether it computes the saved values; the steps of derivatives take them as entries
    derived: dict[Any, Step] = field(default_factory=dict, init=False)
    loops: dict[range, LoopCall] = field(default_factory=dict, init=False)

    @property
    def inputs(self) -> list[Tensor]:
        """All inputs."""
        return [*self.carry, *self.entries, *self.shared]

    @property
    def outputs(self) -> list[Tensor]:
        """All outputs."""
        return [*self.new_carry, *self.results]

    @property
    def output_nodes(self) -> list[GraphNode]:
        """The outputs in the graph."""
        return [x._value.node for x in self.outputs]

    def derivative(self, key: Any, make: Callable[[Step], Step]) -> Step:
        """The step of a derivative, which is made once; modes of this thread change it."""
        if modes.active():
            return make(self)
        if key not in self.derived:
            self.derived[key] = make(self)
        return self.derived[key]


def is_followed(x: Tensor) -> bool:
    """Whether an open record follows a value."""
    return x.node is not None and any(r.sink is not None for r in records_of(x.node.record))
