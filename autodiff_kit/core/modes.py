"""Two ways of working that are off by default: zero absorbs, and the first nan stops everything.

Each is a block in one thread. The ordinary recording and the ordinary sweep do not know of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit.core.record import UNUSUAL, Like, Node, Record, open_records
from autodiff_kit.core.source_location import place_of
from autodiff_kit.core.tensor import array, plain
from autodiff_kit.errors import AnomalyError

__all__ = ["absorbed", "detect_anomalies", "inspect_part", "modes", "turn_page", "zero_absorbs"]


class _Modes(threading.local):
    absorbs = False
    anomalies = False


modes = _Modes()


@contextmanager
def zero_absorbs() -> Iterator[None]:
    """Gradients asked inside this block take 0 times infinity, and 0 times nan, as 0.

    Where a gradient that comes in is exactly 0, so is what an entry-by-entry operation hands on, however steep it is
    there. Without the block the product is nan, as arithmetic has it: that is right where 0 stands for something small,
    and misleading where it stands for "not chosen".

    Notes
    -----
    **Gradient.** To any order; in forward mode it is a tangent of 0 that stays 0. It hides a nan that a mistake has
    made as well as one that ``where`` has made; a second ``where`` inside the first is the cure that hides nothing.

    Examples
    --------
    >>> x = ak.Variable([-1.0, 0.0, 4.0])
    >>> with np.errstate(all="ignore"), ak.GradientTape() as tape:
    ...     y = ak.where(x > 0, ak.sqrt(x), 0.0)
    >>> with np.errstate(all="ignore"), ak.zero_absorbs():
    ...     tape.gradient(y, x).numpy()
    array([0.  , 0.  , 0.25])
    """
    before = modes.absorbs
    modes.absorbs = True
    UNUSUAL.append(modes)
    try:
        yield
    finally:
        UNUSUAL.remove(modes)
        modes.absorbs = before


def absorbed(part: Any, g: Any) -> Any:
    """``part``, and 0 where ``g`` is 0."""
    from autodiff_kit.core.operation import v

    return v.select(part, 0.0, condition=array(plain(g)) != 0)


@contextmanager
def detect_anomalies() -> Iterator[None]:
    """Stop at the first nan or infinity, on the way forward or on the way back.

    Tapes that are open inside this block look at each answer as it is written down, and gradients asked inside it at
    each part that is handed on.

    Raises
    ------
    AnomalyError
        It names the operation, its place on the tape, the line of your code, the first index, and the numbers there.

    Notes
    -----
    **Cost.** One pass over each array more, and the tape holds every value. For looking, not for training.

    Examples
    --------
    >>> x = ak.Variable([1.0, 0.0])
    >>> with np.errstate(all="ignore"), ak.detect_anomalies(), ak.GradientTape() as tape:
    ...     y = ak.log(x)
    Traceback (most recent call last):
    autodiff_kit.errors.AnomalyError: log, node 0 on the tape, gave -inf at index (1,): log(0.0). ...
    """
    before = modes.anomalies
    modes.anomalies = True
    UNUSUAL.append(modes)
    _turn_pages()
    try:
        yield
    finally:
        UNUSUAL.remove(modes)
        modes.anomalies = before
        _turn_pages()


def _turn_pages() -> None:
    for record in open_records.records:
        turn_page(record)


def turn_page(record: Record) -> None:
    """Look at what is written to an open record, or stop looking."""
    if record.page is not None and not record.forward:
        record.page = _Looking(record) if modes.anomalies else record.nodes
        record.keep = record.keep or modes.anomalies


class _Looking:
    """What takes new nodes while anomalies are looked for."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def append(self, node: Node) -> None:
        """Write a node down, and look at its answer."""
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


def inspect_part(nodes: list[Node], node: Node, g: Any, to: Node, part: Any) -> None:
    """Look at what a node hands to one of its inputs on the way back."""
    bad = _first_bad(plain(part))
    if bad is not None:
        where, number = bad
        came = "; a gradient that is not finite came in" if _first_bad(plain(g)) is not None else ""
        raise AnomalyError(
            f"on the way back, {node.op.name}, node {_place_in(nodes, node)} on the tape, handed {number} at "
            f"{_index(where)} to its input {_place_in(node.inputs, to)}{came}. {_place(node)}"
        )


def _place_in(nodes: Sequence[Node | None], node: Node) -> int:
    """Which of some nodes it is; by identity, since a scalar's node is a tensor and tensors compare entry by entry."""
    return next(k for k, other in enumerate(nodes) if other is node)


def _first_bad(value: Any) -> tuple[tuple[int, ...], str] | None:
    """The first index at which a value is nan or infinite, and what stands there."""
    if value is None or type(value) is Like:
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return place, str(array[place])


def _numbers_at(node: Node, where: tuple[int, ...]) -> str:
    """The operation with its numbers, where it acts entry by entry; else which input brought it."""
    saved = node.saved or ()
    values = [np.asarray(x) for x in saved[1:] if type(x) is not Like]
    if node.op.family == "elementwise" and len(values) == len(saved) - 1:
        shape = np.shape(saved[0])
        return f": {node.op.name}({', '.join(str(np.broadcast_to(x, shape)[where]) for x in values)})"
    came = [k for k, x in enumerate(values) if _first_bad(x) is not None]
    return f", which came in with its input {came[0]}" if came else ""


def _index(where: tuple[int, ...]) -> str:
    return f"index {where}" if where else "its only entry"


def _place(node: Node) -> str:
    place = place_of(node.code, node.lasti)
    return f"{place}: {place.text}" if place.line else "Its line is not known."
