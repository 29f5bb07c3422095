"""Runs a question's check and puts the outcome into words; stores nothing and knows of no notebook."""

from __future__ import annotations

import dis
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .diagnosis import Attempt, Part, shown
from .in_process import InProcess, drive
from .protocol import Slip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .protocol import Call, Reply
    from .question import Question

__all__ = ["Verdict", "draw", "grade", "seed_of", "untouched"]

# A miss that two misconceptions explain is drawn again; after this many draws the plain message has to do.
DRAWS = 4


@dataclass(frozen=True)
class Verdict:
    """The outcome of one attempt.

    Attributes
    ----------
    outcome : str
        passed, partial, not yet, error or not attempted.
    share : float
        Part of the points, before any hint's cost.
    message : str
        One kind sentence or two.
    misconception : str
        The name that explains every failing case, or nothing.
    parts : tuple of Part
        What was looked at, by name; nothing where the check did not come to its end.
    """

    outcome: str
    share: float
    message: str
    misconception: str = ""
    parts: tuple[Part, ...] = ()


def seed_of(question: str, learner: str, attempt: int) -> int:
    """The number that a failure shows: drawn from question, learner and attempt."""
    digest = hashlib.sha256(f"{question}:{learner}:{attempt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 900_000 + 100_000


def draw(question: str, seed: int | str, part: int = 0) -> np.random.Generator:
    """Random numbers of a question for a seed; other parts of the same seed are independent."""
    digest = hashlib.sha256(f"{question}/{seed}/{part}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def grade(
    question: Question,
    functions: Mapping[str, Callable[..., Any]],
    seed: int | str,
    answer: Callable[[Call], Reply] | None = None,
) -> Verdict:
    """Check one attempt.

    Parameters
    ----------
    question : Question
        What is asked.
    functions : mapping
        The learner's functions by name.
    seed : int or str
        Where the check draws from.
    answer : callable, optional
        Who runs the calls; this process, if left out. With another, ``functions`` may be empty.

    Returns
    -------
    Verdict
        Outcome, share of the points, message and misconception.
    """
    if answer is None:
        empty = [name for name in question.writes if untouched(functions[name])]
        if empty:
            return Verdict("not attempted", 0.0, _still_empty(empty, question.writes))
        answer = InProcess(functions)
    attempt = Attempt()
    try:
        for part in range(DRAWS):
            with np.errstate(all="ignore"):
                drive(
                    question.check(attempt, draw(question.id, seed, part)),
                    _watched(question, attempt, answer),
                )
            if len(attempt.common) <= 1:
                break
    except Slip as slip:
        where = f"\nYour code, {slip.place}" if slip.place else ""
        return Verdict("error", 0.0, f"{slip.text}{where}\nThis cost no try.")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        words = f"{shown(attempt.last)} gave back something that cannot be judged ({error})."
        return Verdict("error", 0.0, f"{words} Look at its types and shapes. This cost no try.")
    return _verdict(question, attempt)


def _watched(question: Question, attempt: Attempt, answer: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
    """The answerer, with every reply looked at for arguments that were written into."""

    def run(call: Call) -> Reply:
        attempt.asks(call)
        reply = answer(call)
        for place in reply.changed:
            words = (
                f"{shown(call)} changed the argument in place {place + 1} that it was given. "
                "Work on a copy: the caller may still need it."
            )
            attempt.behave(False, question.spoils.get(place, ""), words, half=False)
        return reply

    return run


def _verdict(question: Question, attempt: Attempt) -> Verdict:
    if not attempt.misses:
        return Verdict("passed", 1.0, question.praise or "Every case is right.", parts=attempt.parts)
    name = next(iter(attempt.common)) if len(attempt.common) == 1 else ""
    first = attempt.misses[0]
    message = question.messages[name].format_map(first.facts) if name else first.text
    outcome = "partial" if attempt.share else "not yet"
    return Verdict(outcome, attempt.share, message, name, attempt.parts)


def _still_empty(empty: list[str], writes: tuple[str, ...]) -> str:
    names = " and ".join(f"`{name}`" for name in empty)
    verb, what = ("is", "it") if len(empty) == 1 else ("are", "them")
    if len(empty) == len(writes):
        state = f"Nothing to check yet: {names} {verb} still as you found {what}."
    else:
        state = f"A good start. {names} {verb} still empty."
    return f"{state} Write {what}, run the cell, and check again."


def untouched(function: object) -> bool:
    """Whether a function does nothing but give back None, as every starter does."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP")]
    idle = all(step.opname in ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST") for step in steps)
    return idle and all(step.argval is None for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST"))
