"""Variables while a function is traced: their readings and assignments go to the tracer."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.compile.trace.input_sources import AttributeSource
from autodiff_kit.core.record import ACTIVE_MODES, open_records
from autodiff_kit.core.variable import Variable
from autodiff_kit.optim.optimizer import TURN

__all__ = ["traced_learning_rates", "tracing"]


class _TracedVariableValue:
    """Replaces the slot ``Variable._value`` during tracing: reads and assignments go to the tracer."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, variable: Any, owner: Any = None) -> Any:
        tracer = open_records.trace
        if tracer is None or variable is None:
            return self.slot.__get__(variable, owner)
        return tracer.read_variable(variable, lambda: self.slot.__get__(variable, owner))

    def __set__(self, variable: Any, value: Any) -> None:
        tracer = open_records.trace
        if tracer is None or tracer.assign_variable(variable, value, not self._is_initialised(variable)):
            self.slot.__set__(variable, value)

    def _is_initialised(self, variable: Any) -> bool:
        try:
            self.slot.__get__(variable)
        except AttributeError:
            return False
        return True


_VALUE_SLOT: Any = Variable.__dict__["_value"]
_lock = threading.Lock()
_running = 0


@contextmanager
def tracing(tracer: Any) -> Iterator[None]:
    """A block in which operations on symbolic values, and readings of variables, go to a tracer."""
    global _running
    with _lock:
        _running += 1
        if _running == 1:
            setattr(Variable, "_value", _TracedVariableValue(_VALUE_SLOT))  # noqa: B010 - the slot itself
    open_records.trace = tracer
    ACTIVE_MODES.append(tracer)
    try:
        yield
    finally:
        ACTIVE_MODES.remove(tracer)
        open_records.trace = None
        tracer.closed = True
        with _lock:
            _running -= 1
            if not _running:
                setattr(Variable, "_value", _VALUE_SLOT)  # noqa: B010


@contextmanager
def traced_learning_rates(tracer: Any, optimizers: Iterable[Any]) -> Iterator[None]:
    """A block in which the learning rates of optimizers are inputs of the trace; no other thread steps meanwhile."""
    with TURN:
        before = [(vars(o), o.learning_rate) for o in optimizers]
        try:
            for (own, rate), optimizer in zip(before, optimizers, strict=True):
                own["learning_rate"] = tracer.add_input(AttributeSource(optimizer, "learning_rate"), rate)
            yield
        finally:
            for own, rate in before:
                own["learning_rate"] = rate
