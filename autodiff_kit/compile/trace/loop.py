"""Loops: the body of ``ak.scan`` is traced once, and its derivatives are made from that one trace.

While a function is traced, :func:`trace_loop` runs the body once, on one carry and one entry of each array, with a
tracer of its own (:mod:`autodiff_kit.compile.trace.loop_body`). The loop becomes one call in the graph of the function,
and one operation on the tapes that follow its inputs.

The body is recorded on a tape of its own, which stays. Its reverse pass gives a step of the loop that goes backwards,
its forward pass a step of the loop of tangents: both add to the graph of the body and to its tape. Their loops are
operations like the first one, so derivatives of any order come out, and the user's function never runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from autodiff_kit.compile.topological_order import live_nodes
from autodiff_kit.compile.trace.loop_body import Body, Step, is_followed, records_around
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import ACTIVE_MODES, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.errors import ConcretizationError
from autodiff_kit.ops.axis_order import moveaxis
from autodiff_kit.ops.packed_outputs import PackedOutputs
from autodiff_kit.transforms.batch import Batch, OutsideRecords, OutsideSink
from autodiff_kit.transforms.batched_array import BatchedArray
from autodiff_kit.transforms.node_tangent import output_tangent

__all__ = ["trace_loop"]

Results = tuple[list[Tensor], list[Tensor]]
"""The next or the last carry, and the results of a step or those of all steps."""
StepFunction = Callable[[list[Tensor], list[Tensor]], Results]


def trace_loop(f: StepFunction, init: list[Tensor], xs: list[Tensor], count: int, reverse: bool) -> Any:
    """The last carry and the stacked results of a loop whose body is traced once.

    NotImplemented inside ``ak.vmap`` while a tape follows values of single examples: the loop is recorded for all
    examples at once.

    Parameters
    ----------
    f : callable
        The body, on lists of tensors: from a carry and entries to the next carry and results.
    init, xs : list of Tensor
        The first carry; arrays with one entry for each step.
    count, reverse : int, bool
    """
    batches = sorted((mode for mode in ACTIVE_MODES if isinstance(mode, Batch)), key=attrgetter("depth"))
    if batches and not all(_is_outside_of(batches, record.sink) for record in records_around()):
        return NotImplemented
    return _trace_batched(batches, f, init, xs, range(count)[:: -1 if reverse else 1])


def _is_outside_of(batches: list[Batch], sink: Any) -> bool:
    """Whether a record's tape was opened outside of all these vmaps, by its sink."""
    passed = set()
    while isinstance(sink, OutsideSink):
        passed.add(sink.outside.batch)
        sink = sink.sink
    return passed.issuperset(batches)


def _trace_batched(
    batches: list[Batch], f: StepFunction, init: list[Tensor], xs: list[Tensor], order: range
) -> Results:
    """A loop inside vmaps: the body is that of all examples, which calls the user's function with one of them."""
    if not batches:
        return _trace_body(f, init, xs, order)
    *others, batch = batches
    differ = [batch.holds(x._value) for x in xs]  # from example to example; carries and results always may

    def whole(x: Any) -> Tensor:
        t = as_tensor(x)
        if not batch.holds(t._value):
            return batch.whole(t)  # type: ignore[no-any-return]
        return t._value.tensor if t.node is not None else wrap(t._value.tensor._value)  # where a gradient was stopped

    def for_all(carry: list[Tensor], entries: list[Tensor]) -> Results:
        outside = OutsideRecords(batch, records_around())
        outside.open()
        try:
            own = [batch.enter(x) if differs else x for x, differs in zip(entries, differ, strict=True)]
            new, results = f([*map(batch.enter, carry)], own)
        finally:
            outside.close()
        return [*map(whole, new)], [*map(whole, results)]

    entries = [moveaxis(whole(x), 1, 0) if differs else x for x, differs in zip(xs, differ, strict=True)]
    carry, results = _trace_batched(others, for_all, [*map(whole, init)], entries, order)
    return [*map(batch.enter, carry)], [batch.enter(moveaxis(y, 1, 0)) for y in results]


def _trace_body(f: StepFunction, init: list[Tensor], xs: list[Tensor], order: range) -> Results:
    """A loop outside of vmaps."""
    body, followed = Body(), list(map(is_followed, xs))
    with body.entered():
        body.watch_variables()
        carry = [body.leaf(x.shape, x.dtype, body.tape is not None) for x in init]
        entries = [body.leaf(x.shape[1:], x.dtype, follows) for x, follows in zip(xs, followed, strict=True)]
        new_carry, results = ([body.own(as_tensor(x)) for x in part] for part in f(carry, entries))
    found = body.followed_values()
    step = Step(body, carry, entries, list(found), new_carry, results)
    body.find_saved_nodes(step)
    return _run(step, order, [*init, *xs, *found.values()])


def _run(step: Step, order: range, inputs: list[Tensor]) -> Results:
    """The last carry and the stacked results of a loop, as one operation of the tapes that follow its inputs."""
    split = len(step.new_carry)
    batch = max(
        (x._value.tracer for x in inputs if isinstance(x._value, BatchedArray)), key=attrgetter("depth"), default=None
    )
    if batch is not None:
        return _run_each_example(batch, step, order, inputs)
    if any(map(is_followed, inputs)) and any(x.dtype.kind == "f" for x in step.outputs):
        carries = replace(step, results=[*step.results, *step.carry])  # each step's carry is kept for the derivatives
        outputs = _Loop(carries, order).apply(inputs)[: split + len(step.results)]
    else:
        outputs = list(map(wrap, _place(step, order, list(map(unwrap, inputs)))))
    return outputs[:split], outputs[split:]


def _run_each_example(batch: Batch, step: Step, order: range, inputs: list[Tensor]) -> Results:
    """The loop of a derivative inside a vmap that was not there when the loop was traced: once for each example."""
    open_records_of = (r for x in inputs if x.node is not None for r in records_of(x.node.record) if r.sink is not None)
    if not all(isinstance(r.sink, OutsideSink) for r in open_records_of):
        raise ConcretizationError(
            "this vmap takes the derivative of a scan outside of it, and a tape inside the vmap follows its argument. "
            "Call the scan inside the vmap as well, or take the derivative of the vmap as a whole."
        )
    found = []
    for k in range(batch.size):
        own = [x._value.tensor[k] if batch.holds(x._value) else x for x in inputs]
        found.append([part for parts in _run(step, order, own) for part in parts])
    stacked = [batch.enter(v.stack(each, axis=-1 - each[0].ndim)) for each in zip(*found, strict=True)]
    return stacked[: len(step.new_carry)], stacked[len(step.new_carry) :]


class _Loop:
    """A loop as an operation with derivatives."""

    def __init__(self, step: Step, order: range) -> None:
        self.step, self.order = step, order
        last = [(x.shape, x.dtype) for x in step.new_carry]
        self.layout = PackedOutputs([*last, *(((len(order), *x.shape), x.dtype) for x in step.results)])
        self.op = Op("scan", self._value, vjp_all=self._vjp, jvp=self._jvp, user_defined=True, flops=lambda *_, **__: 0)
        self.others: list[Any] = []  # the outputs that have no derivative

    def apply(self, inputs: list[Tensor]) -> list[Tensor]:
        """The outputs, recorded."""
        values = tuple(map(unwrap, inputs))
        y = record_op(self.op, self._value(*values), values, tuple(x.node for x in inputs))
        return self.layout.unpack(y, self.others)

    def _value(self, *values: Any) -> Any:
        vector, self.others = self.layout.pack(_place(self.step, self.order, list(values)))
        return vector

    def _split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Carry, entries and shared values among values for all inputs."""
        a = len(self.step.carry)
        b = a + len(self.step.entries)
        return list(values[:a]), list(values[a:b]), list(values[b:])

    def _points(self, y: Tensor, inputs: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """Where each step is differentiated: its carries and entries, and the shared values."""
        _, entries, shared = self._split(list(map(as_tensor, inputs)))
        outputs = self.layout.unpack(y, self.others)
        return [*outputs[len(outputs) - len(self.step.carry) :], *entries], shared

    def _vjp(self, g: Any, y: Any, *inputs: Any) -> tuple[Any, ...]:
        """The cotangents of all inputs: a loop in the other direction that carries those of carry and shared values."""
        points, shared = self._points(y, inputs)
        wanted, split = self.layout.unpack(g), sum(self.layout.floating[: len(self.step.carry)])
        used = tuple(not _is_zero(x) for x in wanted[split:])
        of_carry, of_results = wanted[:split], [x for x, uses in zip(wanted[split:], used, strict=True) if uses]
        pull = self.step.derivative(used, lambda step: _reverse_step(step, used))
        init = [*of_carry, *(_zeros(x.shape, x.dtype) for x in self.step.shared)]
        last, results = _run(pull, self.order[::-1], [*init, *points, *of_results, *shared])
        found = iter([*last[: len(of_carry)], *results, *last[len(of_carry) :]])
        return tuple(next(found) if _has_cotangent(x) else None for x in self.step.inputs)

    def _jvp(self, tangents: Sequence[Any], y: Any, *inputs: Any) -> Any:
        """The tangent of the vector: a loop of the same direction that carries the tangents of the carry."""
        points, shared = self._points(as_tensor(y), inputs)
        given = [
            _zeros(np.shape(unwrap(x)), s.dtype) if t is None else as_tensor(t)
            for t, x, s in zip(tangents, inputs, self.step.inputs, strict=True)
        ]
        used = [
            [t for t, x in zip(part, own, strict=True) if _has_cotangent(x)]
            for part, own in zip(self._split(given), self._split(self.step.inputs), strict=True)
        ]
        push = self.step.derivative("forward", _forward_step)
        carry, results = _run(push, self.order, [*used[0], *points, *used[1], *shared, *used[2]])
        return v.concat(tuple(x.reshape(-1).astype(self.layout.dtype) for x in (*carry, *results)), axis=-1)


def _has_cotangent(leaf: Tensor) -> bool:
    """Whether the body's tape follows an input."""
    return leaf.node is not None


def _zeros(shape: tuple[int, ...], dtype: Any) -> Tensor:
    return as_tensor(np.zeros(shape, dtype))


def _is_zero(x: Tensor) -> bool:
    """Whether a value is known to be 0, and no tape follows it."""
    node = getattr(x._value, "node", None)
    while node is not None and node.op == "broadcast":
        node = node.args[0]
    return x.node is None and node is not None and node.op == "const" and not np.any(node.value)


def _is_floating(x: Tensor) -> bool:
    return x.dtype.kind == "f"


def _reverse_step(step: Step, used: tuple[bool, ...]) -> Step:
    """The step of the loop that goes back: from the cotangents after a step to those before it.

    It carries the cotangents of the carry and the sums of those of the shared values. ``used`` says which of the
    floating results have a cotangent.
    """
    body = step.body
    results = [x for x, uses in zip(filter(_is_floating, step.results), used, strict=True) if uses]
    with body.entered():
        carry = [body.leaf(x.shape, x.dtype, True) for x in filter(_is_floating, step.new_carry)]
        sums = [body.leaf(x.shape, x.dtype, True) for x in step.shared]
        given = [body.leaf(x.shape, x.dtype, True) for x in results]
        parts = [list(filter(_has_cotangent, part)) for part in (step.carry, step.entries, step.shared)]
        targets = [*filter(_is_floating, step.new_carry), *results]
        found = body.tape.gradient(targets, parts, [*carry, *given], unconnected_gradients="zero")  # type: ignore[union-attr]
        of_carry, of_entries, of_shared = found
        new = [*of_carry, *(total + g for total, g in zip(sums, of_shared, strict=True))]
        new, of_entries = ([body.own(x) for x in part] for part in (new, of_entries))
    return Step(body, [*carry, *sums], [*step.carry, *step.entries, *given], step.shared, new, of_entries)


def _forward_step(step: Step) -> Step:
    """The step of the loop of tangents: from those of the inputs of a step to those of its outputs."""
    body = step.body
    with body.entered():
        parts = [list(filter(_has_cotangent, part)) for part in (step.carry, step.entries, step.shared)]
        leaves = [[body.leaf(x.shape, x.dtype, True) for x in part] for part in parts]
        tangents = {x.node: t for part, own in zip(parts, leaves, strict=True) for x, t in zip(part, own, strict=True)}
        for node in list(body.tape._record.nodes):  # type: ignore[union-attr]
            incoming = tuple([None if n is None else tangents.get(n) for n in node.inputs])
            if any(t is not None for t in incoming) and (t := output_tangent(node, incoming, True)) is not None:
                tangents[node] = as_tensor(t)
        found = [
            [
                body.own(tangents[x.node] if x.node in tangents else _zeros(x.shape, x.dtype))
                for x in filter(_is_floating, part)
            ]
            for part in (step.new_carry, step.results)
        ]
    return Step(
        body, leaves[0], [*step.carry, *step.entries, *leaves[1]], [*step.shared, *leaves[2]], found[0], found[1]
    )


def _place(step: Step, order: range, values: list[Any]) -> list[Any]:
    """The last carry and the stacked results, as values of the present trace: the loop is added to its graph."""
    body, tracer, outputs = step.body, open_records.trace, step.output_nodes
    saved = set() if step.saves else set(body.saved)
    live = live_nodes(outputs, saved)
    used = {a for n in live for a in n.args} | set(outputs)
    value_of = body.tracer.captured | dict(zip(body.saved, body.stacks, strict=False))
    value_of |= dict(zip((x._value.node for x in step.inputs), values, strict=True))
    carry, entries = ([x._value.node for x in part] for part in (step.carry, step.entries))
    entries += [n for n in body.saved if n in saved and n in used]
    fixed = [n for n in live if n.op == "input" and n not in entries and n not in carry]
    inputs = [*carry, *entries, *fixed]
    if step.saves:
        outputs = [*outputs, *body.saved]
    if order not in step.loops:
        step.loops[order] = LoopCall(inputs, outputs, (len(carry), len(entries)), order)
    loop = step.loops[order]
    found: list[Any] = tracer.call_on(loop, [value_of[n] for n in inputs], loop.specs)
    if step.saves:
        found, body.stacks = found[: len(step.outputs)], found[len(step.outputs) :]
    return found
