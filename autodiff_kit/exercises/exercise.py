"""What a learner holds in the notebook: ``q1.check()``, ``q1.hint()``, ``q1.solution()``."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from autodiff_kit.errors import StructureError

from .check_runner import Verdict, draw, grade, seed_of
from .messages import Example, Listing, Note, Result, as_points, of_points, shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from autodiff_kit.lessons.progress import Progress, QuestionState

    from .question import Lesson, Question

__all__ = ["Exercise", "Graded", "exercise"]

COST_OF_HINT_3 = 0.25
TRIES_BEFORE_SOLUTION = 2


class Graded:
    """One question in the learner's hands.

    Parameters
    ----------
    question : Question
        What is asked.
    label : str
        Its variable in the notebook, such as ``q1``.
    notebook : str
        The notebook's slug.
    """

    def __init__(self, question: Question, label: str, notebook: str) -> None:
        self._question, self.label, self._notebook = question, label, notebook
        self.id, self.points, self.title = question.id, question.points, question.title

    def __repr__(self) -> str:
        return f"{self.label} ({self.id}): {self.title}, {self.points} point{'s' * (self.points != 1)}"

    @property
    def example(self) -> SimpleNamespace:
        """Your own numbers to try things with; the check draws others."""
        numbers = self._question.example(draw(self.id, "own:" + learner()))
        return Example(**numbers)

    def check(self, *functions: Callable[..., Any], seed: int | None = None) -> Result:
        """Check what you wrote, tell you how it went, and remember it.

        Parameters
        ----------
        *functions : callable, optional
            Your functions, in the question's order; found by their names if left out.
        seed : int, optional
            Repeat the draw of an earlier check; a repeat is not counted.

        Returns
        -------
        Result
            Outcome, score, message, misconception and seed.

        Raises
        ------
        StructureError
            If some of the functions are handed over, and not all.
        """
        began = time.perf_counter()
        past = _progress().question(self.id)
        used = seed_of(self.id, learner(), past.tries + 1) if seed is None else seed
        found = self._given(functions) if functions else self._find(_namespace())
        missing = [name for name in self._question.writes if not callable(found.get(name))]
        verdict = _absent(missing) if missing else grade(self._question, found, used)
        cost = COST_OF_HINT_3 if past.hints_seen >= 3 else 0.0
        score = self.points * verdict.share * (1 - cost)
        ms = 1000 * (time.perf_counter() - began)
        if seed is None and verdict.outcome != "not attempted":
            _progress().attempt(
                self.id, notebook=self._notebook, points=self.points, outcome=verdict.outcome, score=score,
                ms=ms, message=verdict.message, cell_sha=_fingerprint(found),
                tests=[(part.name, part.right, part.of) for part in verdict.parts],
            )  # fmt: skip
        result = Result(
            verdict, score=score, points=self.points, seed=used, after=self._after(verdict, used, seed, past)
        )
        result.show()
        return result

    def graded(self) -> float:
        """Check what you wrote as a grader does: nothing is said, nothing is remembered, no hint is counted.

        For nbgrader's and otter's tests, which take the number as it is.

        Returns
        -------
        float
            Points. The draw depends on the question, the learner and, where it is set, on the environment's
            ``AUTODIFF_KIT_SECRET``.
        """
        found = self._find(_namespace())
        if not all(callable(function) for function in found.values()):
            return 0.0
        secret = os.environ.get("AUTODIFF_KIT_SECRET", "")
        return float(self.points * grade(self._question, found, seed_of(self.id, secret + learner(), 0)).share)

    def hint(self, n: int | None = None) -> Note:
        """Give the next hint; the third costs a quarter of the points, and is given when asked for by number.

        Parameters
        ----------
        n : int, optional
            1, 2 or 3; the next one, if left out.

        Returns
        -------
        Note
            The hint, or what hint 3 would cost.

        Raises
        ------
        StructureError
            If there is no such hint.
        """
        past = _progress().question(self.id)
        wanted = min(past.hints_seen + 1, 3) if n is None else n
        if wanted not in (1, 2, 3):
            raise StructureError(
                f"There are three hints; got n={n!r}. Ask for {self.label}.hint() or hint(1) to hint(3)."
            )
        if wanted == 3 and n is None and past.hints_seen < 3 and past.state != "passed":
            loss = as_points(self.points * COST_OF_HINT_3)
            note = Note(
                "One more hint",
                f"Hint 3 nearly gives the answer and costs a quarter of the points ({loss} of "
                f"{self.points}). If you want it, ask for `{self.label}.hint(3)`.",
            )
        else:
            _progress().see_hint(self.id, wanted, self._notebook, self.points)
            more = f"\nThere is more: `{self.label}.hint()`." if wanted < 3 else ""
            note = Note(f"Hint {wanted} of 3", self._question.hints[wanted - 1] + more)
        note.show()
        return note

    def solution(self) -> Note:
        """Show a worked answer, after two tries or a pass.

        Returns
        -------
        Note
            The answer as code, or what is still to be done for it.
        """
        past = _progress().question(self.id)
        if past.tries < TRIES_BEFORE_SOLUTION and past.state != "passed":
            left = TRIES_BEFORE_SOLUTION - past.tries
            tries = "one more honest try" if left == 1 else "two honest tries"
            note: Note = Note(
                "Not just yet", f"The solution opens after {tries}. `{self.label}.hint()` helps on the way."
            )
        elif not self._question.solution:
            note = Note("Your teacher has it", f"The worked answer of {self.id} does not travel with this exercise.")
        else:
            _progress().see_solution(self.id, self._notebook, self.points)
            note = Listing(f"One solution of {self.id}", self._question.solution)
        note.show()
        return note

    def _given(self, functions: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
        writes = self._question.writes
        if len(functions) != len(writes):
            names = ", ".join(writes)
            raise StructureError(
                f"{self.label}.check() finds your functions by name; to hand them over, give all of them: "
                f"{self.label}.check({names}). Got {len(functions)}."
            )
        return dict(zip(writes, functions, strict=True))

    def _find(self, names: Mapping[str, Any]) -> dict[str, Any]:
        return {name: names.get(name) for name in self._question.writes}

    def _after(self, verdict: Verdict, used: int, seed: int | None, past: QuestionState) -> str:
        """What follows the message: how to repeat the draw, and what is open now."""
        if verdict.outcome == "not attempted":
            return ""
        if verdict.outcome == "passed":
            if seed is not None:
                return f"\nThat was draw {seed} again. `{self.label}.check()` draws anew, and that counts."
            return "\nHint 3 was seen: a quarter less." if past.hints_seen >= 3 else ""
        again = f"\nDraw {used}: `{self.label}.check(seed={used})` repeats it."
        return again if verdict.outcome == "error" else again + f" `{self.label}.hint()` gives a hint."


class Exercise:
    """The questions of one lesson: unpack them, or take them by name (``ex.q1``).

    Parameters
    ----------
    lesson : Lesson
        Whose questions they are.
    """

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._questions = tuple(Graded(q, f"q{i}", lesson.slug) for i, q in enumerate(lesson.questions, 1))

    def __iter__(self) -> Iterator[Graded]:
        return iter(self._questions)

    def __len__(self) -> int:
        return len(self._questions)

    def __getitem__(self, place: int) -> Graded:
        found: Graded = self._questions[place]
        return found

    def __getattr__(self, name: str) -> Graded:
        asked: tuple[Graded, ...] = self.__dict__.get("_questions", ())
        for question in asked:
            if question.label == name:
                return question
        raise AttributeError(f"This exercise has q1 to q{len(self)}; got {name!r}.")

    def __repr__(self) -> str:
        so_far = f"{of_points(self.score, self._lesson.points)} so far"
        lines = [f"{self._lesson.no} · {self._lesson.title}: {so_far}"]
        return "\n".join([*lines, *(_row(question) for question in self)])

    @property
    def score(self) -> float:
        """Points so far: the best attempt of each question."""
        return float(sum(_progress().question(question.id).best for question in self))


def exercise(no: str | int) -> Exercise:
    """The graded questions of a lesson.

    Parameters
    ----------
    no : str or int
        The lesson's number, such as ``"01"``; or the name of an exercise whose checks lie beside the notebook.

    Returns
    -------
    Exercise
        Unpacks into ``q1, q2, ...``.

    Raises
    ------
    StructureError
        If the lesson has no exercise.

    Examples
    --------
    >>> q1, *others = exercise("01")
    >>> q1
    q1 (jvp-1): Both columns of the table, 3 points
    """
    from .custom import find
    from .questions import LESSONS

    lesson = LESSONS.get(f"{no:0>2}") or find(str(no))
    if lesson is None:
        raise StructureError(
            f"There is no exercise {no!r}; there are {', '.join(sorted(LESSONS))}. "
            f"An exercise of your teacher's needs its folder {no}_checks beside the notebook."
        )
    return Exercise(lesson)


def learner() -> str:
    """The learner's random id, from the working folder; outside of one, a guest's."""
    from autodiff_kit.lessons import workspace

    root = workspace.find_working_folder()
    return os.environ.get("AUTODIFF_KIT_LEARNER") or ("guest" if root is None else workspace.learner_id(root))


def _progress() -> Progress:
    from autodiff_kit.lessons.progress import progress

    return progress()


def _namespace() -> dict[str, Any]:
    """Names where check() was called: the notebook's, else the caller's."""
    running = shell()
    frame = sys._getframe(2)
    return {**(running.user_ns if running is not None else {}), **frame.f_globals, **frame.f_locals}


def _absent(missing: list[str]) -> Verdict:
    names = " and ".join(f"`{name}`" for name in missing)
    return Verdict(
        "not attempted",
        0.0,
        f"There is no function {names} yet. Run the cell that defines it, then check again.",
    )


def _fingerprint(functions: Mapping[str, Any]) -> str:
    """A hash of the functions' text, so that attempts can be told apart; the text itself is not kept."""
    sha = hashlib.sha256()
    for function in functions.values():
        try:
            sha.update(inspect.getsource(function).encode())
        except (IndexError, OSError, SyntaxError, TypeError):
            sha.update(getattr(getattr(function, "__code__", None), "co_code", b""))
    return sha.hexdigest()


def _row(question: Graded) -> str:
    state = _progress().question(question.id)
    score = f"{as_points(state.best)} of {question.points}"
    return f"  {question.label}  {state.state:<9}  {score:>9}  {question.title}"
