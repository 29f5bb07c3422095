"""Grading of one submission: run its cells in a sandbox, check its functions, and give points for each question."""

from __future__ import annotations

import hashlib
import hmac
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_kit.exercises.check_runner import Verdict, grade_attempt, question_rng
from autodiff_kit.exercises.parameters import bind_parameters, draw_parameters, format_parameters, normal_login
from autodiff_kit.exercises.question import Lesson, Question
from autodiff_kit.lessons.translation import translate

from .exercise_lookup import find_exercise
from .inside.limits import ExitStatus
from .outside_text import clean_text
from .protocol import ConnectionLost, MessageTooLarge, ProtocolError, ResponseTimeout
from .results import QuestionGrade, SubmissionResult
from .sandbox import SubmissionRunner
from .submission import Submission, cell_name
from .submission_session import SubmissionSession, example_handle

__all__ = ["grade_submission", "question_seed"]

MAX_RUNS = 12
"""The largest number of runs of a notebook; each but the first leaves out the statement or function that ended one."""
MAX_WALLS = 3
"""A new run begins only within this many times the time limit of a part."""
EXIT_GRACE_SECONDS = 2.0
CHECK_GRACE_SECONDS = 2.0
"""What a check may take beyond the time limit: the connection has it as well, and says more about what it waits for."""
MAX_CELL_ERRORS_SHOWN = 5
MAX_MESSAGE = 4000  # characters
MAX_LINE = 80  # characters


def question_seed(secret: str, submission: Submission, question: str) -> int:
    """The seed of a question's random draw for a hand-in: secret without the batch's secret, and reproducible.

    Another file has other draws: what the messages of one hand-in tell of the expected numbers is no use in the next.
    """
    known = f"{submission.learner}\0{question}\0{submission.sha256}"
    digest = hmac.digest(secret.encode(), known.encode("utf-8", "replace"), hashlib.sha256)
    return int.from_bytes(digest[:6], "big")


@dataclass
class _GradingState:
    """The state of grading one submission, over all runs of its notebook."""

    grades: dict[str, QuestionGrade] = field(default_factory=dict)
    kept_statements: dict[int, int] = field(default_factory=dict)
    """Of cells that ended a run, how many statements are run again."""
    suspect: int | None = None
    """The cell of which the last run kept a beginning, which may have left something behind that ends the next run."""
    doubted: tuple[int, int] | None = None
    """A suspect that the last run left out, and how many of its statements were kept before."""
    cell_errors: dict[int, str] = field(default_factory=dict)
    status: str = ""
    reasons: list[str] = field(default_factory=list)
    login: str = ""

    def doubt_suspect(self, place: int | None) -> bool:
        """Leave out all of the suspect, if something else has ended a run; return whether that is to be tried."""
        if self.suspect in (None, place):
            return False
        assert self.suspect is not None
        self.doubted = self.suspect, self.kept_statements[self.suspect]
        self.kept_statements[self.suspect], self.suspect = 0, None
        return True

    def keep_beginning(self, place: int, begun: int) -> None:
        """Keep the statements of a cell before the one that ended the run."""
        self.kept_statements[place] = max(begun - 1, 0)
        self.suspect = place if self.kept_statements[place] else None

    def acquit(self) -> None:
        """Keep the beginning of the doubted cell again: without it the next run has ended as well."""
        if self.doubted is not None:
            place, kept = self.doubted
            self.kept_statements[place], self.doubted = kept, None

    def add_failure(self, status: str, reason: str) -> None:
        """Note a failure; the first one sets the status."""
        self.status = self.status or status
        self.reasons.append(reason)


def grade_submission(
    submission: Submission, runner: SubmissionRunner, secret: str, only: Sequence[str] = ()
) -> SubmissionResult:
    """Run a notebook in a sandbox and check its functions from outside the sandbox.

    Parameters
    ----------
    submission : Submission
        The submission, as it was read.
    runner : Sandbox or UnsandboxedRunner
        Runs the notebook.
    secret : str
        The secret of the batch; the random draws are derived from it.
    only : sequence of str, optional
        Questions to grade; by default all.

    Returns
    -------
    SubmissionResult
        There is a result whatever the notebook does.
    """
    blank = SubmissionResult.of_submission(submission)
    if not submission.can_be_run:
        return replace(blank, marks=_grades_without_run(submission))
    lesson = find_exercise(submission.exercise)
    state = _GradingState()
    asked = [question for question in lesson.questions if not only or question.id in only]
    examples = _example_handles(lesson, submission.stamp)
    last_start = time.monotonic() + MAX_WALLS * runner.limits.wall
    for _ in range(MAX_RUNS):
        if _run_once(submission, runner, secret, lesson, asked, examples, state) or time.monotonic() > last_start:
            break
    return replace(
        blank,
        status=submission.status or state.status or "graded",
        reason=" ".join(filter(None, (submission.reason, *state.reasons))),
        marks=tuple(state.grades.get(question.id) or _grade_not_reached(question) for question in asked),
        remarks=(*submission.remarks, *_cell_error_remarks(submission, state)),
        login=state.login,
    )


def _run_once(
    submission: Submission,
    runner: SubmissionRunner,
    secret: str,
    lesson: Lesson,
    asked: Sequence[Question],
    examples: Mapping[str, Any],
    state: _GradingState,
) -> bool:
    """Run the cells and check the questions without a grade; return whether no further run is needed."""
    channel = runner.start_submission()
    session = SubmissionSession(channel, runner.limits.wall, runner)
    current: Question | None = None
    before: list[QuestionGrade] = []
    try:
        cells = _cells_to_run(submission, state)
        function_states = session.run(
            cells, _function_names(lesson), _question_headers(lesson), examples, submission.modules
        )
        state.cell_errors.update(session.errors)
        state.login = session.login if any(question.parameters for question in asked) else ""
        for question in asked:
            if question.id not in state.grades:
                current = question
                seed = question_seed(secret, submission, question.id)
                own, told = _learners_question(lesson, question, submission, session.login)
                verdict, note = _check_question(own, seed, session, function_states, submission)
                before.append(_question_grade(question, seed, verdict, note, told))
                state.grades[question.id] = before[-1]
        current = None
        session.finish()
    except Exception as error:  # noqa: BLE001 - whatever a notebook answers must not end the batch
        state.cell_errors.update(session.errors)
        grace = EXIT_GRACE_SECONDS if isinstance(error, ConnectionLost) else 0.0
        exit_status = runner.end_submission(channel, grace_seconds=grace)
        if current is not None and _is_innocent(before, exit_status):
            return False
        left_behind = current is None or exit_status.reason in ("memory", "processes")
        if left_behind and state.doubt_suspect(session.place if current is None else None):
            return False
        state.acquit()
        what = _what_ended(submission, session, lesson.labels[current.id] if current else "")
        state.add_failure(*_status_and_reason(error, exit_status, what))
        if current is None and session.place is not None:
            state.keep_beginning(session.place, session.begun)
        if current is not None:
            seed = question_seed(secret, submission, current.id)
            state.grades[current.id] = _question_grade(current, seed, Verdict("error", 0.0, state.reasons[-1]))
        return all(question.id in state.grades for question in asked)
    runner.end_submission(channel, grace_seconds=EXIT_GRACE_SECONDS)
    if session.memory and not state.status:
        state.add_failure("memory", f"The memory was not enough for {session.memory}.")
    return True


def _learners_question(lesson: Lesson, question: Question, submission: Submission, stated: str) -> tuple[Question, str]:
    """The question with the learner's numbers, and a line that tells which they are."""
    if not question.parameters:
        return question, ""
    logins = submission.logins or (submission.learner,)
    login = next((own for own in logins if normal_login(own) == normal_login(stated)), logins[0])
    values = draw_parameters(lesson, question, login)
    told = f"Your numbers, by the login `{login}`: {format_parameters(values)}."
    if stated and normal_login(stated) != normal_login(login):
        told += f" Your notebook gives another login, `{stated}`, which has other numbers."
    return bind_parameters(question, values), told


def _check_question(
    question: Question,
    seed: int,
    session: SubmissionSession,
    function_states: dict[str, str],
    submission: Submission,
) -> tuple[Verdict, str]:
    """The verdict of the best answer to a question, and a note where it is not the one at the end of the notebook.

    As in the notebook, where the best attempt counts. A private question has one answer: nobody may try several.
    """
    answers = session.answers[question.id]
    if not answers:
        return _verdict_without_answer(question, session, function_states, submission), ""
    best, chosen = Verdict("not yet", -1.0, ""), 0
    for place in range(1 if question.private else len(answers)):
        session.answer = (question.id, place)
        session.begin_part()
        verdict = _check_answer(question, seed, session)
        if verdict.share > best.share:
            best, chosen = verdict, place
        if best.outcome == "passed":
            break
    return best, _note_on_names(answers[chosen])


def _verdict_without_answer(
    question: Question, session: SubmissionSession, function_states: dict[str, str], submission: Submission
) -> Verdict:
    absent = [name for name in question.writes if function_states[name] != "there"]
    named = " and ".join(f"`{name}`" for name in absent or question.writes)
    missing = any(function_states[name] == "missing" for name in absent)
    be = "are" if len(absent) > 1 else "is"
    words = f"There is no function {named}." if missing else f"{named} {be} unchanged from the starter code."
    stopped = [
        session.errors[place] for place, id in submission.questions if id == question.id and place in session.errors
    ]
    if stopped and missing:
        return Verdict("error", 0.0, f"{words} Its cell stopped with {stopped[-1]}")
    return Verdict("not attempted", 0.0, words)


def _check_answer(question: Question, seed: int, session: SubmissionSession) -> Verdict:
    try:
        with _ended_after(session.seconds_left + CHECK_GRACE_SECONDS):
            return grade_attempt(question, {}, seed, session)
    except (ConnectionLost, ResponseTimeout, ProtocolError):
        raise
    except Exception as error:  # noqa: BLE001 - an answer that the check cannot handle must not end the batch
        return Verdict("error", 0.0, f"The answers cannot be checked ({type(error).__name__}: {str(error)[:200]}).")


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Raise a :class:`ResponseTimeout` here when the time is over, also while the grader itself computes.

    Only a main thread can be interrupted so; a grader's process has no other.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def stop(*_: object) -> None:
        raise ResponseTimeout("the check did not end in time")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again each second: what is interrupted may catch it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _note_on_names(changed: Sequence[str]) -> str:
    """What a learner is told whose answer has names with another meaning at the end of the notebook."""
    if not changed:
        return ""
    named, mean = ", ".join(f"`{name}`" for name in changed), "mean" if len(changed) > 1 else "means"
    return f"Further down in the notebook {named} {mean} something else; what counts is the answer from before that."


def _is_innocent(before: Sequence[QuestionGrade], exit_status: ExitStatus) -> bool:
    """Whether a run may have ended for what an earlier question left behind; then the current one has a new run."""
    return any(grade.outcome == "error" for grade in before) or bool(before and exit_status.reason == "processes")


def _what_ended(submission: Submission, session: SubmissionSession, label: str) -> str:
    """What a run ended in, in words: a function of a question, a cell, or the notebook."""
    if label:
        return f"{label}: a function of yours"
    if session.place is None:
        return "The notebook"
    lines = dict(submission.cells)[session.place].splitlines()
    what = _cell_in_words(submission, session.place)
    if not (session.begun > 1 and 0 < session.line <= len(lines)):
        return what
    return f"{what}, from its line {session.line} on (`{clean_text(lines[session.line - 1].strip(), MAX_LINE)}`),"


def _cells_to_run(submission: Submission, state: _GradingState) -> list[tuple[int, str, int | None]]:
    """The cells, each with the number of its statements to run (None: all): what ended an earlier run is left out."""
    kept = state.kept_statements
    return [(place, source, kept.get(place)) for place, source in submission.cells if kept.get(place, 1)]


def _cell_in_words(submission: Submission, place: int) -> str:
    labels = find_exercise(submission.exercise).labels
    name = cell_name(dict(submission.cells)[place], labels.get(dict(submission.questions).get(place, ""), ""))
    return name[0].upper() + name[1:]


def _status_and_reason(error: Exception, exit_status: ExitStatus, what: str) -> tuple[str, str]:
    if isinstance(error, MessageTooLarge):
        return "crashed", f"{what} returned more than the grader accepts ({error})."
    if isinstance(error, ProtocolError) and error.proof:
        return "tampered", f"{what} wrote to the connection with the grader ({error}). It wrote: {error.proof}"
    if exit_status.reason == "cpu" or (exit_status.reason == "crashed" and exit_status.code == -24):
        return "timeout", f"{what} exceeded the limit of processor time."
    if isinstance(error, ResponseTimeout):
        return "timeout", f"{what} did not end within the time limit."
    if exit_status.reason == "memory":
        return "memory", f"{what} exceeded the memory limit."
    if exit_status.reason == "processes":
        return "crashed", f"{what} exceeded the limit of processes."
    if exit_status.reason == "sockets":
        return "crashed", f"{what} exceeded the limit of sockets."
    if exit_status.reason == "crashed":
        how = f"signal {-exit_status.code}" if exit_status.code < 0 else f"exit code {exit_status.code}"
        return "crashed", f"{what} ended Python ({how})."
    if isinstance(error, ConnectionLost):
        return "crashed", f"{what} closed the connection with the grader."
    return "crashed", f"{what} gave an answer that the grader cannot read ({type(error).__name__})."


def _question_grade(question: Question, seed: int, verdict: Verdict, *told: str) -> QuestionGrade:
    points = float(question.points * verdict.share)
    # What is said about tries is for the notebook, where a learner can try again.
    message = clean_text(verdict.message.replace(translate("This cost no try."), "").rstrip(), MAX_MESSAGE)
    message = "\n".join(filter(None, (message, *told)))
    return QuestionGrade(question.id, points, question.points, verdict.outcome, message, verdict.misconception, seed)


def _grade_not_reached(question: Question) -> QuestionGrade:
    words = "This question was not reached: cells and functions before it ended Python too often, or took all the time."
    return QuestionGrade(question.id, 0.0, question.points, "error", words)


def _grades_without_run(submission: Submission) -> tuple[QuestionGrade, ...]:
    """A grade without points for each question; none if the exercise is not known."""
    if not submission.exercise:
        return ()
    questions = find_exercise(submission.exercise).questions
    return tuple(
        QuestionGrade(question.id, 0.0, question.points, "not attempted", "It could not be run.")
        for question in questions
    )


def _cell_error_remarks(submission: Submission, state: _GradingState) -> list[str]:
    errors = sorted(state.cell_errors.items())
    remarks = [f"{_cell_in_words(submission, place)} stopped with {text}" for place, text in errors]
    left = len(remarks) - MAX_CELL_ERRORS_SHOWN
    more = [f"{left} more cells stopped with an error."] if left > 0 else []
    return remarks[:MAX_CELL_ERRORS_SHOWN] + more


def _function_names(lesson: Lesson) -> list[str]:
    return [name for question in lesson.questions for name in question.writes]


def _question_headers(lesson: Lesson) -> list[dict[str, Any]]:
    return [
        {
            "id": question.id, "label": label, "title": question.title, "points": question.points,
            "writes": list(question.writes),
        }
        for question, label in zip(lesson.questions, lesson.labels.values(), strict=True)
    ]  # fmt: skip


def _example_handles(lesson: Lesson, stamp: str) -> dict[str, Any]:
    learner = stamp or "guest"
    return {
        question.id: example_handle(question.example(question_rng(question.id, "own:" + learner)))
        for question in lesson.questions
    }
