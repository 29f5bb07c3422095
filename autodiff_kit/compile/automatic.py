"""Functions that the kit compiles by itself: only those whose own code does nothing but compute.

``ak.compile`` would print once in place of every time, and would repeat a random draw. A function that nobody asked to
compile must go on doing such things, so one ordinary run of it is watched first.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.api import Compiled, must_run_eagerly
from autodiff_kit.core.source_location import is_kit_file
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ConcretizationError
from autodiff_kit.transforms.automatic_compilation import register

if TYPE_CHECKING:
    from autodiff_kit.compile.run.execution_plan import ExecutionPlan
    from autodiff_kit.compile.trace.guards import TraceGuard

__all__ = ["run_and_compile"]


def run_and_compile(run: Callable[[], Any], *functions: Callable[[], Any]) -> tuple[Any, tuple[Compiled, ...] | None]:
    """The result of ``run()``; and the functions compiled, or None if its own code does more than compute."""
    if sys.getprofile() is not None or must_run_eagerly():
        return run(), None
    from autodiff_kit.compile.trace.hidden_state import RandomStates  # here, because a first gradient does not need it

    watch, states = _EffectWatch(), RandomStates([])
    sys.setprofile(watch)
    try:
        result = run()
    finally:
        sys.setprofile(None)
    only_computes = not watch.found and states.advanced() is None
    return result, tuple(map(_CompiledToNumPy, functions)) if only_computes else None


register(run_and_compile)


class _CompiledToNumPy(Compiled):
    """A compiled function that stays NumPy calls: no kernels, whose last digits would depend on when they are ready."""

    def _trace(self, args: Any, kwargs: Any, guard: TraceGuard) -> ExecutionPlan:
        if guard.generators:  # before it is traced, which would advance them
            raise ConcretizationError("this function may draw random numbers, so it is not compiled by itself")
        plan = super()._trace(args, kwargs, guard)
        plan.run = plan.run_numpy
        return plan


class _EffectWatch:
    """A profile function that notices what else the user's code does: calls and assignments seen from outside."""

    def __init__(self) -> None:
        self.found = False

    def __call__(self, frame: types.FrameType, event: str, called: Any) -> None:
        """Called by Python when a function starts, or calls a built-in one."""
        code = frame.f_code
        if code is _ASSIGNMENT:
            self.found = True
        if self.found or _is_library_file(code.co_filename):
            return
        self.found = (event == "call" and _assigns_outside(code)) or (event == "c_call" and not _is_pure(called))


_ASSIGNMENT = Variable._set.__code__
_NUMPY = os.path.dirname(np.__file__)  # noqa: PTH120 - pathlib is slow to import


@functools.cache
def _is_library_file(name: str) -> bool:
    return is_kit_file(name) or name.startswith(_NUMPY)


@functools.cache
def _assigns_outside(code: types.CodeType) -> bool:
    """Whether a function assigns to anything but its local variables."""
    import dis  # takes milliseconds, which a first gradient does not need

    return any(
        step.opname.startswith(("STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "DELETE_", "IMPORT_"))
        or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars)
        for step in dis.get_instructions(code)
    )


_PURE_BUILTINS = frozenset((
    "abs", "all", "any", "callable", "chr", "divmod", "getattr", "hasattr", "isinstance", "issubclass", "len", "max",
    "min", "ord", "pow", "repr", "round", "sorted", "sum",
))  # fmt: skip
_PURE_MODULES = ("math", "numpy", "_operator")
_VALUE_TYPES = (str, bytes, int, float, complex, tuple, frozenset, range, type)
_READING_METHODS = frozenset(("index", "count", "copy", "get", "items", "keys", "values"))


def _is_pure(called: Any) -> bool:
    """Whether a built-in function only computes; unknown ones are taken for others."""
    owner = getattr(called, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        module = str(getattr(called, "__module__", ""))
        return called.__name__ in _PURE_BUILTINS if module == "builtins" else module.startswith(_PURE_MODULES)
    if isinstance(owner, (list, dict)):
        return called.__name__ in _READING_METHODS
    return isinstance(owner, _VALUE_TYPES)
