"""Mutation testing of a question: which small faults in its worked answer a check lets pass, and on how many draws.

A check is as good as the faults that it notices. Many mutants compute the same as before and are rightly passed; so
each is also compared with the worked answer, call by call, on draws of its own. Where a question has more right answers
than one, its `thorough` check tells another right answer from a wrong one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from autodiff_kit.exercises.check_runner import attempt_share, grade_attempt
from autodiff_kit.exercises.in_process import InProcessRunner
from autodiff_kit.exercises.parameters import ParameterValues, assignment_lines, bind_parameters
from autodiff_kit.exercises.protocol import Call, CallResult
from autodiff_kit.exercises.question import Question

from .master_notebook import execute_answer
from .mutation import Mutant, make_mutants

__all__ = ["MOST_BY_LUCK", "MutantResult", "try_mutants"]

MOST_BY_LUCK = 0.01
"""The share of the draws on which a fault may pass, or have other points than it usually has."""
ENOUGH_DRAWS = 200
"""As many tell a share of one in a hundred; a mutant whose points are not the same on all of fewer gets these."""
DRAWS_WITHOUT_END = 10  # on as many a mutant must have run into the time limit not to be tried on the others
SECONDS_FOR_A_MUTANT = 1.0  # a call that takes longer is an endless loop; worked answers take a tenth
RETRIES = 3  # as many draws of a mutant that ran into the limit after it had ended on others get ten times as long
OTHER_DRAWS = range(1_000_000, 1_000_008)  # draws on which answers are compared, none of them one of the check's
TOLERANCE = 1e-9

Functions: TypeAlias = dict[str, Callable[..., Any]]


@dataclass(frozen=True)
class MutantResult:
    """What a mutant gets on each draw, and whether it computes anything else than the worked answer.

    Attributes
    ----------
    mutant : Mutant
        The mutant.
    shares : tuple of float
        Its fraction of the points on each draw.
    differs : bool
        Whether it is a wrong answer: it fails on a draw, or a result of it differs from that of the worked answer.
    """

    mutant: Mutant
    shares: tuple[float, ...]
    differs: bool

    @property
    def passed(self) -> float:
        """The share of the draws on which it gets all points although it is wrong; 0 for a right answer."""
        return self.shares.count(1.0) / len(self.shares) if self.differs else 0.0

    @property
    def luck(self) -> float:
        """The share of the draws on which it gets other points than on most of them."""
        return 1 - max(Counter(self.shares).values()) / len(self.shares)

    @property
    def is_missed(self) -> bool:
        """Whether the check is too weak for this fault: it passes, or its points depend on the draw."""
        return self.differs and max(self.passed, self.luck) > MOST_BY_LUCK

    def __str__(self) -> str:
        tried, passed = len(self.shares), self.shares.count(1.0)
        got = " or ".join(f"{share:g}" for share in sorted(set(self.shares)))
        told = f"passes on {passed} of {tried} draws" if passed else f"has {got} of the points, which the draw decides"
        return f"line {self.mutant.line}, {self.mutant.change}, {told}"


def try_mutants(question: Question, draws: int, values: ParameterValues | None = None) -> list[MutantResult]:
    """Check every mutant of a question's worked answer.

    Parameters
    ----------
    question : Question
        The question, with its worked answer.
    draws : int
        Number of random draws on which each mutant is checked. One whose points are not the same on all of them is
        checked on 200.
    values : mapping, optional
        The numbers of a learner, where the question has parameters.

    Returns
    -------
    list of MutantResult
        One for each mutant that can be run.

    Notes
    -----
    A mutant that the time limit stopped on each of the first ten draws does not end; it is not tried on the others,
    where each attempt would take as long, and has nothing there.
    """
    given = assignment_lines(values or {})
    own = bind_parameters(question, values or {})
    right = _functions(own, given + question.solution)
    recorded = [] if right is None or question.thorough else _recorded_calls(own, right)
    results = []
    for mutant in make_mutants(question.solution):
        functions = _functions(own, given + mutant.source)
        if functions is not None:
            shares = _shares(own, functions, draws)
            differs = min(shares) < 1 or _is_wrong(own, functions, recorded)
            results.append(MutantResult(mutant, shares, differs))
    return results


# ---------------------------------------------------------------- running
def _functions(question: Question, source: str) -> Functions | None:
    """The functions of an answer; None if it does not run."""
    try:
        names = execute_answer(f"{question.starter}\n{source}", f"<an answer to {question.id}>")
        return {name: names[name] for name in question.writes}
    except Exception:  # noqa: BLE001 - a fault outside of the functions; the learner sees it without a check
        return None


def _shares(question: Question, functions: Functions, draws: int) -> tuple[float, ...]:
    """The fraction of the points on each draw, and on more draws if they are not all the same."""
    shares: list[float] = []
    ends, retries = False, RETRIES
    while len(shares) < draws:
        started = perf_counter()
        share = _share(question, functions, len(shares))
        in_time = share == 1.0 or perf_counter() - started < SECONDS_FOR_A_MUTANT
        if ends and not in_time and retries:  # it ended before: perhaps the machine is busy
            retries -= 1
            share = _share(question, functions, len(shares), 10 * SECONDS_FOR_A_MUTANT)
        shares.append(share)
        ends = ends or in_time
        if not ends and len(shares) == DRAWS_WITHOUT_END:
            return (*shares, *[0.0] * (draws - len(shares)))
        if len(shares) == draws < ENOUGH_DRAWS and len(set(shares)) > 1:
            draws = ENOUGH_DRAWS
    return tuple(shares)


def _share(question: Question, functions: Functions, seed: int, seconds: float = 0.0) -> float:
    try:
        return attempt_share(question, seed, InProcessRunner(functions, seconds or SECONDS_FOR_A_MUTANT))
    except Exception:  # noqa: BLE001 - an error of the learner's or of the check gives nothing
        return 0.0


def _is_wrong(question: Question, functions: Functions, recorded: list[list[tuple[Call, CallResult]]]) -> bool:
    """Whether an answer that passed is wrong: by the thorough check, or else by comparison with the worked answer."""
    if question.thorough is None:
        return _answers_differ(functions, recorded)
    thorough = replace(question, check=question.thorough)
    return _share(thorough, functions, OTHER_DRAWS[0], 10 * SECONDS_FOR_A_MUTANT) < 1


def _recorded_calls(question: Question, functions: Functions) -> list[list[tuple[Call, CallResult]]]:
    """The calls of other draws with the results of the worked answer."""
    found = []
    for seed in OTHER_DRAWS:
        calls: list[tuple[Call, CallResult]] = []
        runner = InProcessRunner(functions)

        def answer(call: Call, runner: Any = runner, calls: Any = calls) -> CallResult:
            result: CallResult = runner(call)
            calls.append((call, result))
            return result

        with suppress(Exception):  # of the check; the validation of answers tells it
            grade_attempt(question, functions, seed, answer)
        found.append(calls)
    return found


def _answers_differ(functions: Functions, recorded: list[list[tuple[Call, CallResult]]]) -> bool:
    """Whether any of the calls has another result than it had."""
    for calls in recorded:
        runner = InProcessRunner(functions, SECONDS_FOR_A_MUTANT)
        try:
            with np.errstate(all="ignore"):
                if not all(_same(runner(call), want) for call, want in calls):
                    return True
        except Exception:  # noqa: BLE001 - the worked answer raised nothing
            return True
    return False


def _same(got: CallResult, want: CallResult) -> bool:
    told = [(reply.error, bool(reply.warning), reply.changed, reply.shared) for reply in (got, want)]
    return told[0] == told[1] and _close(got.value, want.value) and _close(got.gradients, want.gradients)


def _close(got: Any, want: Any) -> bool:
    """Whether two plain values are equal, numbers within a tolerance."""
    if isinstance(want, list | tuple):
        return isinstance(got, list | tuple) and len(got) == len(want) and all(map(_close, got, want))
    if isinstance(want, dict):
        return type(got) is dict and got.keys() == want.keys() and all(_close(got[key], want[key]) for key in want)
    if isinstance(want, np.ndarray | float):
        a, b = np.asarray(got), np.asarray(want)
        alike = a.shape == b.shape and a.dtype == b.dtype
        tolerance = max(TOLERANCE, 100 * float(np.finfo(b.dtype).eps)) if b.dtype.kind == "f" else TOLERANCE
        return alike and bool(np.allclose(a, b, tolerance, tolerance, equal_nan=True))
    return bool(got == want)
