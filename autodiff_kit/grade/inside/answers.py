"""The functions that a question asks for, at the moments at which they may count.

A name may mean something else at the end of a notebook: ``for row in table``, ``from numpy import *``, a second helper
of the same name, a copy of the starter. The learner's check saw what it meant before. So an answer is a set of
functions together with the notebook's names that they use.
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from autodiff_kit.exercises.check_runner import is_stub

from ..protocol import MAX_ANSWERS

__all__ = ["Answer", "AnswerLog", "function_state"]

_ABSENT = object()
"""The meaning of a name that the notebook has not, such as that of a built-in function."""


def function_state(value: object) -> str:
    """What stands under a name that a question asks for: missing, untouched (the starter) or there."""
    if not callable(value):
        return "missing"
    return "untouched" if is_stub(value) else "there"


class Answer:
    """Functions, and the meaning of all names that they use, now.

    Parameters
    ----------
    functions : mapping
        The functions by the names that a question asks for.
    names : mapping
        The notebook's names.
    """

    def __init__(self, functions: Mapping[str, Any], names: Mapping[str, object]) -> None:
        self.functions = dict(functions)
        self._named = {name: one for name, one in self.functions.items() if names.get(name) is one}
        self.used = _names_used(self.functions.values(), names)

    @property
    def is_complete(self) -> bool:
        """Whether every function is there, and none is the starter."""
        return all(function_state(one) == "there" for one in self.functions.values())

    def is_written_in(self, names: Mapping[str, object]) -> bool:
        """Whether all functions are defined by the notebook's own code."""
        return all(type(one) is FunctionType and one.__globals__ is names for one in self.functions.values())

    def changed(self, names: Mapping[str, object]) -> list[str]:
        """The names that mean something else now."""
        meant = {**self._named, **self.used}
        return [name for name, value in meant.items() if names.get(name, _ABSENT) is not value]

    def restore(self, names: MutableMapping[str, object], at_the_end: Mapping[str, object]) -> None:
        """Give the names that the functions use their meaning, and all others that which they have at the end."""
        wanted = {**at_the_end, **self.used}
        for name in names.keys() | wanted.keys():
            if wanted.get(name, _ABSENT) is _ABSENT:
                names.pop(name, None)
            else:
                names[name] = wanted[name]


class AnswerLog:
    """The answers to one question while a notebook runs.

    Parameters
    ----------
    writes : sequence of str
        The names of the functions that the question asks for.
    names : mapping
        The notebook's names, which change while it runs.
    """

    def __init__(self, writes: Sequence[str], names: Mapping[str, object]) -> None:
        self._writes, self._names = tuple(writes), names
        self._checked: deque[Answer] = deque(maxlen=MAX_ANSWERS)
        self._written: Answer | None = None

    def keep_checked(self, functions: Sequence[object], seen: Mapping[str, object]) -> None:
        """Keep the functions that a check takes: those that were given to it, or those under the right names."""
        if len(functions) not in (0, len(self._writes)):
            return
        given = dict(zip(self._writes, functions, strict=True)) if functions else self._pick(seen)
        found = Answer(given, self._names)
        if found.is_complete:
            self._checked.append(found)

    def keep_written(self) -> None:
        """Keep the functions after a cell, where they are new and the notebook's own code defines all of them."""
        functions = self._pick(self._names)
        if self._written is not None and all(functions[name] is self._written.functions[name] for name in functions):
            return
        found = Answer(functions, self._names)
        if found.is_written_in(self._names) and found.is_complete:
            self._written = found

    def all(self) -> list[Answer]:
        """What may count, the likeliest first: as it stands at the end, as checks saw it, as its cell left it."""
        found = [*reversed(self._checked), *filter(None, [self._written])]
        ended = Answer(self._pick(self._names), self._names)
        if ended.is_complete:
            found.insert(0 if ended.is_written_in(self._names) else len(found), ended)
        distinct: dict[tuple[int, ...], Answer] = {}
        for one in found:
            distinct.setdefault(tuple(map(id, (*one.functions.values(), *one.used.values()))), one)
        return [*distinct.values()][:MAX_ANSWERS]

    def _pick(self, names: Mapping[str, object]) -> dict[str, object]:
        return {name: names.get(name) for name in self._writes}


def _names_used(functions: Any, names: Mapping[str, object]) -> dict[str, object]:
    """The notebook's names that functions use, and what those use in turn, with their meaning."""
    found: dict[str, object] = {}
    waiting = list(functions)
    while waiting:
        for code in _codes_of(waiting.pop(), names):
            for step in dis.get_instructions(code):
                name = step.argval
                if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and name not in found:
                    found[name] = names.get(name, _ABSENT)
                    waiting.append(found[name])
    return found


def _codes_of(value: object, names: Mapping[str, object]) -> Iterator[CodeType]:
    """The code of a function or class that the notebook defines, and that of the functions inside of it."""
    functions = map(_plain_function, vars(value).values()) if type(value) is type else [value]
    waiting = [one.__code__ for one in functions if type(one) is FunctionType and one.__globals__ is names]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [one for one in code.co_consts if type(one) is CodeType]


def _plain_function(member: object) -> object:
    """The function of a class's method, of whichever kind."""
    if type(member) in (staticmethod, classmethod):
        return member.__func__  # type: ignore[attr-defined]
    return member.fget if type(member) is property else member
