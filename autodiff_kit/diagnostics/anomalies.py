"""Anomaly detection: an error at the first nan or infinity, in the forward computation or in the backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.modes import modes, set_sink
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.record import ACTIVE_MODES, Node, Record, open_records
from autodiff_kit.core.source_location import location_of
from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.errors import AnomalyError

__all__ = ["detect_anomalies"]


@contextmanager
def detect_anomalies() -> Iterator[None]:
    """Raise an error at the first nan or infinity, in the forward computation or in the backward pass.

    Tapes that are open inside this block check each output when it is recorded. Gradients that are computed inside the
    block check each cotangent that an operation passes to an input.

    Raises
    ------
    AnomalyError
        The message names the operation, its position on the tape, its source line, the first index, and the numbers
        there.

    Notes
    -----
    **Cost.** One more pass over each array, and the tape holds every value: for debugging, not for training.

    Examples
    --------
    >>> x = ak.Variable([1.0, 0.0])
    >>> with np.errstate(all="ignore"), ak.detect_anomalies(), ak.GradientTape() as tape:
    ...     y = ak.log(x)
    Traceback (most recent call last):
    autodiff_kit.errors.AnomalyError: log, node 0 on the tape, gave -inf at index (1,): log(0.0). ...
    """
    before = modes.checked_sink, modes.check_cotangent
    modes.checked_sink, modes.check_cotangent = _CheckedSink, _check_cotangent
    ACTIVE_MODES.append(modes)
    _set_sinks()
    try:
        yield
    finally:
        ACTIVE_MODES.remove(modes)
        modes.checked_sink, modes.check_cotangent = before
        _set_sinks()


def _set_sinks() -> None:
    for record in open_records.records:
        set_sink(record)


class _CheckedSink:
    """The sink of a record while anomalies are detected: it checks each output, and the record holds every value."""

    def __init__(self, record: Record) -> None:
        self.record = record
        record.keep_all = True

    def append(self, node: Node) -> None:
        """Append a node, and check its output."""
        self.record.nodes.append(node)
        y = (node.saved or (None,))[0]
        bad = _first_bad(y)
        if bad is not None:
            where, number = bad
            inputs = _numbers_at(node, where)
            raise AnomalyError(
                f"{node.op.name}, node {len(self.record.nodes) - 1} on the tape, gave {number} at "
                f"{_index(where)}{inputs}. {_place(node)}"
            )


def _check_cotangent(nodes: list[Node], node: Node, g: Any, to: Node, part: Any) -> None:
    """Check a cotangent that a node passes to one of its inputs."""
    bad = _first_bad(unwrap(part))
    if bad is not None:
        where, number = bad
        came = "; the incoming gradient was already not finite" if _first_bad(unwrap(g)) is not None else ""
        raise AnomalyError(
            f"on the way back, {node.op.name}, node {_place_in(nodes, node)} on the tape, handed {number} at "
            f"{_index(where)} to its input {_place_in(node.inputs, to)}{came}. {_place(node)}"
        )


def _place_in(nodes: Sequence[Node | None], node: Node) -> int:
    """The position of a node in a sequence; by identity, because ``==`` of tensors is elementwise."""
    return next(k for k, other in enumerate(nodes) if other is node)


def _first_bad(value: Any) -> tuple[tuple[int, ...], str] | None:
    """The first index at which a value is nan or infinite, and the number there."""
    array = _entries(value)
    if array is None:
        return None
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return place, str(array[place])


def _entries(value: Any) -> Any:
    """A value as an array; inside ``ak.vmap`` that of all examples, along the first axis. None where there are none."""
    if value is None or type(value) is ArraySpec:
        return None
    if isinstance(value, SymbolicValue):
        return _entries(unwrap(value.tensor)) if hasattr(value, "tensor") else None
    return np.asarray(value)


def _numbers_at(node: Node, where: tuple[int, ...]) -> str:
    """The operation with its numbers, if it is elementwise; otherwise the input that was already not finite."""
    saved = node.saved or ()
    if any(isinstance(x, SymbolicValue) for x in saved):
        return ", whose first entry counts the examples"
    values = [np.asarray(x) for x in saved[1:] if type(x) is not ArraySpec]
    if node.op.family == "elementwise" and len(values) == len(saved) - 1:
        shape = np.shape(saved[0])
        return f": {node.op.name}({', '.join(str(np.broadcast_to(x, shape)[where]) for x in values)})"
    came = [k for k, x in enumerate(values) if _first_bad(x) is not None]
    return f", which its input {came[0]} already contained" if came else ""


def _index(where: tuple[int, ...]) -> str:
    return f"index {where}" if where else "the only entry"


def _place(node: Node) -> str:
    place = location_of(node.code, node.lasti)
    return f"{place}: {place.text}" if place.line else "Its source line is unknown."
