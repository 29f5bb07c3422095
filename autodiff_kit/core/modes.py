"""Modes of a thread that change how gradients are computed; all are off by default.

:func:`zero_absorbs` changes the product of 0 and infinity; :func:`autodiff_kit.detect_anomalies` sets the two checks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import ACTIVE_MODES, Record
from autodiff_kit.core.tracer import as_array

__all__ = ["modes", "set_sink", "zero_absorbs", "zero_where_zero"]


class _Modes(threading.local):
    zero_absorbs = False
    checked_sink: Callable[[Record], Any] | None = None  # receives the nodes of a record in place of its list
    check_cotangent: Callable[..., None] | None = None  # called with each cotangent of a backward pass

    def active(self) -> bool:
        """Whether the backward pass has to check the modes."""
        return self.zero_absorbs or self.check_cotangent is not None


modes = _Modes()


def set_sink(record: Record) -> None:
    """Give an open record the sink that the modes need."""
    if record.sink is not None and not record.forward:
        record.sink = record.nodes if modes.checked_sink is None else modes.checked_sink(record)


@contextmanager
def zero_absorbs() -> Iterator[None]:
    """Treat 0 times infinity, and 0 times nan, as 0 in the gradients that are computed inside this block.

    Where the incoming gradient of an elementwise operation is exactly 0, so is the outgoing one, however large the
    derivative is there. Without the block the product is nan, as in floating-point arithmetic. That is right where 0
    stands for something small, and misleading where 0 stands for "not chosen".

    Notes
    -----
    **Gradient.** To any order; in forward mode a tangent of 0 stays 0. The block also hides a nan that comes from a
    mistake, not only one from ``where``; a second ``where`` inside the first hides nothing.

    Examples
    --------
    >>> x = ak.Variable([-1.0, 0.0, 4.0])
    >>> with np.errstate(all="ignore"), ak.GradientTape() as tape:
    ...     y = ak.where(x > 0, ak.sqrt(x), 0.0)
    >>> with np.errstate(all="ignore"), ak.zero_absorbs():
    ...     tape.gradient(y, x).numpy()
    array([0.  , 0.  , 0.25])
    """
    before = modes.zero_absorbs
    modes.zero_absorbs = True
    ACTIVE_MODES.append(modes)
    try:
        yield
    finally:
        ACTIVE_MODES.remove(modes)
        modes.zero_absorbs = before


def zero_where_zero(part: Any, g: Any) -> Any:
    """``part``, with 0 where ``g`` is 0."""
    return v.select(part, 0.0, condition=as_array(unwrap(g)) != 0)
