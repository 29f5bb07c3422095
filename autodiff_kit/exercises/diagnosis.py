"""Collect the failed cases of one attempt and find the misconception that explains all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.lessons.translation import translate
from autodiff_kit.platform import in_int64

from .compare import describe_relation, first_mismatch, format_distinct, format_value, require_real_array, values_close
from .protocol import Call, Callback, CallbackNamespace, CallResult, LearnerCodeError, SeededGenerator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Facts: TypeAlias = Mapping[str, object] | Callable[[Any], Mapping[str, object]] | None
    MisconceptionValues: TypeAlias = Mapping[str, object]

__all__ = [
    "AttemptEvaluation",
    "CaseFailedError",
    "FailedCase",
    "SubtestResult",
    "describe_difference",
    "format_call",
    "unpack_tuple",
]


MAX_SHOWN_ENTRIES = 8
"""How many entries of an array a call shows."""


class CaseFailedError(Exception):
    """Ends a check of which only the points are asked, when none are left."""


@dataclass(frozen=True)
class FailedCase:
    """One failed case: the misconceptions that give the same wrong value, and a plain message.

    Attributes
    ----------
    names : frozenset of str
        Misconceptions that explain it.
    text : str
        The message if no misconception explains every failed case.
    facts : mapping
        What the misconceptions' messages have in braces, as text.
    half : bool
        Whether the value was right and only a count, a dtype or a memory bound was not.
    call : Call or None
        The call that it was.
    """

    names: frozenset[str]
    text: str
    facts: Mapping[str, object]
    half: bool
    call: Call | None


@dataclass(frozen=True)
class SubtestResult:
    """How often one checked quantity was right: ``dx from pull: 3 of 4``."""

    name: str
    right: int
    of: int

    def __str__(self) -> str:
        mark = "✓" if self.right == self.of else "–"
        return f"{mark} {self.name}" + (f": {self.right} of {self.of}" if self.of > 1 else "")


@dataclass
class AttemptEvaluation:
    """The cases of one attempt: which failed, and which misconceptions explain them.

    A check calls :meth:`case` to compare a value, :meth:`behave` for a count or a property, :meth:`fail` where it found
    the misconceptions itself, and :meth:`warned` for floating-point warnings. A misconception is named only if it
    explains every failed case, and two only if every failed case is explained by one of them (:attr:`explanation`).

    Attributes
    ----------
    failed_cases : list of FailedCase
        In the order of the cases, which run from easy to hard.
    last : Call or None
        The last call.
    result : object
        What the last call returned.
    ends_without_points : bool
        Whether a failed case that costs all points raises :class:`CaseFailedError`, before anything is said about it.
    """

    failed_cases: list[FailedCase] = field(default_factory=list)
    last: Call | None = None
    result: object = None
    ends_without_points: bool = False
    _calls: list[Call] = field(default_factory=list)
    _compared: int = 0  # how many of the calls have been compared
    _counts: dict[str, dict[int, bool]] = field(default_factory=dict)
    _quantity: str = ""

    def begin_call(self, call: Call) -> None:
        """Record the call whose result is judged next; a quiet call belongs to the call before it."""
        self.last, self.result = call, None
        if not call.quiet or not self._calls:
            self._calls.append(call)
            self._quantity = ""

    @property
    def parts(self) -> tuple[SubtestResult, ...]:
        """Checked quantities in order; a function without a named quantity is counted by its calls."""
        told = {self._calls[k - 1].name for places in self._counts.values() for k in places if k}
        calls = Counter(call.name for call in self._calls)
        found = {name: (sum(places.values()), len(places)) for name, places in self._counts.items()}
        for name, n in calls.items():
            if name in found:
                right, of = found[name]
                found[name] = (right + n - of, n)
            elif name not in told:
                found[name] = (n, n)
        return tuple(SubtestResult(name, right, of) for name, (right, of) in found.items())

    def _count(self, name: str, ok: bool, *, half: bool = False) -> None:
        """Count a quantity of the last result; without a name it is the previous quantity, or the whole result."""
        if not (ok or half) and self.ends_without_points:
            raise CaseFailedError
        name = name or self._quantity or (self._calls[-1].name if self._calls else "The answer")
        places = self._counts.setdefault(name, {})
        places[len(self._calls)] = places.get(len(self._calls), True) and ok
        self._quantity = name

    @property
    def common_misconceptions(self) -> frozenset[str]:
        """Misconceptions that explain every failed case so far."""
        if not self.failed_cases:
            return frozenset()
        return frozenset.intersection(*(case.names for case in self.failed_cases))

    @property
    def explanation(self) -> tuple[str, ...]:
        """The one misconception that explains every failed case, or the only two that do so together.

        Empty where no such explanation is found, or where several are.
        """
        common = self.common_misconceptions
        if common or not all(case.names for case in self.failed_cases):
            return tuple(common) if len(common) == 1 else ()
        names = list(dict.fromkeys(name for case in self.failed_cases for name in sorted(case.names)))
        pairs = [pair for pair in combinations(names, 2) if all(case.names & set(pair) for case in self.failed_cases)]
        return pairs[0] if len(pairs) == 1 else ()

    def facts_of(self, name: str) -> Mapping[str, object]:
        """The facts of the first failed case that a misconception explains."""
        return next(case.facts for case in self.failed_cases if name in case.names)

    @property
    def share(self) -> float:
        """Fraction of the points: 0.5 if every value is right and only a count, a dtype or a memory bound is not."""
        if not self.failed_cases:
            return 1.0
        return 0.5 if all(case.half for case in self.failed_cases) else 0.0

    def case(
        self,
        got: object,
        want: object,
        misconceptions: MisconceptionValues | None = None,
        *,
        tol: float = 1e-9,
        of: str = "",
        facts: Facts = None,
        dtype: type | None = None,
        leaves: str = "",
        by_call: bool = False,
    ) -> bool:
        """Compare one value.

        Parameters
        ----------
        got, want : plain value
            The result and the right value.
        misconceptions : mapping, optional
            Misconception -> the value that it gives here. A callable is called only if the case fails. None: the
            misconception does not show in this case.
        tol : float
            See :func:`~.compare.values_close`.
        of : str
            Name of the value in messages; the last call, if left out.
        facts : mapping or callable, optional
            What the misconceptions' messages have in braces; a callable takes the result.
        dtype, leaves : type and str
            The dtype that the result must have, and the misconception to name if only the dtype is wrong.
        by_call : bool
            Whether ``got`` has one row for each call since the last comparison; the message then shows the call of the
            first wrong row.

        Returns
        -------
        bool
            Whether the value was right.
        """
        what = of or format_call(self.last)
        calls, self._compared = self._calls[self._compared :], len(self._calls)
        array = require_real_array(got, what)
        right = values_close(array, want, tol)
        fitting = dtype is None or np.asarray(got).dtype == dtype
        self._count(of or (self._calls[-1].name if self._calls else ""), right and fitting, half=right)
        if not right:
            hit = frozenset(name for name, model in (misconceptions or {}).items() if _matches(model, got, tol))
            told = facts(array) if callable(facts) else facts
            wanted = np.asarray(want, float)
            if by_call and len(array) == len(wanted) == len(calls):
                words = _describe_row(what, array, wanted, tol, calls)
            else:
                words = describe_difference(what, array, wanted, tol)
                words += self._argument_note(array, wanted, tol) + self._last_call_note(of, len(calls))
            self._add_failure(hit, words, told, half=False)
            return False
        if not fitting:
            words = translate("{what} has the right values as {got}; {wanted} is asked for.").format(
                what=what, got=np.asarray(got).dtype, wanted=np.dtype(dtype)
            )
            self._add_failure(frozenset({leaves} if leaves else ()), words, None, half=True)
            return False
        return True

    def behave(
        self, ok: bool, name: str = "", text: str = "", *, half: bool = True, of: str = "", **facts: object
    ) -> bool:
        """Record a property that is not a value, such as a count; ``name`` is the misconception if it is not ``ok``.

        The property counts for the last quantity, or for one of its own with the name ``of``.
        """
        self._count(of, ok, half=half)
        if not ok:
            words = text or translate("{call} does not do what is asked.").format(call=format_call(self.last))
            self._add_failure(frozenset({name} if name else ()), words, facts, half=half)
        return ok

    def count_uncompared(self, of: str) -> None:
        """Count a quantity as not right where an earlier wrong value left nothing to compare it with."""
        self._count(of, False, half=True)  # what it costs, the wrong value has cost already

    def fail(self, names: set[str], text: str = "", **facts: object) -> None:
        """Record a wrong value with the misconceptions that the check itself has found."""
        self._count("", False)
        words = text or translate("{call} is not right.").format(call=format_call(self.last))
        self._add_failure(frozenset(names), words, facts, half=False)

    def warned(self, reply: CallResult, name: str = "", **facts: object) -> bool:
        """Whether the call ended in a floating-point warning, which is then recorded as a failed case."""
        if reply.warning:
            self._compared = len(self._calls)
            self._count("", False)
            where = f" ({reply.place})" if reply.place else ""
            words = f"{format_call(self.last)}: {reply.warning}{where}."
            self._add_failure(frozenset({name} if name else ()), words, {"warning": reply.warning, **facts}, half=False)
        return bool(reply.warning)

    def _argument_note(self, got: np.ndarray, want: np.ndarray, tol: float) -> str:
        """The entry of a long argument that belongs to the first wrong entry; the call as text leaves it out."""
        args = () if self.last is None else self.last.args
        long = [
            arg
            for arg in args
            if isinstance(arg, np.ndarray) and arg.size > MAX_SHOWN_ENTRIES and arg.dtype.kind == "f"
        ]
        if len(long) != 1 or not got.shape == want.shape == long[0].shape:
            return ""
        value = format_value(float(long[0][first_mismatch(got, want, tol)]))
        return " " + translate("At that place the argument has {value}.").format(value=value)

    def _last_call_note(self, of: str, count: int) -> str:
        """The last call as text, where the name of the value does not show it; ``count`` is how many were compared."""
        if not of or self.last is None:
            return ""
        words = translate("The last of {count} calls: `{call}`") if count > 1 else translate("The last call: `{call}`")
        return "\n" + words.format(count=count, call=format_call(self.last))

    def _add_failure(self, names: frozenset[str], text: str, facts: Mapping[str, object] | None, *, half: bool) -> None:
        told = {key: _format_fact(item) for key, item in (facts or {}).items()}
        self.failed_cases.append(FailedCase(names, text, told, half, self.last))


def _format_fact(value: object) -> str:
    if type(value) is str:
        return value
    return format_value(float(value)) if isinstance(value, np.floating) else format_value(value)


def _matches(model: object, got: object, tol: float) -> bool:
    """Whether a misconception gives the learner's value; one that cannot be computed here does not."""
    with np.errstate(all="ignore"):
        try:
            value = model() if callable(model) else model
        except (ArithmeticError, IndexError, ValueError):
            return False
    return value is not None and values_close(got, value, tol)


def describe_difference(what: str, got: np.ndarray, want: np.ndarray, tol: float) -> str:
    """The first difference of two arrays that are not equal, and how all of their values are related."""
    relation = describe_relation(got, want, tol)
    return _first_difference(what, got, want, tol) + (relation and f" {relation}")


def _first_difference(what: str, got: np.ndarray, want: np.ndarray, tol: float) -> str:
    if got.shape != want.shape:
        return translate("{what} has shape {got}; {wanted} is expected.").format(
            what=what, got=got.shape, wanted=want.shape
        )
    where = first_mismatch(got, want, tol)
    values = dict(zip(("got", "wanted"), format_distinct(float(got[where]), float(want[where])), strict=True))
    if not where:
        return translate("{what} is {got}, expected {wanted}.").format(what=what, **values)
    entry = where[0] if len(where) == 1 else where
    return translate("{what}, entry {entry}: got {got}, expected {wanted}.").format(what=what, entry=entry, **values)


def _describe_row(what: str, got: np.ndarray, want: np.ndarray, tol: float, calls: list[Call]) -> str:
    """The first difference of two arrays with one row for each call, and that call."""
    k = first_mismatch(got, want, tol)[0] if got.shape == want.shape else len(calls) - 1
    words = describe_difference(
        translate("{what}, call {number}").format(what=what, number=k + 1), got[k], want[k], tol
    )
    told = translate("This is call {number} of {count}: `{call}`")
    return words + "\n" + told.format(number=k + 1, count=len(calls), call=format_call(calls[k]))


def unpack_tuple(reply: CallResult, call: str, parts: tuple[str, ...]) -> tuple[object, ...]:
    """Items of a result that must be a tuple of given length, or an array of as many rows; else a LearnerCodeError."""
    value = reply.value
    if type(value) is np.ndarray and value.shape[:1] == (len(parts),):
        value = value.tolist() if value.ndim == 1 else list(value)
    if type(value) not in (tuple, list) or len(value) != len(parts):  # type: ignore[arg-type]
        if value is None:
            came = translate("None; does it end with return")
        elif isinstance(value, tuple | list):
            came = translate("{count} values").format(count=len(value))
        else:
            came = translate("a value of type {kind}").format(kind=type(value).__name__)
        text = translate("{call} should return {count} values, ({parts}); it returned {came}.")
        raise LearnerCodeError(text.format(call=call, count=len(parts), parts=", ".join(parts), came=came))
    return tuple(value)  # type: ignore[arg-type]


def format_call(call: Call | None) -> str:
    """A call as a line of code, long values abbreviated."""
    if call is None:
        return translate("The answer")
    args = [_format_argument(value) for value in call.args]
    args += [f"{key}={_format_argument(value)}" for key, value in call.kwargs.items()]
    return f"{call.name}({', '.join(args)})"


def _format_argument(value: object) -> str:
    if isinstance(value, Callback | CallbackNamespace):
        return value.name
    if isinstance(value, SeededGenerator):
        return "rng"
    if isinstance(value, list | tuple) and any(isinstance(one, Callback | CallbackNamespace) for one in value):
        names = [_format_argument(one) for one in value]
        return "[" + ", ".join(names if len(names) <= 3 else [names[0], "…", names[-1]]) + "]"
    if isinstance(value, np.ndarray) and value.size > MAX_SHOWN_ENTRIES:
        return translate("{dtype} array of shape {shape}").format(dtype=in_int64(value).dtype, shape=value.shape)
    text = format_value(value, digits=6)  # as many as a result has, so that who computes the call gets that result
    return text if len(text) <= 200 else text[:150] + " … " + text[-30:]
