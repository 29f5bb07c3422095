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
from autodiff_kit.errors import AnomalyError
from autodiff_kit.transforms.batched_array import BatchedArray

__all__ = ["detect_anomalies"]


@contextmanager
def detect_anomalies() -> Iterator[None]:
    """Raise an error at the first nan or infinity, in the forward computation or in the backward pass.

    Tapes that are open inside this block check each output when it is recorded. Gradients that are computed inside the
    block check each cotangent that an operation passes to an input. Inside :func:`vmap` all examples are checked.

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
                f"{_index(where, y)}{inputs}. {_place(node)}"
            )


def _check_cotangent(nodes: list[Node], node: Node, g: Any, to: Node, part: Any) -> None:
    """Check a cotangent that a node passes to one of its inputs."""
    bad = _first_bad(unwrap(part))
    if bad is not None:
        where, number = bad
        came = "; the incoming gradient was already not finite" if _first_bad(unwrap(g)) is not None else ""
        raise AnomalyError(
            f"on the way back, {node.op.name}, node {_place_in(nodes, node)} on the tape, handed {number} at "
            f"{_index(where, unwrap(part))} to its input {_place_in(node.inputs, to)}{came}. {_place(node)}"
        )


def _place_in(nodes: Sequence[Node | None], node: Node) -> int:
    """The position of a node in a sequence; by identity, because ``==`` of tensors is elementwise."""
    return next(k for k, other in enumerate(nodes) if other is node)


def _first_bad(value: Any) -> tuple[tuple[int, ...], str] | None:
    """The first index at which a value is nan or infinite, and the number there; of a batch, examples come first."""
    if value is None or type(value) is ArraySpec:
        return None
    array = np.asarray(_of_all_examples(value))
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return place, str(array[place])


def _numbers_at(node: Node, where: tuple[int, ...]) -> str:
    """The operation with its numbers, if it is elementwise; otherwise the input that was already not finite."""
    saved = node.saved or ()
    if saved and isinstance(saved[0], BatchedArray):
        saved = tuple([_of_example(x, where[0]) for x in saved])
        if any(isinstance(x, BatchedArray) for x in saved):  # a vmap inside another one
            return ""
        where = where[1:]
    values = [np.asarray(x) for x in saved[1:] if type(x) is not ArraySpec]
    if node.op.family == "elementwise" and len(values) == len(saved) - 1:
        shape = np.shape(saved[0])
        return f": {node.op.name}({', '.join(str(np.broadcast_to(x, shape)[where]) for x in values)})"
    came = [k for k, x in enumerate(values) if _first_bad(x) is not None]
    return f", which its input {came[0]} already contained" if came else ""


def _of_all_examples(value: Any) -> Any:
    """The numbers of all examples that a value inside ``ak.vmap`` stands for; other values unchanged."""
    while isinstance(value, BatchedArray):
        value = value.tensor._value
    return value


def _of_example(value: Any, k: int) -> Any:
    """The numbers of one example."""
    whole = value.tensor._value if isinstance(value, BatchedArray) else None
    return whole[k] if isinstance(whole, np.ndarray) else value


def _index(where: tuple[int, ...], value: Any) -> str:
    examples = np.ndim(_of_all_examples(value)) - np.ndim(value)
    of_example = ", ".join(f"example {k}" for k in where[:examples])
    index = f"index {where[examples:]}" if where[examples:] else "" if of_example else "the only entry"
    return " of ".join(filter(None, (index, of_example)))


def _place(node: Node) -> str:
    place = location_of(node.code, node.lasti)
    return f"{place}: {place.text}" if place.line else "Its source line is unknown."
