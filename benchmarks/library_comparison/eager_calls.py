"""The limit of an eager step: what it computes, again without a tape.

NumPy's functions and the kit's loops are called in their order, on the same arrays, by a loop over a list of calls.
No tape around these functions can be faster than that; what another library needs less is in its functions. Updates
move the variables at each call, as the steps themselves do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core import backward, fast_backward
from autodiff_kit.core.operation import OPS
from autodiff_kit.optim.optimizer import Optimizer
from benchmarks.library_comparison.systems import System, Systems, limit

__all__ = ["CALLS", "calls_alone"]

CALLS = "limit: the eager step's calls alone"
MOST_BYTES = 1 << 29
"""Of results that are kept as arguments of later calls; steps with more are left out."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def calls_alone(system: System) -> Systems:
    """The calls of an eager step as a limit; nothing where their arrays would take too much memory."""
    system.run()  # what operations find out at their first call
    if system.restart is not None:
        system.restart()
    noted = _Notes()
    with noted.everywhere():
        system.run()
    calls = noted.calls
    if noted.bytes > MOST_BYTES:
        return {}

    def run() -> None:
        for function, args, params in calls:
            function(*args, **params)

    return {CALLS: limit(run)}


class _Notes:
    """The outermost calls of values, rules, sums of cotangents, updates, and loops of optimizers."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.bytes = 0
        self._inside = False

    def noting(self, function: Any) -> Any:
        """The function, whose calls are noted; a call inside of another one is a part of that."""
        if function is None:
            return None

        def call(*args: Any, **params: Any) -> Any:
            if self._inside:
                return function(*args, **params)
            self._inside = True
            try:
                result = function(*args, **params)
            finally:
                self._inside = False
            self.calls.append((function, args, params))
            self.bytes += getattr(result, "nbytes", 0)
            return result

        return call

    def _unbroadcast(self, g: Any, spec: Any, lead: int = 0) -> Any:
        result = _unbroadcast(g, spec, lead)
        if result is not g and not self._inside:
            self.calls.append((_unbroadcast, (g, spec, lead), {}))
        return result

    def _sum_with(self, part: Any, node: Any, own: Any) -> Any:
        before = node.cotangent
        total = _sum_with(part, node, own)
        if self._inside:
            return total
        if callable(part):
            self.calls.append((part, (total,), {}))
        elif before is not None:
            in_place = total is before
            self.calls.append((np.add, (before, part, total), {}) if in_place else (operator.add, (before, part), {}))
        return total

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Note the calls of a step inside this block."""
        with ExitStack() as stack:
            for op in OPS.values():
                first, second, has_parameters = op.fast_rules
                changed = {
                    "value": self.noting(op.value),
                    "fast_rules": (self.noting(first), self.noting(second), has_parameters),
                    "vjps": op.vjps and tuple(map(self.noting, op.vjps)),
                    "vjp_all": self.noting(op.vjp_all),
                }
                for name, new in changed.items():
                    stack.enter_context(patch.object(op, name, new))
            for module in (backward, fast_backward):
                stack.enter_context(patch.object(module, "unbroadcast", self._unbroadcast))
                stack.enter_context(patch.object(module, "sum_with", self._sum_with))
            loop = kernels.compiled_loop
            stack.enter_context(patch.object(kernels, "compiled_loop", lambda name: self.noting(loop(name))))
            for kind in _kinds(Optimizer):
                if "_update" in vars(kind):
                    update = self.noting(kind._update)
                    stack.enter_context(patch.object(kind, "_update", lambda *args, update=update: update(*args)))
            yield


_unbroadcast, _sum_with = fast_backward.unbroadcast, fast_backward.sum_with


def _kinds(base: type) -> Iterator[type]:
    yield base
    for kind in base.__subclasses__():
        yield from _kinds(kind)
