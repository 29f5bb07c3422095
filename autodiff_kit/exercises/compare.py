"""Numbers compared: never coerced, never asked what they think of it.

Only exact types count as numbers: an array, a float, an int, a bool. (The driver has turned tensors into
arrays.)
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from .protocol import SCALARS, Foreign, Remote, Slip

__all__ = ["close", "first_bad", "number", "numbers", "short"]


def numbers(value: object) -> np.ndarray | None:
    """A plain value as an array of real numbers, or None if it is none."""
    if type(value) in (bool, int, float):
        return np.array(value, float)
    if type(value) in SCALARS:
        value = np.array(value)
    if type(value) is np.ndarray and value.dtype.kind in "fiub":
        return value if value.dtype == np.longdouble else value.astype(float)
    return None


def number(value: object, whose: str) -> np.ndarray:
    """As :func:`numbers`; anything else is a slip with a word on what came and what to do."""
    array = numbers(value)
    if array is None:
        raise Slip(f"{whose} gave back {_what(value)}")
    return array


def _what(value: object) -> str:
    if value is None:
        return "nothing (None). Does it end with return?"
    if type(value) in (list, tuple):
        kind = type(value).__name__
        return f"a {kind}, where an array or a number is asked for. np.array(...) makes an array of it."
    if isinstance(value, Remote):
        return "a function, where an array or a number is asked for. Was it to be called?"
    if type(value) is np.ndarray or type(value) is complex:
        return "complex numbers, where real ones are asked for."
    kind = value.kind if isinstance(value, Foreign) else type(value).__name__
    return f"a value of type {kind}, where an array, a tensor or a number is asked for."


def close(got: object, want: object, tol: float) -> bool:
    """Whether two values agree: equal shapes, NaN and infinities in the same places, the rest within ``tol``.

    The bound is ``tol * (1 + max|want|)``, over the finite entries.
    """
    a, b = numbers(got), numbers(want)
    if a is None or b is None or a.shape != b.shape:
        return False
    return not bool(np.any(_bad(a, b, tol)))


def first_bad(got: np.ndarray, want: np.ndarray, tol: float) -> tuple[int, ...]:
    """Index of the first entry that is off."""
    return tuple(int(i) for i in np.argwhere(_bad(got, want, tol))[0])


def _bad(got: np.ndarray, want: np.ndarray, tol: float) -> np.ndarray:
    finite = np.isfinite(want)
    bound = tol * (1 + float(np.max(np.abs(want[finite]), initial=0.0)))
    with np.errstate(all="ignore"):
        off = ~(np.abs(got - want) <= bound)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.asarray(np.where(finite, off, ~same))


def short(value: object, entries: int = 12) -> str:
    """A value as text for a message: six digits, long arrays cut, text in quotes."""
    if type(value) is float or (type(value) is np.ndarray and value.ndim == 0 and value.dtype.kind == "f"):
        text = f"{float(value):.6g}"
        return "0" if text == "-0" else text
    if type(value) is np.ndarray:
        shown: Any = {"float_kind": lambda number: f"{number:.4g}", "bool": str}
        text = np.array2string(value, threshold=entries, edgeitems=2, separator=", ", formatter=shown)
        return " ".join(text.split())
    if type(value) in (list, tuple):
        inner = ", ".join(short(item, entries) for item in value)  # type: ignore[attr-defined]
        return f"[{inner}]" if type(value) is list else f"({inner})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key}: {short(item, entries)}" for key, item in value.items()) + "}"
    if isinstance(value, Remote | FunctionType):
        return "a function"
    return repr(value) if type(value) is str else str(value)
