"""Short summaries of arrays: a one-letter kind, and eight statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.tracer import Tracer

__all__ = ["UNAVAILABLE", "array_entries", "is_unavailable", "json_number", "kind_letter", "summarize"]


class _Unavailable:
    """Type of the marker for a value that is not kept, in contrast to None."""

    def __repr__(self) -> str:
        return "UNAVAILABLE"


UNAVAILABLE: Any = _Unavailable()

_SMALL_SIZE = 24  # entries up to which plain Python is faster than NumPy


def is_unavailable(value: Any) -> bool:
    """Whether there is no value to show: it is not kept, or inside ``ak.vmap`` stands for those of many examples."""
    return value is UNAVAILABLE or isinstance(value, Tracer)


def json_number(x: Any) -> float | int | str:
    """A number for JSON: six significant digits; infinities and nan as strings.

    Examples
    --------
    >>> from autodiff_kit.lab.kernel.value_summary import json_number
    >>> json_number(2 / 3), json_number(3.0), json_number(float("-inf"))
    (0.666667, 3, '-inf')
    """
    x = float(x)
    if not math.isfinite(x):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    whole = int(x)
    if whole == x and -1_000_000 < whole < 1_000_000:
        return whole
    return float(f"{x:.6g}")


def _flat_real(value: Any) -> Any:
    """A flat real array; the absolute values of complex numbers."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        array = np.abs(array)
    return array.ravel()


def kind_letter(value: Any) -> str:
    """One letter: n None, 0 zero, v finite (or without entries), N with nan, i with an infinity, ? unknown."""
    if type(value) is float:
        return "0" if value == 0 else "N" if value != value else "i" if value in (math.inf, -math.inf) else "v"
    if value is None:
        return "n"
    if is_unavailable(value):
        return "?"
    array = _flat_real(value)
    if array.dtype.kind == "f" and array.size:
        total = float(np.dot(array, array)) if array.dtype != np.float16 else math.inf
        if total - total != 0:  # an entry is not finite, or the squares were too large
            finite = np.isfinite(array)
            if not finite.all():
                return "N" if np.isnan(array).any() else "i"
        elif total:
            return "v"
    return "v" if array.any() or not array.size else "0"


def summarize(value: Any) -> list[Any] | None:
    """Smallest, largest, mean and Euclidean norm of the finite entries; the numbers of entries that are not finite and
    that are zero; the first four entries; the number of nans. None for None, and for an unknown value.
    """
    if value is None or is_unavailable(value):
        return None
    if type(value) is float:
        one = json_number(value)
        if type(one) is str:
            return ["nan", "nan", "nan", 0, 1, 0, [one], int(one == "nan")]
        return [one, one, one, abs(one), 0, int(value == 0), [one], 0]  # type: ignore[arg-type]
    array = _flat_real(value)
    first = [json_number(x) for x in array[:4].tolist()]
    bad, zeros, figures = _summarize_small(array.tolist()) if array.size <= _SMALL_SIZE else _summarize_large(array)
    nans = int(np.isnan(array).sum()) if bad else 0
    return [*map(json_number, figures), bad, zeros, first, nans]


_NO_FINITE = (math.nan, math.nan, math.nan, 0.0)
_SAFE_SQUARES = (1e-280, 1e280)  # sums of squares in which nothing was lost


def _summarize_small(xs: list[Any]) -> tuple[int, int, tuple[Any, ...]]:
    good = [x for x in xs if x - x == 0]
    if not good:
        return len(xs), 0, _NO_FINITE
    figures = (min(good), max(good), _mean(good), math.hypot(*good))
    return len(xs) - len(good), xs.count(0), figures


def _summarize_large(array: Any) -> tuple[int, int, tuple[Any, ...]]:
    zeros = array.size - int(np.count_nonzero(array))
    wide = array.astype(np.float64, copy=False)
    length = float(np.dot(wide, wide))
    bad = 0
    if length - length != 0:
        good = wide[np.isfinite(wide)]
        bad, wide = wide.size - good.size, good
        if not good.size:
            return bad, zeros, _NO_FINITE
        length = float(np.dot(good, good))
    least, most = float(wide.min()), float(wide.max())
    size = max(-least, most)
    if _SAFE_SQUARES[0] < length < _SAFE_SQUARES[1] or not size:
        return bad, zeros, (least, most, wide.mean(), math.sqrt(length))
    scaled = wide / size  # the squares, or the sum, would leave the range of floating-point numbers
    return bad, zeros, (least, most, size * float(scaled.mean()), size * math.sqrt(float(np.dot(scaled, scaled))))


def _mean(xs: list[Any]) -> float:
    """The mean, without a sum that is too large for a floating-point number."""
    total = float(sum(xs))
    return total / len(xs) if math.isfinite(total) else math.fsum(x / len(xs) for x in xs)


def array_entries(value: Any, limit: int) -> dict[str, Any]:
    """The first entries of an array in full precision."""
    array = np.asarray(value)
    data = [_json_exact(x) for x in _flat_real(array)[:limit].tolist()]
    return {"shape": list(array.shape), "dtype": str(array.dtype), "data": data, "cut": array.size > limit}


def _json_exact(x: Any) -> Any:
    if type(x) is float:
        return x if math.isfinite(x) else json_number(x)
    return int(x)
