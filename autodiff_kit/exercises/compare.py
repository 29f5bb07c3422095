"""Compare numbers within a tolerance, without coercion and without running methods of the learner's classes.

Only exact types count as numbers: an array, a float, an int, a bool. (Tensors arrive as arrays, see
:func:`~.protocol.plain_copy`.)
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.lessons.translation import translate

from .protocol import NUMPY_SCALAR_TYPES, LearnerCodeError, OpaqueValue, ReturnedFunction

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "NoneResultError",
    "as_real_array",
    "describe_relation",
    "first_mismatch",
    "format_distinct",
    "format_value",
    "require_real_array",
    "values_close",
]


class NoneResultError(LearnerCodeError):
    """The learner's function returned None, or a value that contains None, in place of a number or an array."""

    def __init__(self, whose: str) -> None:
        super().__init__(translate("{whose} returned None. Does it end with return?").format(whose=whose))
        self._whose = whose.rstrip(",")

    def describe_within(self, call: str, result: object) -> str:
        """The message for a call with this result: it names the entry that is None if something was returned."""
        if result is None:
            return self.text
        entry = _path_to_none(result)
        if entry is None:
            return translate("{whose} is None, where an array or a number is asked for.").format(whose=self._whose)
        return translate(
            "The result of {call} is None at entry {entry} (entries count from 0), where an array or a number is "
            "asked for."
        ).format(call=call, entry=entry)


def as_real_array(value: object) -> np.ndarray | None:
    """A plain value as an array of real numbers; None if it is not numeric."""
    if type(value) in (bool, int, float):
        return np.array(value, float)
    if type(value) in NUMPY_SCALAR_TYPES:
        value = np.array(value)
    if type(value) is np.ndarray and value.dtype.kind in "fiub":
        return value if value.dtype == np.longdouble else value.astype(float)
    return None


def require_real_array(value: object, whose: str) -> np.ndarray:
    """As :func:`as_real_array`, but raise a :class:`LearnerCodeError` that says what was returned and what to do."""
    array = as_real_array(value)
    if array is None:
        if _path_to_none(value) is not None:
            raise NoneResultError(whose)
        raise LearnerCodeError(
            translate("{whose} returned {what}").format(whose=whose, what=_describe_non_number(value))
        )
    return array


def _path_to_none(value: object) -> str | None:
    """Where a nested value has its first None, as text such as ``1`` or ``['w'][0]``; None if it has no None."""
    if value is None:
        return ""
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list | tuple):
        entries = list(enumerate(value))
    else:
        return None
    for key, entry in entries:
        rest = _path_to_none(entry)
        if rest is not None:
            return str(key) if rest == "" and type(key) is int else f"[{key!r}]" + _bracketed(rest)
    return None


def _bracketed(path: str) -> str:
    return f"[{path}]" if path.isdigit() else path


def _describe_non_number(value: object) -> str:
    if type(value) is tuple and not all(as_real_array(item) is not None and np.ndim(item) == 0 for item in value):
        text = translate("a tuple of {count} items, where one array or number is asked for. Return only this one.")
        return text.format(count=len(value))
    if type(value) in (list, tuple):
        text = translate("a {kind}, where an array or a number is asked for. np.array(...) makes an array of it.")
        return text.format(kind=type(value).__name__)
    if isinstance(value, ReturnedFunction):
        return translate("a function, where an array or a number is asked for. Was it to be called?")
    if type(value) is np.ndarray or type(value) is complex:
        return translate("complex numbers, where real ones are asked for.")
    kind = value.kind if isinstance(value, OpaqueValue) else type(value).__name__
    return translate("a value of type {kind}, where an array, a tensor or a number is asked for.").format(kind=kind)


def values_close(got: object, want: object, tol: float) -> bool:
    """Whether two values agree: equal shapes, NaN and infinities in the same places, the rest within ``tol``.

    The bound is ``tol * (1 + max|want|)``, over the finite entries.
    """
    a, b = as_real_array(got), as_real_array(want)
    if a is None or b is None or a.shape != b.shape:
        return False
    return not bool(np.any(_mismatches(a, b, tol)))


def first_mismatch(got: np.ndarray, want: np.ndarray, tol: float) -> tuple[int, ...]:
    """Index of the first entry that is out of tolerance."""
    return tuple(int(i) for i in np.argwhere(_mismatches(got, want, tol))[0])


def _mismatches(got: np.ndarray, want: np.ndarray, tol: float) -> np.ndarray:
    finite = np.isfinite(want)
    bound = tol * (1 + float(np.max(np.abs(want[finite]), initial=0.0)))
    with np.errstate(all="ignore"):
        off = ~(np.abs(got - want) <= bound)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.asarray(np.where(finite, off, ~same))


def describe_relation(got: np.ndarray, want: np.ndarray, tol: float) -> str:
    """How a whole wrong result is related to the right one, where that is simple, as a sentence; else an empty text."""
    if not (got.size and want.size and np.isfinite(got).all() and np.isfinite(want).all() and np.any(want)):
        return ""
    if got.shape != want.shape:
        return next((words for words, model in _reshaped(got, want) if values_close(got, model, tol)), "")
    models = [
        (translate("Every value has the opposite sign."), -want),
        (translate("The sizes are right, the signs are not."), np.where(got * want < 0, -want, want)),
    ]
    if want.ndim:
        models.append((translate("These are the right values in the opposite order."), want[::-1]))
    if want.ndim == 2:
        models.append((translate("This is the transpose."), want.T))
    if told := next((words for words, model in models if values_close(got, model, tol)), ""):
        return told
    place = np.unravel_index(int(np.argmax(np.abs(want))), want.shape)
    factor, shift = float(got[place] / want[place]), float(got[place] - want[place])
    telling = np.ptp(want[want != 0]) > 1e-3 * abs(want[place])  # of equal values any other one is a multiple
    if values_close(got, factor * want, tol) and factor and (telling or factor in (0.5, 2.0)):
        return translate("Every value is {factor} times what is expected.").format(factor=format_value(factor))
    if telling and shift and values_close(got, want + shift, tol):
        return translate("Every value is off by the same number, {shift}.").format(shift=format_value(shift))
    wrong = int(np.sum(_mismatches(got, want, tol)))
    return translate("All other entries are right.") if wrong == 1 < want.size - 1 else ""


def _reshaped(got: np.ndarray, want: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """What a result of another shape may be."""
    if got.size == want.size:
        yield translate("The values are right."), want.reshape(got.shape)
        yield translate("This is the transpose."), want.T
    for axis in (None, *range(want.ndim)):
        yield translate("This is the sum of the expected values."), want.sum(axis=axis)
        yield translate("This is the mean of the expected values."), want.mean(axis=axis)


def format_distinct(got: float | np.ndarray, want: float | np.ndarray) -> tuple[str, str]:
    """Two numbers or arrays as text, with more digits than elsewhere if the two texts are equal otherwise."""
    texts, digits = (format_value(got), format_value(want)), 5
    while texts[0] == texts[1] and not np.array_equal(got, want) and digits <= 17:
        texts = (_with_digits(got, digits), _with_digits(want, digits))
        digits += 1
    return texts


def _with_digits(value: float | np.ndarray, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else format_value(value, digits=digits)


def format_value(value: object, entries: int = 12, digits: int = 4) -> str:
    """A value as text for a message: six digits, arrays with ``digits`` and abbreviated, texts in quotes."""
    if type(value) in NUMPY_SCALAR_TYPES and isinstance(value, np.floating):
        value = float(value)
    if type(value) is float or (type(value) is np.ndarray and value.ndim == 0 and value.dtype.kind == "f"):
        text = f"{float(value):.6g}"
        return "0" if text == "-0" else text
    if type(value) is np.ndarray:
        shown: Any = {"float_kind": lambda entry: f"{entry:.{digits}g}", "bool": str}
        text = np.array2string(value, threshold=entries, edgeitems=2, separator=", ", formatter=shown)
        return " ".join(text.split())
    if type(value) in (list, tuple):
        inner = ", ".join(format_value(item, entries, digits) for item in value)  # type: ignore[attr-defined]
        comma = "," if type(value) is tuple and len(value) == 1 else ""
        return f"[{inner}]" if type(value) is list else f"({inner}{comma})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {format_value(item, entries, digits)}" for key, item in value.items()) + "}"
    if isinstance(value, ReturnedFunction | FunctionType):
        return "a function"
    return repr(value) if type(value) is str else str(value)
