"""The short way into a plan: everything that must hold for it, checked in one function made for it.

A tensor that was given last time too is known by its array, which is remembered weakly; only for another one are type,
shape, dtype and strides looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.trace.guards import Guard
from autodiff_kit.core.record import UNUSUAL, open_records
from autodiff_kit.core.tensor import Tensor

__all__ = ["MISS", "quick", "runs_plainly"]

MISS: Any = object()
"""What the short way returns where it is not the way."""


class _NotPlainError(Exception):
    """An argument of a kind that has no short way."""


def runs_plainly() -> bool:
    """Whether somebody wants to see the operations: an open tape, a recording, a block that changes rules."""
    return bool(open_records.records or UNUSUAL)


def quick(
    args: tuple[Any, ...], key: Any, guard: Guard, plan: Any, keys: list[Any]
) -> Callable[[tuple[Any, ...]], Any] | None:
    """A function of the arguments that runs the plan, or gives MISS; None where the arguments are not plain enough.

    Whoever takes the one entry of ``keys`` may compute, and puts it back.
    """
    env: dict[str, Any] = plan.env
    env |= guard.env | {
        "here": open_records, "UNUSUAL": UNUSUAL, "MISS": MISS, "Tensor": Tensor, "ndarray": np.ndarray,
        "take_key": keys.pop, "give_back": keys.append,
    }  # fmt: skip
    entry = _Entry(plan, env)
    try:
        names = [entry.read(f"q{k}", arg, part) for k, (arg, part) in enumerate(zip(args, key[1:], strict=True))]
    except _NotPlainError:
        return None
    unpacked = [f"{', '.join(names)}, = args"] if names else []
    lines = [*unpacked, *entry.lines, *entry.twins()]
    text = (
        f"def fast(args):\n    if UNUSUAL or here.records or len(args) != {len(args)}: return MISS\n"
        "    try: key = take_key()\n    except IndexError: return MISS\n    try:\n"
        + "".join(f"        {line}\n" for line in lines)
        + f"        try:\n            if not ({guard.text}): return MISS\n"
        + "        except (KeyError, NameError): return MISS\n"
        + "".join(f"        {line}\n" for line in plan.lines)
        + "    finally: give_back(key)\n"
    )
    fast: Callable[[Any], Any] = guard.closed(text, "fast", env)
    return fast


class _Entry:
    """Lines that see whether arguments are as they were recorded, and hand them to the plan."""

    def __init__(self, plan: Any, env: dict[str, Any]) -> None:
        self.plan, self.env = plan, env
        self.lines: list[str] = []
        self.given = 0  # so many numbers and arrays came before
        self.tensors: list[str] = []

    def read(self, name: str, arg: Any, part: Any) -> str:
        """Look at one argument, which is recorded as ``part`` says."""
        kind = type(arg)
        if kind is Tensor:
            self._tensor(name, arg, part)
        elif kind is float or kind is np.ndarray or isinstance(arg, np.generic):
            self._value(name, arg)
        elif kind in (tuple, list, dict):
            self._nest(name, arg, part)
        elif isinstance(arg, (tuple, list, dict)):
            raise _NotPlainError
        else:
            self.env[f"K{name}"] = arg
            self.lines.append(f"if {name} is not K{name}: return MISS")
        return name

    def twins(self) -> list[str]:
        """One tensor that is given twice is another recording."""
        if len(self.tensors) < 2:
            return []
        ids = ", ".join(f"id({name})" for name in self.tensors)
        return [f"if len({{{ids}}}) != {len(self.tensors)}: return MISS"]

    def _tensor(self, name: str, tensor: Tensor, part: Any) -> None:
        if part[1] >= 0:
            raise _NotPlainError
        self.lines.append(f"if type({name}) is not Tensor: return MISS")
        self.tensors.append(name)
        value, place = tensor._value, self.given
        if type(value) is not np.ndarray or not value.flags.carray or f"seen{place}" not in self.env:
            self.lines.append(f"x{name} = {name}._value")
            self._value(f"x{name}", value)
            return
        self.given += 1
        self.env[f"D{name}"] = value.dtype
        checks = f"a{place}.shape != {value.shape} or a{place}.dtype != D{name} or a{place}.strides != {value.strides}"
        self.lines += [
            f"a{place} = {name}._value",
            f"if seen{place}() is not a{place}:",  # its array does not change, nor does its shape
            f"    if type(a{place}) is not ndarray or {checks}: return MISS",
            f"    take{place}(a{place})",
        ]

    def _value(self, name: str, value: Any) -> None:
        self.env[f"D{name}"] = type(value)
        checks = f"type({name}) is not D{name}"
        if type(value) is np.ndarray:
            self.env[f"E{name}"] = value.dtype
            checks += f" or {name}.shape != {value.shape} or {name}.dtype != E{name}"
        self.lines += [f"if {checks}: return MISS", *self.plan.take(self.given, name)]
        self.given += 1

    def _nest(self, name: str, nest: Any, part: Any) -> None:
        kind = type(nest)
        inner = [f"{name}_{k}" for k in range(len(nest))]
        self.lines.append(f"if type({name}) is not {kind.__name__} or len({name}) != {len(nest)}: return MISS")
        if kind is dict:
            self.env[f"K{name}"] = list(nest)
            self.lines.append(f"if [*{name}] != K{name}: return MISS")
        if inner:
            self.lines.append(f"{', '.join(inner)}, = {name}{'.values()' if kind is dict else ''}")
        items, parts = (nest.values(), [p for _, p in part[1:]]) if kind is dict else (nest, part[1:])
        for child, item, p in zip(inner, items, parts, strict=True):
            self.read(child, item, p)
