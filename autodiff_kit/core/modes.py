"""Modes of a thread that change how gradients are computed; all are off by default.

:func:`autodiff_kit.zero_absorbs` changes the product of 0 and infinity; :func:`autodiff_kit.detect_anomalies` sets the
two checks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import Record
from autodiff_kit.core.tracer import as_array
from autodiff_kit.platform import PLAIN

__all__ = ["each_cotangent_to", "modes", "set_sink", "zero_where_zero"]


class _Modes(threading.local):
    zero_absorbs = False
    checked_sink: Callable[[Record], Any] | None = None  # receives the nodes of a record in place of its list
    check_cotangent: Callable[..., None] | None = None  # called with each cotangent of a backward pass

    def active(self) -> bool:
        """Whether the backward pass has to check the modes, or is read in a debugger; a fast pass does neither."""
        return self.zero_absorbs or self.check_cotangent is not None or PLAIN


modes = _Modes()


@contextmanager
def each_cotangent_to(check: Callable[..., None]) -> Iterator[None]:
    """A block in which a backward pass calls ``check(nodes, node, g, input, part)`` for each part of a cotangent."""
    before, modes.check_cotangent = modes.check_cotangent, check
    try:
        yield
    finally:
        modes.check_cotangent = before


def set_sink(record: Record) -> None:
    """Give an open record the sink that the modes need."""
    if record.sink is record.nodes or getattr(record.sink, "record", None) is record:  # not where a vmap took its place
        record.sink = record.nodes if modes.checked_sink is None else modes.checked_sink(record)


def zero_where_zero(part: Any, g: Any) -> Any:
    """``part``, with 0 where ``g`` is 0."""
    return v.select(part, 0.0, condition=as_array(unwrap(g)) != 0)
