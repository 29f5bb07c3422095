"""Argument checks: the error says what was expected and what was given."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.errors import ArgumentError, ConcretizationError, DtypeError, StructureError

__all__ = ["check_callable", "check_choice", "check_flag", "check_integer", "check_text", "describe", "refuse_symbolic"]


def describe(value: Any) -> str:
    """A short description of a value, for an error message."""
    if value is None or isinstance(value, (str, bytes, bool, int, float, complex, np.generic)):
        text = repr(value)
        return text if len(text) <= 40 else f"{text[:37]}..."
    if isinstance(value, (np.ndarray, Value)):
        return f"a {type(value).__name__} of shape {np.shape(unwrap(value))}"
    return f"a {type(value).__name__}"


def refuse_symbolic(name: str, value: Any) -> None:
    """Raise an error for a parameter whose number is not known, inside ``ak.compile`` or ``ak.vmap``."""
    if isinstance(unwrap(value), SymbolicValue):
        raise ConcretizationError(
            f"{name} must be a number already, but inside ak.compile or ak.vmap it follows from an argument or a "
            "variable. Use a number from outside of the function (where it changes, ak.compile traces again), or call "
            "this function without ak.compile and ak.vmap."
        )


def check_text(name: str, value: Any) -> str:
    """Return a string that is not empty, or raise an error."""
    if not isinstance(value, str) or not value:
        raise ArgumentError(f"{name} must be a string, got {describe(value)}")
    return value


def check_choice(name: str, value: Any, *words: str) -> str:
    """Return one of the given words, or raise an error."""
    if not isinstance(value, str) or value not in words:
        known = " or ".join(", ".join(f'"{w}"' for w in words).rsplit(", ", 1))
        raise StructureError(f"{name} must be {known}, got {describe(value)}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return True or False, or raise an error."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise ArgumentError(f"{name} must be True or False, got {describe(value)}")


def check_integer(name: str, value: Any, least: int | None = None) -> int:
    """Return an integer of at least ``least``, or raise an error."""
    try:
        found = operator.index(unwrap(value))
    except TypeError as error:
        raise ArgumentError(f"{name} must be an integer, got {describe(value)}") from error
    if least is not None and found < least:
        raise StructureError(f"{name} must be an integer of {least} or more, got {describe(value)}")
    return found


def check_callable(name: str, value: Any) -> Callable[..., Any]:
    """Return a callable, or raise an error."""
    if not callable(value):
        raise DtypeError(f"{name} must be a function, got {describe(value)}; pass the function without calling it")
    return value  # type: ignore[no-any-return]
