"""The fast path into a plan: one generated function checks the arguments and the guard, and runs the plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.record import ACTIVE_MODES, open_records
from autodiff_kit.core.tensor import Tensor

if TYPE_CHECKING:
    from autodiff_kit.compile.trace.guards import TraceGuard

__all__ = ["FAST_PATH_MISS", "make_fast_path", "must_run_eagerly"]

FAST_PATH_MISS: Any = object()
"""Returned by the fast path if the call needs the general path."""


class _NoFastPathError(Exception):
    """An argument of a kind that the fast path does not handle."""


def must_run_eagerly() -> bool:
    """Whether a tape, a trace or a gradient override needs to see each operation."""
    return bool(open_records.records or ACTIVE_MODES)


def make_fast_path(
    args: tuple[Any, ...], key: Any, guard: TraceGuard, plan: Any, lock_tokens: list[Any]
) -> Callable[[tuple[Any, ...]], Any] | None:
    """Generate a function of the arguments that runs the plan or returns FAST_PATH_MISS; None for complex arguments.

    ``lock_tokens`` holds one token: the thread that removes it may run, and puts it back. Another thread, or a nested
    call, misses.
    """
    env: dict[str, Any] = plan.env
    env |= guard.env | {
        "thread_state": open_records, "UNUSUAL": ACTIVE_MODES, "FAST_PATH_MISS": FAST_PATH_MISS,
        "Tensor": Tensor, "acquire": lock_tokens.pop, "release": lock_tokens.append,
    }  # fmt: skip
    checks = _ArgumentChecks(plan, env)
    try:
        checks.check("args", args, key)
    except _NoFastPathError:
        return None
    text = (
        "def fast(args):\n    if UNUSUAL or thread_state.records: return FAST_PATH_MISS\n"
        "    try: token = acquire()\n    except IndexError: return FAST_PATH_MISS\n    try:\n"
        + "".join(f"        {line}\n" for line in [*checks.lines, *checks.distinct_tensors()])
        + f"        try:\n            if not ({guard.condition}): return FAST_PATH_MISS\n"
        + "        except (KeyError, NameError): return FAST_PATH_MISS\n"
        + "".join(f"        {line}\n" for line in plan.lines)
        + "    finally: release(token)\n"
    )
    fast: Callable[[Any], Any] = guard.make_function(text, "fast", env)
    return fast


class _ArgumentChecks:
    """Generates the lines that check the arguments against those that were traced, and bind them for the plan."""

    def __init__(self, plan: Any, env: dict[str, Any]) -> None:
        self.plan, self.env = plan, env
        self.lines: list[str] = []
        self.input_count = 0  # numeric leaves so far
        self.tensors: list[str] = []

    def check(self, name: str, arg: Any, part: Any) -> None:
        """Generate the checks of a value with this name, given its part of the cache key."""
        kind = type(arg)
        if kind is Tensor:
            if part[1] >= 0:  # the same tensor as one before
                raise _NoFastPathError
            self.tensors.append(name)
            self._miss_if(f"type({name}) is not Tensor")
            self.lines.append(f"value_{name} = {name}._value")
            self._check_number(f"value_{name}", arg._value)
        elif kind is float or kind is np.ndarray or isinstance(arg, np.generic):
            self._check_number(name, arg)
        elif kind in (tuple, list, dict):
            self._check_container(name, arg, part)
        elif isinstance(arg, (tuple, list, dict)):
            raise _NoFastPathError
        else:
            self.env[f"expected_{name}"] = arg
            self._miss_if(f"{name} is not expected_{name}")

    def distinct_tensors(self) -> list[str]:
        """The check that no tensor is passed twice, which needs another trace."""
        if len(self.tensors) < 2:
            return []
        ids = ", ".join(f"id({name})" for name in self.tensors)
        return [f"if len({{{ids}}}) != {len(self.tensors)}: return FAST_PATH_MISS"]

    def _miss_if(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return FAST_PATH_MISS")

    def _check_number(self, name: str, value: Any) -> None:
        self.env[f"type_{name}"] = type(value)
        self._miss_if(f"type({name}) is not type_{name}")
        if type(value) is np.ndarray:
            self.env[f"dtype_{name}"] = value.dtype
            self._miss_if(f"{name}.shape != {value.shape} or {name}.dtype != dtype_{name}")
        self.lines += self.plan.argument_input_lines(self.input_count, name)
        self.input_count += 1

    def _check_container(self, name: str, nest: Any, part: Any) -> None:
        self._miss_if(f"type({name}) is not {type(nest).__name__} or len({name}) != {len(nest)}")
        items, parts, values = nest, part[1:], name
        if type(nest) is dict:
            self.env[f"expected_{name}"] = list(nest)
            self._miss_if(f"[*{name}] != expected_{name}")
            items, parts, values = nest.values(), [p for _, p in part[1:]], f"{name}.values()"
        inner = [f"{name}_{k}" for k in range(len(nest))]
        if inner:
            self.lines.append(f"{', '.join(inner)}, = {values}")
        for child, item, p in zip(inner, items, parts, strict=True):
            self.check(child, item, p)
