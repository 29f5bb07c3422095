"""The public ``compile`` decorator: a cache of execution plans for each compiled function."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical, check_real_numbers
from autodiff_kit.core.record import ACTIVE_MODES, open_records
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import DtypeError
from autodiff_kit.pytree import flatten

if TYPE_CHECKING:
    from autodiff_kit.compile.run.execution_plan import ExecutionPlan
    from autodiff_kit.compile.trace.guards import TraceGuard

__all__ = ["Compiled", "compile", "must_run_eagerly"]

MAX_PLANS = 32
"""Number of cache keys with plans that are kept for one function; the least recently used is evicted."""


def compile(f: Callable[..., Any]) -> Compiled:
    """Compile a function: it is traced once for each shape and dtype, and then runs as fused kernels.

    Parameters
    ----------
    f : callable
        Ordinary code on tensors: a value, a gradient, or a whole training step with its optimizer.

    Returns
    -------
    Compiled
        Called like ``f``; it returns the result of ``f``.

    Raises
    ------
    ConcretizationError
        If tracing needs a concrete value (``if``, ``float()``, ``.numpy()``), or ``f`` does what would happen only once
        (see Notes); the message says what to do instead.

    Notes
    -----
    A trace is valid for the shapes and dtypes of arrays and floats among the arguments, the values of other arguments
    (integers, booleans, strings), and everything else that ``f`` depends on: its closure, its globals, and attributes
    of objects among these. If any of it changes, ``f`` is traced again. A function that draws random numbers while it
    is traced, reads a clock, or refers to an iterator is refused, since each call would repeat what it got. What it
    reads in other ways, such as files, is not noticed. Side effects such as printing or appending to a list happen only
    during tracing. Variables that ``f`` changes, and optimizers that keep state (Adam, momentum), are made outside.
    If a compiled call raises, variables and optimizers keep their values.

    LLVM compiles the kernels in the background, where the extra ``[lab]`` is installed; until they are ready, calls run
    the traced operations in NumPy.
    Inside an open tape ``f`` runs eagerly, because the tape has to record its operations: put the tape inside ``f``.
    While another function is traced, ``f`` becomes a part of that trace.

    Large kernels and loops run without Python's lock, so other threads go on. Ctrl-C ends a call between kernels, or
    after some steps of a loop; a single kernel, and what follows after a variable was written in place, run to their
    end.

    While one thread runs a compiled function, calls of it in other threads run ``f`` eagerly. A plan reads variables at
    its start and writes them at its end, so changes that other threads make in between are lost. If threads share
    variables that ``f`` changes, hold a lock of your own around each call.

    Pass numbers and arrays that change from call to call as arguments. Arrays that ``f`` finds elsewhere are compared
    with their former values at each call, unless they are constants (``ak.constant``).

    Examples
    --------
    >>> slope = ak.compile(ak.grad(lambda x: x**3))
    >>> float(slope(2.0)), float(slope(3.0)), slope.trace_count
    (12.0, 27.0, 1)

    An integer is a part of the program, so another one is traced again:

    >>> power = ak.compile(lambda x, n: x**n)
    >>> float(power(3.0, 2)), float(power(3.0, 3)), power.trace_count
    (9.0, 27.0, 2)
    """
    if not callable(f):
        raise DtypeError(f"compile takes a function, got a {type(f).__name__}")
    return Compiled(f)


class Compiled:
    """A compiled function, as :func:`compile` returns it.

    Attributes
    ----------
    trace_count : int
        How often the function was traced.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function
        self.trace_count = 0
        self._plans: dict[Any, list[tuple[TraceGuard, ExecutionPlan]]] = {}
        self._lock = threading.Lock()  # held while the function runs or is traced

    @property
    def plan(self) -> ExecutionPlan | None:
        """The plan that ran last, which can be printed; None before the first call."""
        return next((plans[0][1] for plans in reversed(self._plans.values()) if plans), None)

    def __reduce__(self) -> Any:
        """Copies and pickles: the function without its plans, which are bound to the objects that it used."""
        return Compiled, (self.function,)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """Bind the function to an object when it is used as a method."""
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - described by the class
        if must_run_eagerly() or not self._lock.acquire(blocking=False):
            return self.function(*args, **kwargs)
        try:
            return self._run(tuple(map(_list_to_array, args)) if list in map(type, args) else args, kwargs)
        finally:
            self._lock.release()

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves = _Leaves()
        key = _cache_key(args, leaves)
        if kwargs:
            key = (key, _cache_key(kwargs, leaves))
        ids = list(map(id, leaves.tensors))
        if len(set(ids)) < len(ids):  # a tensor that is passed twice is one source
            key = (key, *map(ids.index, ids))
        plans = self._plans.pop(key, None) or []
        for found in plans:
            if found[0].holds():
                break
        else:
            # The tracer and the passes are imported with the first function that is compiled.
            from autodiff_kit.compile.trace.guards import TraceGuard

            guard = TraceGuard([self.function, *leaves.objects])
            found = guard, self._trace(args, kwargs, guard)
            plans.append(found)
        if plans[0] is not found:
            plans.remove(found)
            plans.insert(0, found)
            del plans[MAX_PLANS // 4 :]
        self._plans[key] = plans  # the last one is the one that ran last
        if len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        return found[1].run(leaves.numbers)

    def _trace(self, args: Any, kwargs: Any, guard: TraceGuard) -> ExecutionPlan:
        from autodiff_kit.compile.run.execution_plan import ExecutionPlan
        from autodiff_kit.compile.trace.hidden_state import RandomStates
        from autodiff_kit.compile.trace.tracer import trace_function

        random_states = RandomStates(guard.generators)
        trace = trace_function(self.function, args, kwargs, guard.optimizers)
        random_states.require_unchanged()
        guard.compile_checks(trace.equal_slots)
        self.trace_count += 1
        return ExecutionPlan(trace)


def must_run_eagerly() -> bool:
    """Whether a tape, a trace or a gradient override needs to see each operation."""
    return bool(open_records.records or ACTIVE_MODES)


def _list_to_array(nest: Any) -> Any:
    """Convert a list of numbers to an array, as every operation does."""
    leaves = flatten(nest) if type(nest) is list else []
    numbers = leaves and all(type(x) in (float, int) for x in leaves) and any(type(x) is float for x in leaves)
    return canonical(nest) if numbers else nest


class _Leaves:
    """The leaves of nested arguments: tensors, the numbers and arrays that a plan takes, and all other objects."""

    __slots__ = ("numbers", "objects", "tensors")

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.numbers: list[Any] = []
        self.objects: list[Any] = []


def _cache_key(nest: Any, leaves: _Leaves) -> Any:
    """The cache key of nested arguments: types and shapes of numeric leaves, values of all other leaves."""
    kind = type(nest)
    if kind is Tensor:
        value = nest._value
        leaves.tensors.append(nest)
        leaves.numbers.append(value)
        return kind if type(value) is float else (kind, value.shape, value.dtype)
    if kind is float:
        leaves.numbers.append(nest)
        return kind
    if kind is np.ndarray or isinstance(nest, np.generic):
        check_real_numbers(nest.dtype, f"an argument of dtype {nest.dtype}")
        if not nest.dtype.isnative:
            raise DtypeError(f"an argument has the byte order of another machine ({nest.dtype}); pass ak.constant(x).")
        leaves.numbers.append(nest)
        return (kind, nest.shape, nest.dtype)
    if isinstance(nest, (list, tuple)):
        return (kind, *[_cache_key(x, leaves) for x in nest])
    if isinstance(nest, dict):
        return (kind, *[(k, _cache_key(x, leaves)) for k, x in nest.items()])
    if kind in (int, bool, str, bytes, type(None)):
        return (kind, nest)
    if kind is complex:
        check_real_numbers(np.dtype(complex), "an argument")
    leaves.objects.append(nest)
    return ("object", id(nest))
