"""Grade one attempt: draw cases, run the check, and turn the outcome into a verdict; independent of any notebook."""

from __future__ import annotations

import dis
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.lessons.translation import translate

from .compare import NoneResultError
from .diagnosis import AttemptEvaluation, CaseFailedError, SubtestResult, format_call
from .in_process import InProcessRunner, run_script
from .protocol import LearnerCodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .protocol import Call, CallResult
    from .question import Question

__all__ = ["Verdict", "attempt_seed", "attempt_share", "grade_attempt", "is_stub", "question_rng"]

# Where two misconceptions explain every failed case, the check draws more cases, at most this many times.
MAX_DRAWS = 4


@dataclass(frozen=True)
class Verdict:
    """The outcome of one attempt.

    Attributes
    ----------
    outcome : str
        passed, partial, not yet, error or not attempted.
    share : float
        Fraction of the points, before the cost of a hint.
    message : str
        The message for the learner.
    misconception : str
        The misconception that explains every failed case, or empty.
    parts : tuple of SubtestResult
        Checked quantities; empty if the check did not finish.
    """

    outcome: str
    share: float
    message: str
    misconception: str = ""
    parts: tuple[SubtestResult, ...] = ()


def attempt_seed(question: str, learner: str, attempt: int) -> int:
    """Seed of an attempt, which a failure shows: a hash of question, learner and attempt number."""
    digest = hashlib.sha256(f"{question}:{learner}:{attempt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 900_000 + 100_000


def question_rng(question: str, seed: int | str, part: int = 0) -> np.random.Generator:
    """Random generator of a question for a seed; each part of the same seed is independent of the others."""
    digest = hashlib.sha256(f"{question}/{seed}/{part}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def grade_attempt(
    question: Question,
    functions: Mapping[str, Callable[..., Any]],
    seed: int | str,
    answer: Callable[[Call], CallResult] | None = None,
) -> Verdict:
    """Check one attempt.

    Parameters
    ----------
    question : Question
        The question.
    functions : mapping
        The learner's functions by name.
    seed : int or str
        Seed of the check's random generator.
    answer : callable, optional
        Runs the calls; by default in this process. With another runner, ``functions`` may be empty.

    Returns
    -------
    Verdict
        Outcome, share of the points, message and misconception.
    """
    if answer is None:
        empty = [name for name in question.writes if is_stub(functions[name])]
        if empty:
            return Verdict("not attempted", 0.0, _stub_message(empty, question.writes))
        answer = InProcessRunner(functions)
    attempt = AttemptEvaluation()
    try:
        _run_check(question, attempt, seed, answer)
    except LearnerCodeError as error:
        where = "\n" + translate("Your code, {place}").format(place=error.place) if error.place else ""
        text = error.text
        if isinstance(error, NoneResultError) and attempt.last is not None:
            text = error.describe_within(attempt.last.name, attempt.result)
        return Verdict("error", 0.0, f"{text}{where}\n{translate('This cost no try.')}")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        words = translate(
            "{call} returned something that cannot be checked ({error}). Look at its types and shapes."
        ).format(call=format_call(attempt.last), error=error)
        return Verdict("error", 0.0, f"{words} {translate('This cost no try.')}")
    return _verdict(question, attempt, _counterexample(question, attempt, answer))


def attempt_share(question: Question, seed: int | str, answer: Callable[[Call], CallResult]) -> float:
    """The fraction of the points that an attempt earns; the check ends when there are none left.

    Parameters
    ----------
    question : Question
        The question.
    seed : int or str
        Seed of the check's random generator.
    answer : callable
        Runs the calls. What it raises ends the check.

    Returns
    -------
    float
        As ``grade_attempt(...).share``, after fewer calls.
    """
    attempt = AttemptEvaluation(ends_without_points=True)
    try:
        _run_check(question, attempt, seed, answer)
    except CaseFailedError:
        return 0.0
    return attempt.share


def _run_check(
    question: Question, attempt: AttemptEvaluation, seed: int | str, answer: Callable[[Call], CallResult]
) -> None:
    """Run a check, and again with other cases while two misconceptions explain every failed one."""
    for part in range(MAX_DRAWS):
        with np.errstate(all="ignore"):
            run_script(
                question.check(attempt, question_rng(question.id, seed, part)),
                _detecting_mutation(question, attempt, answer),
            )
        if len(attempt.common_misconceptions) <= 1:
            break


def _counterexample(question: Question, attempt: AttemptEvaluation, answer: Callable[[Call], CallResult]) -> str:
    """The smallest case on which the functions fail, where no misconception is named; empty if none was found.

    A warning is shown with its line instead, which tells more than the nan that follows from it.
    """
    if question.counterexample is None or attempt.share or attempt.explanation:
        return ""
    first = attempt.failed_cases[0]
    if first.call is None or "warning" in first.facts:
        return ""
    try:
        with np.errstate(all="ignore"):
            return str(run_script(question.counterexample(first.call), answer))
    except (LearnerCodeError, ArithmeticError, LookupError, TypeError, ValueError):
        return ""  # a smaller case may be one on which the functions never end; the first failed case is shown then


def _detecting_mutation(
    question: Question, attempt: AttemptEvaluation, answer: Callable[[Call], CallResult]
) -> Callable[[Call], CallResult]:
    """Wrap the function that runs calls: an argument that was changed in place becomes a failed case."""

    def run(call: Call) -> CallResult:
        attempt.begin_call(call)
        reply = answer(replace(call, without=question.without))
        attempt.result = reply.value
        for place in reply.changed:
            words = translate(
                "{call} changed its argument number {number}. Work on a copy: the caller may need the original."
            ).format(call=format_call(call), number=place + 1)
            attempt.behave(False, question.spoils.get(place, ""), words, half=False)
        return reply

    return run


def _verdict(question: Question, attempt: AttemptEvaluation, counterexample: str) -> Verdict:
    if not attempt.failed_cases:
        return Verdict("passed", 1.0, question.praise or translate("Every case is right."), parts=attempt.parts)
    names = attempt.explanation
    messages = [question.messages[name].format_map(attempt.facts_of(name)) for name in names]
    if len(messages) > 1:
        messages = [f"{place}. {message}" for place, message in enumerate(messages, 1)]
        messages.insert(0, translate("There are two things to change."))
    outcome = "partial" if attempt.share else "not yet"
    message = "\n".join(messages) or counterexample or attempt.failed_cases[0].text
    return Verdict(outcome, attempt.share, message, " and ".join(names), attempt.parts)


def _stub_message(empty: list[str], writes: tuple[str, ...]) -> str:
    names = ", ".join(f"`{name}`" for name in empty)
    if len(empty) == len(writes):
        state = translate("Nothing to check yet: the starter of {names} is unchanged.")
    else:
        state = translate("A good start. Still unchanged: {names}.")
    return f"{state.format(names=names)} {translate('Write the function, run the cell, and check again.')}"


def is_stub(function: object) -> bool:
    """Whether a function only returns None, as every starter does."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP")]
    idle = all(step.opname in ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST") for step in steps)
    return idle and all(step.argval is None for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST"))
