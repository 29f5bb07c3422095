"""Tracers: values that flow through operations and derivative rules in place of numbers.

``ak.compile`` runs a function on symbolic arrays, which have a shape and a dtype but no numbers yet. A Hessian-vector
product runs the reverse rules on dual numbers, which carry a tangent. The engine knows neither kind, only three rules:

* a tracer carries out every operation that has it as an input: ``tracer.apply(op, values, params)``;
* Python that needs the numbers of a symbolic value raises a :class:`~autodiff_kit.errors.ConcretizationError`, and its
  call is recorded instead: ``error.trace.call(function, args, params)``;
* a decorator marks a function that works on numbers: :func:`opaque` if its result is needed, so that its call is
  recorded; :func:`concrete_only` if it does nothing without numbers.

Operations state their needs by these decorators, and never ask whether a value is symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from autodiff_kit.core.record import Node, open_records
from autodiff_kit.errors import ConcretizationError

__all__ = [
    "SymbolicValue",
    "Tracer",
    "as_array",
    "as_own",
    "call_traced",
    "concrete_only",
    "highest_tracer",
    "opaque",
    "suspend_tracing",
]


class Tracer:
    """A value that replaces numbers inside operations and rules."""

    __slots__ = ()
    level = 0  # of two kinds, the higher one carries out the operation: dual numbers may hold symbolic arrays

    def apply(self, op: Any, values: Sequence[Any], params: dict[str, Any]) -> Any:
        """The output of an operation on ``values``, one of which is this tracer."""
        raise NotImplementedError


class SymbolicValue(Tracer):
    """A tracer without numbers: NumPy's functions accept it and record themselves.

    Attributes
    ----------
    tracer : object
        The trace to which it belongs: ``tracer.call(function, args, kwargs)`` records a call as a whole.
    as_value : callable
        The value as one of the kit; a symbolic Python number gets a dtype.
    astype : callable
        The value in another dtype, as in NumPy.
    """

    __slots__ = ()
    tracer: Any
    as_value: Callable[[], Any]
    alias: Callable[[], Any]  # the same value, as another object where the object notes what computed it
    astype: Callable[..., Any]

    def apply(self, op: Any, values: Sequence[Any], params: dict[str, Any]) -> Any:
        """Record NumPy's functions in the operation; an operation that needs the numbers is recorded as one call."""
        return call_traced(op.value, values, params, op)

    def check_assignment(self, variable: Any) -> None:
        """Raise an error where the variable cannot hold the value."""

    def take_hook(self, _hook: Callable[[Any], Any], records: tuple[Any, ...]) -> tuple[Any, ...]:
        """The records of the value for which a hook is still to be registered."""
        return records


def highest_tracer(values: Sequence[Any]) -> Tracer | None:
    """The tracer among ``values`` that carries out an operation on them."""
    return max((x for x in values if isinstance(x, Tracer)), key=lambda x: x.level, default=None)


def call_traced(function: Any, args: Sequence[Any], params: dict[str, Any], what: Any = None) -> Any:
    """``function(*args, **params)``; if it needs numbers that do not exist yet, a recorded call of ``what``."""
    try:
        return function(*args, **params)
    except ConcretizationError as error:
        flat = (*args[0], *args) if type(args[0]) is tuple else args
        if error.trace is None or any(isinstance(x, Node) for x in flat):  # one call would lose their derivatives
            raise
        return error.trace.call(function if what is None else what, tuple(args), params)


def as_own(tensor: Any) -> Any:
    """In the body of a loop that is traced, the body's tensor for one that a tape outside follows; else ``tensor``."""
    return tensor if open_records.trace is None else open_records.trace.as_own(tensor)


def as_array(value: Any, dtype: Any = None) -> Any:
    """``np.asarray`` for rules; a symbolic value stays symbolic."""
    if isinstance(value, SymbolicValue):
        return value if dtype is None else value.astype(dtype, copy=False)
    return np.asarray(value, dtype)


def opaque(function: Callable[..., Any], every_call: bool = False) -> Callable[..., Any]:
    """Decorator of a function that needs numbers: if an argument is symbolic, ``ak.compile`` records its call.

    ``every_call`` records the call for plain arguments too, for functions with a new result at each call, such as a
    random draw.
    """

    @wraps(function)
    def call(*args: Any) -> Any:
        trace = _trace_of(args) or (open_records.trace if every_call else None)
        return function(*args) if trace is None else trace.call(function, args, {})

    function.opaque = call  # type: ignore[attr-defined]  # for a tracer whose call meets another one
    function.every_call = every_call  # type: ignore[attr-defined]
    return call


def concrete_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function that does nothing without numbers, such as a check: None for symbolic arguments."""
    return wraps(function)(lambda *args: function(*args) if _trace_of(args) is None else None)


def _trace_of(args: Sequence[Any]) -> Any:
    for x in args:
        if isinstance(x, SymbolicValue):
            return x.tracer
    return None


@contextmanager
def suspend_tracing() -> Iterator[None]:
    """Compute with concrete values while a function is being traced."""
    tracer, open_records.trace = open_records.trace, None
    try:
        yield
    finally:
        open_records.trace = tracer
