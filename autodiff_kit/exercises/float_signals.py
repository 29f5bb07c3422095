"""Floating-point errors where the processor signals none: arrays that look at the result of each of their operations.

NumPy learns of a division by zero, an overflow or an invalid value from the processor; WebAssembly has no such signals.
There a learner's function gets its arguments as :class:`WatchedArray`. Where an operation makes infinity or nan of
other numbers, it reports an error as ``np.errstate`` asks; a function of ``np.linalg`` that fails raises LinAlgError.
The result of an operation is watched too, and so is what the function gets from NumPy itself (:func:`watching_numpy`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autodiff_kit.ops.lapack import raise_if_failed

__all__ = ["WatchedArray", "unwatched", "watched", "watching_numpy"]

# NumPy's words, by the names of np.errstate.
WORDS = {"divide": "divide by zero", "over": "overflow", "invalid": "invalid value"}
# Where these are infinite for finite inputs, it is a pole: always, or where the last (of power: the first) input is 0.
LOGARITHMS = ("log", "log2", "log10", "log1p", "arctanh")
QUOTIENTS = ("divide", "floor_divide", "reciprocal")
POWERS = ("power", "float_power")


def _run_and_report(self: Any, ufunc: np.ufunc, how: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
    """``__array_ufunc__`` of what is watched: run an operation on plain values, and report its errors."""
    levels, plain, into = np.geterr(), [unwatched(x) for x in inputs], tuple(map(unwatched, out))
    with np.errstate(all="ignore"):
        # What was not finite before is no error. An operation in place overwrites it, so it is copied if there is any.
        finite = bool(out) and all(map(_is_finite, plain))
        before = [np.array(x) for x in plain] if out and not finite else plain
        found = getattr(ufunc, how)(*plain, **options, **({"out": into} if out else {}))
        each = found if isinstance(found, tuple) else (found,)
        errors = [] if how == "at" else list(_errors(ufunc, how, before, finite, each, options.get("where", True)))
    for kind in errors:
        message = f"{WORDS[kind]} encountered in {_name(ufunc, how, inputs)}"
        if levels[kind] == "raise":
            raise FloatingPointError(message)
        if levels[kind] == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=2)
    if not out:
        return watched(found)
    return out[0] if len(out) == 1 else out


class WatchedArray(np.ndarray[Any, Any]):
    """An array whose operations report floating-point errors."""

    __array_ufunc__ = _run_and_report  # type: ignore[assignment]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        found = super().__array_function__(func, types, args, kwargs)
        if func.__module__ == "numpy.linalg" and found is not NotImplemented:
            raise_if_failed(func.__name__, args, found)
        return watched(found)

    def __getitem__(self, index: Any) -> Any:
        return watched(super().__getitem__(index))


def _scalar_class(kind: type) -> type:
    """A subclass of a NumPy float that is watched, with the operators of arrays except those in place.

    It has one base class: NumPy finds the number in a scalar by the first one.
    """
    operators = {name: method for name, method in vars(NDArrayOperatorsMixin).items() if callable(method)}
    plain = {name: method for name, method in operators.items() if not name.startswith("__i")}
    own = {"__slots__": (), "__array_ufunc__": _run_and_report, "__hash__": kind.__hash__}
    return type(f"Watched{kind.__name__.capitalize()}", (kind,), {**plain, **own})


SCALARS = {kind: _scalar_class(kind) for kind in (np.float16, np.float32, np.float64)}
PLAIN_SCALARS = {watching: kind for kind, watching in SCALARS.items()}


def watched(value: Any) -> Any:
    """An array or a float of NumPy, or a list or tuple of them, with watched operations; other values unchanged."""
    kind = type(value)
    if kind is np.ndarray:
        return value.view(WatchedArray) if value.dtype.kind in "iuf" else value
    if kind in (list, tuple):
        return kind(map(watched, value))
    return SCALARS[kind](float(value)) if kind in SCALARS else value


def unwatched(value: Any) -> Any:
    """The plain array or scalar; other values unchanged."""
    kind = type(value)
    if kind is WatchedArray:
        return value.view(np.ndarray)
    return PLAIN_SCALARS[kind](float(value)) if kind in PLAIN_SCALARS else value


class _WatchedFunction:
    """A function of NumPy whose result is watched; its attributes are those of the function."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        alone = isinstance(self._function, np.ufunc) and not any(isinstance(x, np.ndarray | np.generic) for x in args)
        if alone and all(type(x) in (float, int) for x in args):  # beside an array a Python number has no dtype
            args = tuple(watched(np.asarray(x)) for x in args)
        return watched(self._function(*args, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class _WatchedModule:
    """NumPy, or a part of it, with watched functions."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return _WatchedModule(found)
        return _WatchedFunction(found) if callable(found) and not isinstance(found, type) else found


@contextmanager
def watching_numpy(names: dict[str, Any]) -> Iterator[None]:
    """Let the names of a module or notebook that mean NumPy mean it with watched functions, for a while."""
    mine = {name: value for name, value in names.items() if value is np}
    names.update(dict.fromkeys(mine, _WatchedModule(np)))
    try:
        yield
    finally:
        names.update(mine)


def _is_finite(x: Any) -> bool:
    """Whether no entry is infinite or nan, found without the memory of a mask; False where the sum overflows."""
    return not isinstance(x, np.ndarray | np.floating) or x.dtype.kind != "f" or math.isfinite(float(x.sum()))


def _errors(
    ufunc: np.ufunc, how: str, inputs: list[Any], finite: bool, outputs: tuple[Any, ...], where: Any
) -> Iterator[Literal["divide", "over", "invalid"]]:
    """The errors of an operation, in NumPy's order: entries that are infinite or nan, and no input was."""
    for y in outputs:
        if _is_finite(y):
            continue
        by_entry = how == "__call__" and ufunc.signature is None  # otherwise an entry has many inputs: any of them
        floats = [x for x in map(np.asarray, inputs) if x.dtype.kind == "f" and not finite]
        nan = [np.isnan(x) if by_entry else np.isnan(x).any() for x in floats]
        infinity = [np.isinf(x) if by_entry else np.isinf(x).any() for x in floats]
        invalid = reduce(_and_not, nan, np.isnan(y))
        infinite = reduce(_and_not, nan + infinity, np.isinf(y))
        pole: Any = ufunc.__name__ in LOGARITHMS
        if by_entry and ufunc.__name__ in QUOTIENTS + POWERS:
            pole = np.asarray(inputs[0 if ufunc.__name__ in POWERS else -1]) == 0
        if np.any(infinite & pole & where):
            yield "divide"
        if np.any(_and_not(infinite, pole) & where):
            yield "over"
        if np.any(invalid & where):
            yield "invalid"


def _and_not(a: Any, b: Any) -> Any:
    return a & np.logical_not(b)


def _name(ufunc: np.ufunc, how: str, inputs: tuple[Any, ...]) -> str:
    """How NumPy calls an operation in its messages."""
    if how != "__call__":
        return how
    alone = ufunc.nin == 2 and not any(isinstance(x, np.ndarray) for x in inputs)
    return f"scalar {ufunc.__name__}" if alone else ufunc.__name__
