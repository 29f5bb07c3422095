"""Operations inside ``ak.vmap``: each runs once, on the tensor of all examples.

Most operations and rules count their axes from the end, so an axis in front changes nothing for them. Where that does
not suffice (several arrays with rules of their own, functions that need numbers), an operation runs for each example.

Tapes that were opened outside the vmap record the operations on the tensors of all examples; tapes that are opened
inside record those on batched arrays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.dispatch import apply_op, compute, record_op
from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import ACTIVE_MODES, ArrayNode, Node, Record, make_leaf, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import call_traced
from autodiff_kit.errors import ShapeError
from autodiff_kit.transforms.batched_array import BatchedArray, plain

__all__ = ["Batch", "OutsideRecords", "OutsideSink"]

_DEPTHS = itertools.count()  # of an inner vmap it is larger than of those around it


class Batch:
    """The batch of one call of a function that ``ak.vmap`` made.

    Attributes
    ----------
    size : int
        The number of examples.
    depth : int
        Larger for a vmap inside another one, which carries out operations on values of both.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.depth = next(_DEPTHS)

    def array(self, result: Any) -> BatchedArray:
        """A batched array from the tensor, or array, of all examples."""
        return BatchedArray(self, as_tensor(result))

    def enter(self, t: Tensor) -> Tensor:
        """The value of one example, from the tensor of all; the tapes that follow it have a node for it."""
        array = BatchedArray(self, t)
        if t.node is None or t.node.record is None:
            return wrap(array)
        inside = ArrayNode()
        inside.spec = ArraySpec.of(array)
        return wrap(array, make_leaf(inside, t.node.record))

    # -------------------------------------------------------------------------------------------------- operations
    def call(self, function: Any, args: Any, params: dict[str, Any]) -> Any:
        """The output of an operation or a function, of whose arguments some are batched arrays."""
        batch = max((x.tracer for x in _batched_among((args, params))), key=lambda other: other.depth)
        if batch is not self:
            return batch.call(function, args, params)
        args, params = _off_tapes(args), _off_tapes(params)
        if isinstance(function, Op):
            return self.array(self.apply(function, args, params))
        function = getattr(function, "opaque", function)  # what an example holds may be traced again
        return self._each_example(lambda own, its: call_traced(function, own, its), args, params)

    def apply(self, op: Op, values: Sequence[Any], params: dict[str, Any]) -> Tensor:
        """The tensor of all examples that an operation gives; tensors among ``values`` keep their nodes."""
        together = len(values) == 1 and type(values[0]) in (tuple, list)
        inputs = self._aligned(op, values[0] if together else values, params)
        if inputs is None:
            own = [*(values[0] if together else values)]
            return self._each_example(lambda these, its: _run(op, these, its, together), own, params).tensor  # type: ignore[no-any-return]
        return _run(op, inputs, self._aligned_parameters(op, values, params), together)

    def record_user_rule(self, op: Op, y: Tensor, values: Sequence[Any], params: dict[str, Any]) -> Tensor:
        """The tensor of all examples that a user's function gave, recorded with the user's rules."""
        held = [self.holds(x) for x in values]
        tensors = tuple(x.tensor if own else as_tensor(x) for x, own in zip(values, held, strict=True))

        def vjp_all(g: Any, y: Any, *inputs: Any, **params: Any) -> Any:
            parts = self._call_rule(op.vjp_all, [g, y, *inputs], [True, True, *held], params)
            parts = parts if isinstance(parts, (tuple, list)) else (parts,)
            if len(parts) != len(held):
                return parts  # an error that the caller raises
            return tuple(map(self._cotangent_of_all, parts, inputs, held))

        def jvp(tangents: Any, y: Any, *inputs: Any, **params: Any) -> Any:
            mine = [
                self.enter(as_tensor(t)) if own and t is not None else t for t, own in zip(tangents, held, strict=True)
            ]
            rule: Any = op.jvp
            return self._rows(
                self._call_rule(partial(rule, mine), [y, *inputs], [True, *held], params), np.ndim(unwrap(y)) - 1
            )

        rules = {"vjp_all": vjp_all, "jvp": op.jvp and jvp, "user_defined": True, "family": "general"}
        own = Op(op.name, lambda *_: y._value, flops=lambda *_: 0, **rules)
        return record_op(own, y._value, tuple(t._value for t in tensors), tuple(t.node for t in tensors), params)

    def _call_rule(self, rule: Any, values: list[Any], held: list[bool], params: dict[str, Any]) -> Any:
        """What a user's rule gives for the values of one example; tapes around the pass follow those of all."""
        inside = [self.enter(as_tensor(x)) if own else x for x, own in zip(values, held, strict=True)]
        return self.call_inside(rule, inside, params, open_records.records)

    def call_inside(self, f: Callable[..., Any], args: Any, kwargs: Any, records: Sequence[Record]) -> Any:
        """Call a function on values of one example, while the tapes outside record for all examples."""
        outside = OutsideRecords(self, records)
        ACTIVE_MODES.append(self)
        outside.open()
        try:
            return f(*args, **kwargs)
        finally:
            outside.close()
            ACTIVE_MODES.remove(self)

    def take_hook(
        self, hook: Callable[[Any], Any], array: BatchedArray, records: tuple[Record, ...]
    ) -> tuple[Record, ...]:
        """Register a hook of a value of one example with the tapes outside, for the tensor of all; return the other
        records. The hook gets the gradient of one example.
        """

        def of_all(g: Tensor) -> Tensor | None:
            new = self._call_rule(hook, [g], [True], {})
            if new is None:
                return None
            rows = self._rows(new, g.ndim - 1)
            return v.broadcast_to(rows, shape=g.shape) if np.ndim(unwrap(new)) == 0 else rows

        sinks = [r.sink for r in records if isinstance(r.sink, OutsideSink) and r.sink.is_of_examples(array)]
        if sinks:  # of one vmap: those of others around it lie under them
            sinks[0].outside.close()
            try:
                array.tensor.register_hook(of_all)
            finally:
                sinks[0].outside.open()
        return tuple([r for r in records if r.sink not in sinks])

    def _cotangent_of_all(self, part: Any, x: Any, own: bool) -> Any:
        """The cotangent of an input from that of one example; of an input that the examples share, their sum."""
        if part is None:
            return None
        rows = self._rows(part, np.ndim(unwrap(x)) - own)
        return rows if own else v.sum(rows, axis=(-rows.ndim,), keepdims=False)

    def _rows(self, part: Any, rank: int) -> Tensor:
        """A value of at least this rank for each example, as the tensor of all."""
        value = unwrap(part)
        rows = self.whole(value if self.holds(value) else part)
        if type(part) is Tensor and part.node is None:  # a gradient was stopped in front of it
            rows = wrap(rows._value)
        found: Tensor = rows.reshape((self.size, *(1,) * max(0, rank + 1 - rows.ndim), *rows.shape[1:]))
        return found

    def _aligned(self, op: Op, values: Sequence[Any], params: dict[str, Any]) -> list[Any] | None:
        """The inputs with the examples in front, so that the operation treats all at once; None where it cannot."""
        if op.user_defined or (op.name != "select" and next(_batched_among(params), None) is not None):
            return None
        if params.get("axis", 0) is None:  # over all entries of each example, as argsort without an axis
            return None
        if op.name == "einsum":
            return self._operands_of_einsum(values, params["labels"])
        if op.family in ("general", "bilinear") and len(values) > 1 and op.name not in _STACKS:
            return None
        ranks = [np.ndim(unwrap(x)) for x in values]
        if op.name in ("concat", "stack"):
            return list(map(self.whole, values))
        if op.name == "matvec":
            ranks[1] += 1
        if op.family == "elementwise":  # arrays beside the inputs, such as a condition or bounds
            ranks += [np.ndim(unwrap(x)) for x in params.values()]
        if op.name in ("tril", "triu"):  # a vector stands for equal rows
            ranks.append(2)
        if op.name == "broadcast_to":
            ranks.append(len(params["shape"]))
        rank = max(ranks)
        return [self.with_rank(x, rank - own) for x, own in zip(values, ranks, strict=False)]

    def _operands_of_einsum(self, values: Sequence[Any], labels: Sequence[Sequence[int]]) -> list[Any]:
        """The operands with the examples in front of all axes without labels, which are those of a vmap inside."""
        ahead = [np.ndim(unwrap(x)) - len(own) for x, own in zip(values, labels, strict=True)]
        most = max(ahead)
        lead = np.shape(unwrap(values[ahead.index(most)]))[:most]
        return [self._broadcast_behind(x, lead[: most - n]) for x, n in zip(values, ahead, strict=True)]

    def _broadcast_behind(self, x: Any, new: tuple[int, ...]) -> Any:
        """The tensor of all examples, repeated along new axes behind the first; other values unchanged."""
        if not (new and self.holds(x)):
            return self.with_rank(x, 0)
        return v.broadcast_to(self.with_rank(x, len(new)), shape=(self.size, *new, *x.shape))

    def _aligned_parameters(self, op: Op, values: Sequence[Any], params: dict[str, Any]) -> dict[str, Any]:
        if op.name != "select" or not self.holds(params["condition"]):
            return params
        rank = max(np.ndim(unwrap(x)) for x in values)
        condition = self.with_rank(params["condition"], 0)
        new = max(0, rank + 1 - condition.ndim)
        shape = (condition.shape[0], *(1,) * new, *condition.shape[1:])
        return {**params, "condition": condition.reshape(shape)._value}

    def with_rank(self, x: Any, new: int) -> Any:
        """The tensor of all examples, with ``new`` axes of length 1 behind the first; other values unchanged."""
        if not self.holds(x):
            return x
        t = x.tensor
        return t.reshape((t.shape[0], *(1,) * new, *t.shape[1:])) if new else t

    def whole(self, x: Any) -> Any:
        """The tensor of all examples; a value that they share is repeated for each."""
        if self.holds(x):
            return x.tensor
        t = as_tensor(x)
        return v.broadcast_to(t, shape=(self.size, *t.shape))

    def holds(self, x: Any) -> bool:
        """Whether a value stands for the examples of this batch."""
        return isinstance(x, BatchedArray) and x.tracer is self

    def _each_example(self, function: Callable[[Any, Any], Any], args: Any, params: dict[str, Any]) -> Any:
        """Call a function for each example, and stack what it returns."""
        if not self.size:
            raise ShapeError(
                "vmap over no examples: this function has an operation that runs for each example, so the shape of its "
                "result is not known without one. Give at least one example."
            )
        found = [function(self._of_example(args, k), self._of_example(params, k)) for k in range(self.size)]
        if not isinstance(found[0], tuple):
            return self._stacked(found)
        parts = map(self._stacked, zip(*found, strict=True))
        return type(found[0])(*parts) if hasattr(found[0], "_fields") else tuple(parts)

    def _stacked(self, found: Sequence[Any]) -> BatchedArray:
        tensors = [as_tensor(x) for x in found]
        return self.array(v.stack(tensors, axis=-1 - tensors[0].ndim))

    def _of_example(self, nest: Any, k: int) -> Any:
        """A nest of arguments, with the values of one example."""
        if self.holds(nest):
            row = nest.tensor[k]
            return row if row.node is not None else plain(row._value)
        if type(nest) in (tuple, list):
            return type(nest)([self._of_example(x, k) for x in nest])
        if type(nest) is dict:
            return {key: self._of_example(x, k) for key, x in nest.items()}
        if type(nest) is slice:
            return slice(*(self._of_example(x, k) for x in (nest.start, nest.stop, nest.step)))
        return nest


_OF_LISTS = ("concat", "stack")
_STACKS = ("matmul", "matvec", "vecdot", "cross", "solve", "solve_triangular", "layer_norm")
"""Operations with several inputs whose axes in front broadcast."""


def _off_tapes(nest: Any) -> Any:
    """The same numbers, which no tape follows: tapes record an operation once it has run."""
    if isinstance(nest, BatchedArray):
        return BatchedArray(nest.tracer, wrap(nest.tensor._value))
    if type(nest) in (tuple, list):
        return type(nest)(map(_off_tapes, nest))
    if type(nest) is dict:
        return {key: _off_tapes(x) for key, x in nest.items()}
    return nest


def _batched_among(nest: Any) -> Iterator[BatchedArray]:
    if isinstance(nest, BatchedArray):
        yield nest
    elif type(nest) in (tuple, list):
        for x in nest:
            yield from _batched_among(x)
    elif type(nest) is dict:
        yield from _batched_among(list(nest.values()))
    elif type(nest) is slice:
        yield from _batched_among((nest.start, nest.stop, nest.step))


def _run(op: Op, values: Sequence[Any], params: dict[str, Any], together: bool) -> Tensor:
    """An operation on tensors and numbers, recorded by the tapes that follow the tensors."""
    if not together:
        return apply_op(op, tuple(map(as_tensor, values)), params)
    tensors = tuple(map(as_tensor, values))
    own = tuple(t._value for t in tensors)
    return record_op(op, canonical(compute(op, (own,), params)), own, tuple(t.node for t in tensors), params)


# ------------------------------------------------------------------------------------------------- tapes outside
class OutsideRecords:
    """The tapes and accumulators that were opened outside a vmap, while its function runs.

    What they follow has a node of theirs inside, too. An operation that reads such a node has been computed without
    them; it is run again on the tensors of all examples, where they record it.
    """

    def __init__(self, batch: Batch, records: Sequence[Record]) -> None:
        self.batch = batch
        self.records = [record for record in records if record.sink is not None]
        self.before = [(record.sink, record.keep_all) for record in self.records]
        self.moved: Node | None = None  # the last node that was recorded for all examples instead

    def open(self) -> None:
        """Take the place of each record's sink."""
        for record, (sink, _) in zip(self.records, self.before, strict=True):
            if record.sink is not None:  # not paused
                record.sink, record.keep_all = OutsideSink(self, sink), True

    def close(self) -> None:
        """Give each record its sink back."""
        for record, (sink, keep_all) in zip(self.records, self.before, strict=True):
            if record.sink is not None:
                record.sink, record.keep_all = sink, keep_all

    def follow(self, node: Node | None) -> bool:
        """Whether one of the records follows the value of a node."""
        return node is not None and any(record in self.records for record in records_of(node.record))

    def record_for_all(self, node: Node, y: BatchedArray, values: Sequence[Any]) -> None:
        """Record the operation of a node on the tensors of all examples, in place of the node."""
        if node is self.moved or (node.op.vjps is None and node.op.vjp_all is None):  # no gradient passes it
            return
        self.moved = node
        inputs = [
            wrap(x, n) if not isinstance(x, BatchedArray) or x.tracer.depth < y.tracer.depth
            else x if self.follow(n) else _off_tapes(x)  # a gradient was stopped in front of it
            for x, n in zip(values, node.inputs, strict=True)
        ]  # fmt: skip
        self.close()
        try:
            if node.op.user_defined:
                y.tensor = y.tracer.record_user_rule(node.op, y.tensor, inputs, node.params)
            else:
                y.tensor = y.tracer.apply(node.op, [inputs] if node.op.name in _OF_LISTS else inputs, node.params)
        finally:
            self.open()


class OutsideSink:
    """The sink of a record that was opened outside a vmap, while its function runs."""

    def __init__(self, outside: OutsideRecords, sink: Any) -> None:
        self.outside, self.sink = outside, sink

    def append(self, node: Node) -> None:
        """Append a node to the record, unless it has to be recorded for all examples."""
        y, *values = node.saved or (None,)
        if self.is_of_examples(y):
            self.outside.record_for_all(node, y, values)
            return
        self.outside.close()
        try:
            self.sink.append(node)  # an accumulator opens itself again
        finally:
            self.outside.open()

    def is_of_examples(self, y: Any) -> bool:
        """Whether a value is one of each example; what a vmap further out holds is that one's, also where the tape was
        opened inside of it.
        """
        return isinstance(y, BatchedArray) and y.tracer.depth >= self.outside.batch.depth
