"""The interface of exercises in a notebook: ``q1.check()``, ``q1.hint()``, ``q1.solution()``."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
import time
from dataclasses import replace
from difflib import get_close_matches
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from autodiff_kit.errors import StructureError
from autodiff_kit.lessons.ipython_shell import ipython_shell
from autodiff_kit.lessons.translation import translate
from autodiff_kit.lessons.undefined_names import explain_undefined_names

from .check_runner import Verdict, attempt_seed, grade_attempt, is_stub, question_rng
from .messages import CheckResult, CodeListing, ExampleData, LearnerMessage, format_points, format_score
from .parameters import bind_parameters, draw_parameters, format_parameters
from .question import no_public_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from autodiff_kit.lessons.progress import Progress, QuestionState

    from .question import Lesson, Question

__all__ = ["Exercise", "GradedQuestion", "caller_namespace", "exercise"]

COST_OF_HINT_3 = 0.25
TRIES_BEFORE_SOLUTION = 2
SIMILAR_NAME = 0.7
"""From which likeness on (difflib's ratio) a function of another name is taken for the one that is missing."""


def _similar_names(wanted: str, names: list[str]) -> list[str]:
    """The name that is most like the wanted one; otherwise one that has it as a part, such as pull_back for pull."""
    return get_close_matches(wanted, names, 1, SIMILAR_NAME) or [name for name in names if wanted in name.split("_")]


class GradedQuestion:
    """One question of a notebook: check an answer, take hints, see the worked solution.

    Parameters
    ----------
    question : Question
        The question.
    label : str
        Its variable in the notebook, such as ``q1``.
    lesson : Lesson
        The exercise that it belongs to.
    login : str, optional
        The learner's login, from which the question's parameters follow.
    """

    def __init__(self, question: Question, label: str, lesson: Lesson, login: str = "") -> None:
        self.label, self._notebook = label, lesson.slug
        self._question = bind_parameters(question, draw_parameters(lesson, question, login) if login else {})
        self._asked = frozenset(name for one in lesson.questions for name in one.writes)
        self.id, self.points, self.title = question.id, question.points, question.title

    def __repr__(self) -> str:
        return f"{self.label} ({self.id}): {self.title}, {self.points} point{'s' * (self.points != 1)}"

    @property
    def example(self) -> SimpleNamespace:
        """Inputs to try your functions with, the same each time; the check draws others."""
        numbers = self._question.example(question_rng(self.id, "own:" + learner_id()))
        return ExampleData(**numbers)

    def check(self, *functions: Callable[..., Any], seed: int | None = None) -> CheckResult:
        """Check your functions, show the result, and store it in your progress.

        Parameters
        ----------
        *functions : callable, optional
            Your functions, in the question's order; found by their names if left out.
        seed : int, optional
            Repeat the draw of an earlier check; a repeat is not counted.

        Returns
        -------
        CheckResult
            Outcome, score, message, misconception and seed.

        Raises
        ------
        StructureError
            If some of the functions are passed, but not all.
        """
        began = time.perf_counter()
        past = _progress().question(self.id)
        used = attempt_seed(self.id, learner_id(), past.tries + 1) if seed is None else seed
        names = {} if functions else caller_namespace()
        found = self._functions_by_position(functions) if functions else self._functions_by_name(names)
        missing = [name for name in self._question.writes if not callable(found.get(name))]
        if self._question.parameters:
            verdict = Verdict("not attempted", 0.0, _no_login_text(self._notebook, self.label))
        elif missing:
            verdict = _missing_functions_verdict(missing)
        else:
            verdict = grade_attempt(self._question, found, used)
        if verdict.outcome == "not attempted" and not self._question.parameters:
            verdict = self._renamed_functions_verdict(names) or verdict
        if self._question.private and verdict.outcome != "not attempted":
            return self._graded_later(verdict, used)
        cost = COST_OF_HINT_3 if past.hints_seen >= 3 else 0.0
        score = self.points * verdict.share * (1 - cost)
        ms = 1000 * (time.perf_counter() - began)
        if seed is None and verdict.outcome != "not attempted":
            _progress().attempt(
                self.id, notebook=self._notebook, points=self.points, outcome=verdict.outcome, score=score,
                ms=ms, message=verdict.message, cell_sha=_source_hash(found),
                tests=[(part.name, part.right, part.of) for part in verdict.parts],
            )  # fmt: skip
        result = CheckResult(
            verdict, score=score, points=self.points, seed=used, after=self._follow_up(verdict, used, seed, past)
        )
        result.show()
        return result

    def _graded_later(self, verdict: Verdict, used: int) -> CheckResult:
        """The result of a private question: that of its public examples, if it has any; nothing is stored."""
        if self._question.check is no_public_check:
            verdict = Verdict("graded later", 0.0, translate("Your functions are there."))
        elif verdict.outcome == "passed":
            verdict = replace(verdict, outcome="graded later", message=translate("The public examples are right."))
        after = "\n" + translate("Your teacher grades this question later, with a check that is not in this notebook.")
        result = CheckResult(verdict, score=0.0, points=self.points, seed=used, after=after)
        result.show()
        return result

    def graded(self) -> float:
        """Check your functions as a grader does: nothing is shown or stored, and hints cost nothing.

        For nbgrader's and otter's tests, which use the number unchanged.

        Returns
        -------
        float
            Points. The draw depends on the question, the learner and, if it is set, the environment variable
            ``AUTODIFF_KIT_SECRET``.
        """
        found = self._functions_by_name(caller_namespace())
        if self._question.private or not all(callable(function) for function in found.values()):
            return 0.0
        secret = os.environ.get("AUTODIFF_KIT_SECRET", "")
        return float(
            self.points * grade_attempt(self._question, found, attempt_seed(self.id, secret + learner_id(), 0)).share
        )

    def hint(self, n: int | None = None) -> LearnerMessage:
        """Show the next hint; the third costs a quarter of the points and must be requested by number.

        Parameters
        ----------
        n : int, optional
            1, 2 or 3; by default the next one.

        Returns
        -------
        LearnerMessage
            The hint, or the cost of hint 3.

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
            loss = format_points(self.points * COST_OF_HINT_3)
            text = translate(
                "Hint 3 nearly gives the answer and costs a quarter of the points ({loss} of {points}). "
                "If you want it, ask for `{label}.hint(3)`."
            )
            note = LearnerMessage(
                translate("One more hint"), text.format(loss=loss, points=self.points, label=self.label)
            )
        else:
            _progress().see_hint(self.id, wanted, self._notebook, self.points)
            more = "\n" + translate("There is more: `{label}.hint()`.").format(label=self.label) if wanted < 3 else ""
            heading = translate("Hint {number} of 3").format(number=wanted)
            note = LearnerMessage(heading, self._question.hints[wanted - 1] + more)
        note.show()
        return note

    def solution(self) -> LearnerMessage:
        """Show a worked answer, after two tries or a pass.

        Returns
        -------
        LearnerMessage
            The answer as code, or what is still missing to see it.
        """
        past = _progress().question(self.id)
        if not self._question.solution:
            text = translate("The worked answer of {id} is not part of this exercise.").format(id=self.id)
            note: LearnerMessage = LearnerMessage(translate("Your teacher has it"), text)
        elif past.tries < TRIES_BEFORE_SOLUTION and past.state != "passed":
            left = TRIES_BEFORE_SOLUTION - past.tries
            text = translate(
                "The solution opens after one more honest try. `{label}.hint()` helps until then."
                if left == 1
                else "The solution opens after two honest tries. `{label}.hint()` helps until then."
            )
            note = LearnerMessage(translate("Not just yet"), text.format(label=self.label))
        else:
            _progress().see_solution(self.id, self._notebook, self.points)
            note = CodeListing(translate("One solution of {id}").format(id=self.id), self._question.solution)
        note.show()
        return note

    def _functions_by_position(self, functions: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
        writes = self._question.writes
        if len(functions) != len(writes):
            names = ", ".join(writes)
            raise StructureError(
                f"{self.label}.check() finds your functions by name; to hand them over, give all of them: "
                f"{self.label}.check({names}). Got {len(functions)}."
            )
        return dict(zip(writes, functions, strict=True))

    def _functions_by_name(self, names: Mapping[str, Any]) -> dict[str, Any]:
        return {name: names.get(name) for name in self._question.writes}

    def _renamed_functions_verdict(self, names: Mapping[str, Any]) -> Verdict | None:
        """The message for functions that are in the notebook under a similar name; None if there are none.

        A function that another question of the exercise asks for is not taken for this question's.
        """
        own = [
            name for name, value in names.items() if name not in self._asked and _is_written_here(name, value, names)
        ]
        text = translate("You defined `{got}`; the check wants `{wanted}`. Rename it, run its cell, then check again.")
        told = [
            text.format(got=near[0], wanted=name)
            for name in self._question.writes
            if (not callable(names.get(name)) or is_stub(names[name])) and (near := _similar_names(name, own))
        ]
        return Verdict("not attempted", 0.0, "\n".join(told)) if told else None

    def _follow_up(self, verdict: Verdict, used: int, seed: int | None, past: QuestionState) -> str:
        """Text after the message: how to repeat the draw, and that there are hints."""
        if verdict.outcome == "not attempted":
            return ""
        if verdict.outcome == "passed":
            if seed is not None:
                text = translate("This repeats draw {seed} and does not count. `{label}.check()` draws anew.")
                return "\n" + text.format(seed=seed, label=self.label)
            return "\n" + translate("Hint 3 was seen: a quarter less.") if past.hints_seen >= 3 else ""
        again = translate("Draw {seed}: `{label}.check(seed={seed})` repeats it.")
        hint = "" if verdict.outcome == "error" else " " + translate("`{label}.hint()` gives a hint.")
        return "\n" + (again + hint).format(seed=used, label=self.label)


class Exercise:
    """The questions of one lesson: unpack them, or take them by name (``ex.q1``).

    Parameters
    ----------
    lesson : Lesson
        The lesson of the questions.
    login : str, optional
        The learner's login, for questions with parameters.
    """

    def __init__(self, lesson: Lesson, login: str = "") -> None:
        self._lesson = lesson
        self._questions = tuple(GradedQuestion(q, f"q{i}", lesson, login) for i, q in enumerate(lesson.questions, 1))

    def __iter__(self) -> Iterator[GradedQuestion]:
        return iter(self._questions)

    def __len__(self) -> int:
        return len(self._questions)

    def __getitem__(self, place: int) -> GradedQuestion:
        found: GradedQuestion = self._questions[place]
        return found

    def __getattr__(self, name: str) -> GradedQuestion:
        asked: tuple[GradedQuestion, ...] = self.__dict__.get("_questions", ())
        for question in asked:
            if question.label == name:
                return question
        raise AttributeError(f"This exercise has q1 to q{len(self)}; got {name!r}.")

    def __repr__(self) -> str:
        so_far = f"{format_score(self.score, self._lesson.points)} so far"
        lines = [f"{self._lesson.no} · {self._lesson.title}: {so_far}"]
        return "\n".join([*lines, *(_format_progress(question) for question in self)])

    @property
    def score(self) -> float:
        """Points so far: the best attempt of each question."""
        return float(sum(_progress().question(question.id).best for question in self))


def exercise(no: str | int, login: str = "") -> Exercise:
    """The graded questions of a lesson.

    Parameters
    ----------
    no : str or int
        The lesson's number, such as ``"01"``; or the name of an exercise whose checks are next to the notebook.
    login : str, optional
        Your login, as your course lists it: some exercises have numbers that are drawn for each learner.

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
    q1 (jvp-1): Push and pull through a list of steps, 3 points
    """
    from .custom import find_custom_exercise
    from .questions import LESSONS

    lesson = LESSONS.find(str(no)) or find_custom_exercise(str(no))
    if lesson is None:
        raise StructureError(
            f"There is no exercise {no!r}; there are {', '.join(sorted(LESSONS))}. "
            f"An exercise of your teacher's needs its folder {no}_checks next to the notebook."
        )
    explain_undefined_names("exercises", lesson.slug)
    login = str(login).strip()
    _show_parameters(lesson, login)
    return Exercise(lesson, login)


def learner_id() -> str:
    """The learner's random id from the working folder; "guest" outside of one."""
    from autodiff_kit.lessons import workspace

    root = workspace.find_working_folder()
    return os.environ.get("AUTODIFF_KIT_LEARNER") or ("guest" if root is None else workspace.learner_id(root))


def _show_parameters(lesson: Lesson, login: str) -> None:
    """Show the learner's numbers, or how to get them; nothing where no question has parameters."""
    asked = {f"q{i}": question for i, question in enumerate(lesson.questions, 1) if question.parameters}
    if not asked:
        return
    if not login:
        LearnerMessage(translate("Your login"), _no_login_text(lesson.slug, ", ".join(asked))).show()
        return
    head = translate(
        "They follow from your login, `{login}`; most others have other numbers. Write yours into your answers."
    )
    lines = [
        f"{label}: {format_parameters(draw_parameters(lesson, question, login))}" for label, question in asked.items()
    ]
    LearnerMessage(translate("Your numbers"), "\n".join([head.format(login=login), *lines])).show()


def _no_login_text(slug: str, labels: str) -> str:
    text = translate(
        "The numbers of {labels} are drawn for each learner. Write your login, as your course lists it, into the first "
        'cell, `exercise("{slug}", login="…")`, and run that cell again.'
    )
    return text.format(labels=labels, slug=slug)


def _progress() -> Progress:
    from autodiff_kit.lessons.progress import progress

    return progress()


def caller_namespace() -> dict[str, Any]:
    """Variables at the call of check(): those of the notebook and of the caller."""
    running = ipython_shell()
    frame = sys._getframe(2)
    return {**(running.user_ns if running is not None else {}), **frame.f_globals, **frame.f_locals}


def _missing_functions_verdict(missing: list[str]) -> Verdict:
    names = ", ".join(f"`{name}`" for name in missing)
    text = translate("There is no function {names} yet. Run the cell that defines it, then check again.")
    return Verdict("not attempted", 0.0, text.format(names=names))


def _is_written_here(name: str, value: object, names: Mapping[str, Any]) -> bool:
    """Whether a variable is a function that the notebook itself defines, under its own name."""
    return (
        isinstance(value, FunctionType)
        and value.__module__ == names.get("__name__")
        and value.__name__ == name
        and not name.startswith("_")
    )


def _source_hash(functions: Mapping[str, Any]) -> str:
    """Hash of the functions' source, so that attempts can be distinguished; the source itself is not stored."""
    sha = hashlib.sha256()
    for function in functions.values():
        try:
            sha.update(inspect.getsource(function).encode())
        except (IndexError, OSError, SyntaxError, TypeError):
            sha.update(getattr(getattr(function, "__code__", None), "co_code", b""))
    return sha.hexdigest()


def _format_progress(question: GradedQuestion) -> str:
    state = _progress().question(question.id)
    score = f"{format_points(state.best)} of {question.points}"
    return f"  {question.label}  {state.state:<9}  {score:>9}  {question.title}"
