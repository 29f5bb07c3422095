"""``ak.compile``: which recording a call is for, and what goes in and out of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np

from autodiff_kit.compile.run.fast_path import MISS, quick, runs_plainly
from autodiff_kit.compile.run.plan import Plan
from autodiff_kit.compile.trace.guards import Guard
from autodiff_kit.compile.trace.tracer import record
from autodiff_kit.core.pytree import flatten
from autodiff_kit.core.tensor import Tensor, normal
from autodiff_kit.errors import DtypeError

__all__ = ["Compiled", "compile"]

KEPT = 32
"""Recordings of one function that are kept; the one that was used longest ago makes room."""


def compile(f: Callable[..., Any]) -> Compiled:
    """A function that does what ``f`` does, faster: it is recorded once and replayed.

    Parameters
    ----------
    f : callable
        Ordinary code on tensors: a value, a gradient, a whole step of training with its optimizer.

    Returns
    -------
    Compiled
        Called like ``f``, it returns what ``f`` returns.

    Raises
    ------
    NumbersAskedError
        When a value is asked for its numbers while it is recorded (``if``, ``float()``, ``.numpy()``); the message
        says what to do instead.

    Notes
    -----
    A recording is for the shapes and dtypes of the arguments, the values of those that are no floating numbers or
    arrays, and all that ``f`` sees besides: its closure, the globals that it names, attributes of objects among them.
    If any of it changes, ``f`` is recorded anew. What ``f`` asks of the world while it runs cannot be seen: random
    numbers, files, the time. Such a function is not for compiling. Printing and appending to lists happen while
    recording only. Inside an open tape, and while another function is recorded, ``f`` simply runs.

    Give numbers and arrays that differ from call to call as arguments; arrays that are found elsewhere are compared
    with what they were at each call, unless they are constants (``ak.constant``).

    Large kernels run in two threads where this process has two cores; ``NUMBA_NUM_THREADS=1`` keeps to one.

    Examples
    --------
    >>> slope = ak.compile(ak.grad(lambda x: x**3))
    >>> float(slope(2.0)), float(slope(3.0)), slope.trace_count
    (12.0, 27.0, 1)
    """
    if not callable(f):
        raise DtypeError(f"compile takes a function, got a {type(f).__name__}")
    return Compiled(f)


class Compiled:
    """What :func:`compile` gives.

    Attributes
    ----------
    trace_count : int
        How often the function was recorded.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function
        self.trace_count = 0
        self._plans: OrderedDict[tuple[Any, ...], list[tuple[Guard, Plan]]] = OrderedDict()
        self._keys = [None]  # whoever takes the one key may compute: another thread may not, nor what is computed
        self._fast: Callable[[Any], Any] = _nowhere

    @property
    def plan(self) -> Plan | None:
        """The plan that ran last, to be printed; None before the first call."""
        return next(reversed(self._plans.values()))[0][1] if self._plans else None

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """As a method: the object comes first."""
        return self if owner is None else Bound(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - what the class is for
        if not kwargs:
            answer = self._fast(args)
            if answer is not MISS:
                return answer
        if runs_plainly():
            return self.function(*args, **kwargs)
        try:
            key = self._keys.pop()
        except IndexError:
            return self.function(*args, **kwargs)
        try:
            return self._run(tuple(map(_listed, args)), kwargs)
        finally:
            self._keys.append(key)

    def _run(self, args: Any, kwargs: Any) -> Any:
        given: list[Any] = []
        held: list[Any] = []
        key = (_key(args, given, held), _key(kwargs, given, held))
        plans = self._plans.get(key)
        if plans is None:
            plans = self._plans[key] = []
        found = next((kept for kept in plans if kept[0].holds()), None)
        if found is None:
            found = self._record(args, kwargs, held)
            plans.append(found)
        guard, plan = found
        if plans[0][1] is not plan:
            plans.remove((guard, plan))
            plans.insert(0, (guard, plan))
            del plans[KEPT // 4 :]
        self._plans.move_to_end(key)
        while len(self._plans) > KEPT:
            self._plans.popitem(last=False)
        if plan.fast is not None and not kwargs:
            plan.short = plan.short or quick(args, key[0], guard, plan.fast, self._keys) or _nowhere
            self._fast = plan.short
        return plan([_numbers(x) for x in given])

    def _record(self, args: Any, kwargs: Any, held: list[Any]) -> tuple[Guard, Plan]:
        guard = Guard([self.function, *held])
        recording = record(self.function, args, kwargs, guard.optimizers)
        self.trace_count += 1
        return guard, Plan(recording)


class Bound:
    """A compiled function as the method of an object."""

    def __init__(self, compiled: Compiled, owner: Any) -> None:
        self.compiled, self.owner, self.function = compiled, owner, (compiled.function, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.compiled(self.owner, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.compiled, name)


def _nowhere(args: Any) -> Any:
    """The short way before there is one."""
    return MISS


def _listed(nest: Any) -> Any:
    """A list of numbers is an array, as it is to every operation."""
    leaves = flatten(nest) if type(nest) is list else []
    numbers = leaves and all(type(x) in (float, int) for x in leaves) and any(type(x) is float for x in leaves)
    return normal(nest) if numbers else nest


def _numbers(given: Any) -> Any:
    return given._value if type(given) is Tensor else given


def _key(nest: Any, given: list[Any], held: list[Any]) -> Any:
    """What a recording is for: kinds and shapes of what is given, values of everything else."""
    kind = type(nest)
    if kind is Tensor:
        value = nest._value
        twin = next((k for k, other in enumerate(given) if other is nest), -1)
        given.append(nest)
        return ("tensor", twin) if type(value) is float else ("tensor", twin, value.shape, value.dtype)
    if kind is float:
        given.append(nest)
        return kind
    if kind is np.ndarray or isinstance(nest, np.generic):
        given.append(nest)
        return (kind, nest.shape, nest.dtype)
    if isinstance(nest, (list, tuple)):
        return (kind, *(_key(x, given, held) for x in nest))
    if isinstance(nest, dict):
        return (kind, *((k, _key(x, given, held)) for k, x in nest.items()))
    if kind in (int, bool, str, bytes, type(None)):
        return (kind, nest)
    held.append(nest)
    return ("object", id(nest))
