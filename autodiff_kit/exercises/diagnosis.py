"""Collects what went wrong in one attempt, and finds the one idea that explains all of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .compare import close, first_bad, number, short
from .protocol import Call, Handle, Namespace, Reply, Rng, Slip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Facts: TypeAlias = Mapping[str, object] | Callable[[Any], Mapping[str, object]] | None
    Models: TypeAlias = Mapping[str, object]

__all__ = ["Attempt", "Miss", "Part", "pair", "shown"]


@dataclass(frozen=True)
class Miss:
    """One failing case: the misconceptions that would fail just so, and the plain words for it."""

    names: frozenset[str]
    text: str
    facts: Mapping[str, object]
    half: bool


@dataclass(frozen=True)
class Part:
    """One thing that a check looks at, by name: how many times it was right, and of how many."""

    name: str
    right: int
    of: int

    def __str__(self) -> str:
        mark = "✓" if self.right == self.of else "–"
        return f"{mark} {self.name}" + (f": {self.right} of {self.of}" if self.of > 1 else "")


@dataclass
class Attempt:
    """What the cases of an attempt came to.

    A misconception is named only if it explains every miss: the names of all misses are intersected.

    Attributes
    ----------
    misses : list of Miss
        In the order of the cases, which run from easy to hard.
    """

    misses: list[Miss] = field(default_factory=list)
    last: Call | None = None
    _asked: list[Call] = field(default_factory=list)
    _found: dict[str, dict[int, bool]] = field(default_factory=dict)
    _now: str = ""

    def asks(self, call: Call) -> None:
        """Note the call whose answer is judged next; a quiet one belongs to the one before."""
        self.last = call
        if not call.quiet or not self._asked:
            self._asked.append(call)
            self._now = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What was looked at, by name, in order; a function of which nothing else is said by its calls."""
        told = {self._asked[k - 1].name for places in self._found.values() for k in places if k}
        calls = Counter(call.name for call in self._asked)
        found = {name: (sum(places.values()), len(places)) for name, places in self._found.items()}
        for name, n in calls.items():
            if name in found:
                right, of = found[name]
                found[name] = (right + n - of, n)
            elif name not in told:
                found[name] = (n, n)
        return tuple(Part(name, right, of) for name, (right, of) in found.items())

    def _note(self, name: str, ok: bool) -> None:
        """A part of the answer to the last call was looked at; without a name it is the part before, or all of it."""
        name = name or self._now or (self._asked[-1].name if self._asked else "The answer")
        places = self._found.setdefault(name, {})
        places[len(self._asked)] = places.get(len(self._asked), True) and ok
        self._now = name

    @property
    def common(self) -> frozenset[str]:
        """Misconceptions that explain every miss so far."""
        if not self.misses:
            return frozenset()
        return frozenset.intersection(*(miss.names for miss in self.misses))

    @property
    def share(self) -> float:
        """Part of the points: half if every value is right but a count, a dtype or a memory bound is not."""
        if not self.misses:
            return 1.0
        return 0.5 if all(miss.half for miss in self.misses) else 0.0

    def case(
        self,
        got: object,
        want: object,
        models: Models | None = None,
        *,
        tol: float = 1e-9,
        of: str = "",
        facts: Facts = None,
        dtype: type | None = None,
        leaves: str = "",
    ) -> bool:
        """Compare one value.

        Parameters
        ----------
        got, want : plain value
            The answer and what it should be.
        models : mapping, optional
            For each misconception the value that it would give here; callables are only called on a miss,
            and None says that it cannot show here.
        tol : float
            See :func:`~.closeness.close`.
        of : str
            Words for the value; the last call, if left out.
        facts : mapping or callable, optional
            What the misconceptions' messages have in braces; a callable is given what came.
        dtype, leaves : type and str
            A dtype that the answer must have, and the misconception to name if only that is wrong.

        Returns
        -------
        bool
            Whether it was right.
        """
        what = of or shown(self.last)
        array = number(got, what)
        right = close(array, want, tol)
        fitting = dtype is None or np.asarray(got).dtype == dtype
        self._note(of or (self._asked[-1].name if self._asked else ""), right and fitting)
        if not right:
            hit = frozenset(name for name, model in (models or {}).items() if _fits(model, got, tol))
            told = facts(array) if callable(facts) else facts
            words = _difference(what, array, np.asarray(want, float), tol)
            self._miss(hit, words + self._input(of), told, half=False)
            return False
        if not fitting:
            words = f"{what} has the right values as {np.asarray(got).dtype}; {np.dtype(dtype)} is asked for."
            self._miss(frozenset({leaves} if leaves else ()), words, None, half=True)
            return False
        return True

    def behave(self, ok: bool, name: str = "", text: str = "", *, half: bool = True, **facts: object) -> bool:
        """Record something other than a value: a count, a property; ``name`` is the misconception."""
        self._note("", ok)
        if not ok:
            words = text or f"{shown(self.last)} does not do what is asked."
            self._miss(frozenset({name} if name else ()), words, facts, half=half)
        return ok

    def fail(self, names: set[str], text: str = "", **facts: object) -> None:
        """Record a wrong value whose misconceptions the check itself has found."""
        self._note("", False)
        words = text or f"{shown(self.last)} is not right."
        self._miss(frozenset(names), words, facts, half=False)

    def warned(self, reply: Reply, name: str = "", **facts: object) -> bool:
        """Record a floating-point warning if there was one."""
        if reply.warning:
            self._note("", False)
            where = f" ({reply.place})" if reply.place else ""
            words = f"{shown(self.last)}: {reply.warning}{where}."
            self._miss(frozenset({name} if name else ()), words, {"warning": reply.warning, **facts}, half=False)
        return bool(reply.warning)

    def _input(self, of: str) -> str:
        """The call, where the words for the value do not show it."""
        return f"\nThe last call: `{shown(self.last)}`" if of and self.last is not None else ""

    def _miss(self, names: frozenset[str], text: str, facts: Mapping[str, object] | None, *, half: bool) -> None:
        self.misses.append(Miss(names, text, {key: _word(item) for key, item in (facts or {}).items()}, half))


def _word(value: object) -> str:
    if type(value) is str:
        return value
    return short(float(value)) if isinstance(value, np.floating) else short(value)


def _fits(model: object, got: object, tol: float) -> bool:
    """Whether a misconception's model gives what came; one that cannot be run here does not."""
    with np.errstate(all="ignore"):
        try:
            value = model() if callable(model) else model
        except (ArithmeticError, IndexError, ValueError):
            return False
    return value is not None and close(got, value, tol)


def _difference(what: str, got: np.ndarray, want: np.ndarray, tol: float) -> str:
    if got.shape != want.shape:
        return f"{what} has shape {got.shape}; {want.shape} is expected."
    where = first_bad(got, want, tol)
    at = f" entry {where[0] if len(where) == 1 else where}" if where else ""
    return f"{what}:{at} is {short(float(got[where]))}, expected {short(float(want[where]))}."


def pair(reply: Reply, call: str, parts: tuple[str, ...]) -> tuple[object, ...]:
    """The parts of an answer that must be a tuple; a slip if it is something else."""
    value = reply.value
    if type(value) not in (tuple, list) or len(value) != len(parts):  # type: ignore[arg-type]
        wanted = ", ".join(parts)
        came = "None; does it end with return" if value is None else f"a value of type {type(value).__name__}"
        if type(value) in (tuple, list):
            came = f"{len(value)} things"  # type: ignore[arg-type]
        raise Slip(f"{call} is to give back {len(parts)} things, ({wanted}); it gave back {came}.")
    return tuple(value)  # type: ignore[arg-type]


def shown(call: Call | None) -> str:
    """A call as a line of code, long values cut."""
    if call is None:
        return "The answer"
    args = [_argument(value) for value in call.args]
    args += [f"{key}={_argument(value)}" for key, value in call.kwargs.items()]
    return f"{call.name}({', '.join(args)})"


def _argument(value: object) -> str:
    if isinstance(value, Handle | Namespace):
        return value.name
    if isinstance(value, Rng):
        return "rng"
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"{value.dtype} array of shape {value.shape}"
    text = short(value)
    return text if len(text) <= 200 else text[:150] + " … " + text[-30:]
