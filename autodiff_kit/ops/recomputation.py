"""Recomputation: a part of a program as one operation, which keeps its inputs and runs again for its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.joint_record import joint_record
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import ACTIVE_MODES, Node, Record, open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.errors import TapeError
from autodiff_kit.ops.packed_outputs import PackedOutputs

__all__ = ["recomputed"]

Program = Callable[[list[Tensor]], list[Tensor]]


def recomputed(name: str, program: Program, inputs: list[Tensor]) -> list[Tensor]:
    """The outputs of a program, of which tapes keep the inputs only; values that it finds elsewhere count as inputs.

    Where nothing is recorded, while tangents are computed, and inside ``ak.vmap``, the program runs as it is.
    """
    records = [record for record in open_records.records if record.sink is not None]
    if not records or ACTIVE_MODES or any(record.forward for record in records):
        return program(inputs)
    copies = list(map(_copy, inputs))  # the program may find an input elsewhere, too
    found = _Found(copies)
    with found.in_place_of(records):
        outputs = list(map(as_tensor, program(copies)))
    layout = PackedOutputs([(y.shape, y.dtype) for y in outputs])
    if not any(layout.floating):
        return [wrap(y._value) for y in outputs]
    vector, others = layout.pack([y._value for y in outputs])
    return layout.unpack(_Recomputation(name, program, found.values, records, layout).record(vector, inputs), others)


def _copy(x: Tensor) -> Tensor:
    """The same value with a node of its own."""
    copy = wrap(x._value)
    if x.node is not None:
        copy.attach(x.node.record)
    return copy


class _Found:
    """The sink of every tape while a program runs: it keeps no node, but notes what the program finds outside."""

    def __init__(self, inputs: list[Tensor]) -> None:
        self.values: list[Node] = []
        self._known: set[Node] = {x.node for x in inputs if x.node is not None}

    def append(self, node: Node) -> None:
        """Note the inputs of a node that the program did not make."""
        for n in node.inputs:
            if n is not None and n not in self._known:
                self._known.add(n)
                self.values.append(n)
        self._known.add(node)

    @contextmanager
    def in_place_of(self, records: list[Record]) -> Iterator[None]:
        """A block in which the records keep no node."""
        sinks = [record.sink for record in records]
        for record in records:
            record.sink = self
        try:
            yield
        finally:
            for record, sink in zip(records, sinks, strict=True):
                record.sink = sink


class _Recomputation:
    """One run of a program as an operation, with a rule that runs it again on a tape."""

    def __init__(
        self, name: str, program: Program, found: list[Node], records: list[Record], layout: PackedOutputs
    ) -> None:
        self.name, self.program, self.found, self.layout = name, program, found, layout
        self.readings = {key: reading for record in records for key, reading in record.readings.items()}

    def record(self, vector: Any, inputs: list[Tensor]) -> Tensor:
        """The vector of the outputs, recorded."""
        op = Op(self.name, lambda *_: vector, vjp_all=self._vjp, user_defined=True, flops=lambda *_: 0)
        values = tuple(x._value for x in inputs) + tuple(0.0 if n.spec is None else n.spec for n in self.found)
        return record_op(op, vector, values, (*(x.node for x in inputs), *self.found))

    def _vjp(self, g: Any, y: Any, *values: Any) -> list[Any]:
        """The cotangents of all inputs."""
        tape = GradientTape(persistent=True)
        tape._entered = tape._warned = True
        inputs = [v.identity(x) for x in values[: len(values) - len(self.found)]]
        found = [wrap(None, n) for n in self.found]
        with self._followed_by(tape):
            tape.watch([x for x in inputs if x.dtype.kind == "f"])
            tape._watched += found
            outputs = list(map(as_tensor, self.program(inputs)))
            self._check_same(outputs, y)
            tape._record.close()
            targets = [x for x, floating in zip(outputs, self.layout.floating, strict=True) if floating]
            return tape.gradient(targets, [*inputs, *found], self.layout.unpack(g))  # type: ignore[no-any-return]

    @contextmanager
    def _followed_by(self, tape: GradientTape) -> Iterator[None]:
        """A block in which the tape records, with what the program finds outside as its leaves."""
        record = tape._record
        record.open()
        before = [(n, n.record) for n in self.found]
        for n, own in before:
            n.record = joint_record(own, record)
        record.readings.update(self.readings)
        open_records.records.append(record)
        try:
            yield
        finally:
            open_records.records.remove(record)
            record.close()
            for n, own in before:
                n.record = own

    def _check_same(self, outputs: list[Tensor], y: Tensor) -> None:
        """Raise if the second run gives something else than the first: its gradient would be another function's."""
        new = self.layout.pack([x._value for x in outputs])[0]
        if not np.allclose(new, unwrap(y), rtol=float(np.sqrt(np.finfo(new.dtype).eps)), equal_nan=True):
            raise TapeError(
                f"{self.name}: the function gave other values when it ran again for the gradient. It must not draw "
                "random numbers, or read what is assigned between the loop and the gradient; make these arrays a part "
                "of xs."
            )
