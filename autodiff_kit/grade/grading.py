"""One submission from its cells to its marks."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autodiff_kit.exercises.check_runner import Verdict, draw, grade
from autodiff_kit.exercises.question import Lesson, Question

from .protocol import Gone, Late, WireError
from .results import Mark, Result
from .sandbox import Box, Ended, OpenRoom
from .submission import Submission, named_lesson
from .submission_session import Session, example_of

__all__ = ["grade_submission", "seed_for"]

RUNS = 3
"""How often a notebook is run at most: anew after each cell or function that ended it, without that one."""
PATIENCE = 2.0


def seed_for(secret: str, learner: str, question: str) -> int:
    """The draw of a question for a learner: unknown before the batch's secret is, and the same ever after."""
    digest = hmac.digest(secret.encode(), f"{learner}\0{question}\0{0}".encode("utf-8", "replace"), hashlib.sha256)
    return int.from_bytes(digest[:6], "big")


@dataclass
class _Progress:
    """What has been found so far, over all runs of one notebook."""

    marks: dict[str, Mark] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    errors: dict[int, str] = field(default_factory=dict)
    status: str = ""
    reasons: list[str] = field(default_factory=list)

    def trouble(self, status: str, reason: str) -> None:
        self.status = self.status or status
        self.reasons.append(reason)


def grade_submission(submission: Submission, room: Box | OpenRoom, secret: str, only: Sequence[str] = ()) -> Result:
    """Run a notebook in a box and check its functions from outside.

    Parameters
    ----------
    submission : Submission
        As it was read.
    room : Box or OpenRoom
        Where it runs.
    secret : str
        Of the batch; the draws follow from it.
    only : sequence of str, optional
        Questions to grade; all, if left out.

    Returns
    -------
    Result
        Whatever the notebook does, there is one.
    """
    blank = Result(
        submission.learner, submission.exercise, submission.status, submission.reason, submitted=submission.submitted,
        stamp=submission.stamp, sha256=submission.sha256, remarks=submission.remarks,
    )  # fmt: skip
    if submission.status not in ("", "tampered"):
        return replace(blank, marks=_none(submission))
    lesson = named_lesson(submission.exercise)
    found = _Progress()
    asked = [question for question in lesson.questions if not only or question.id in only]
    for _ in range(RUNS):
        if _run_once(submission, room, secret, lesson, asked, found):
            break
    marks = tuple(found.marks.get(question.id) or _lost(question) for question in asked)
    status = submission.status or found.status or "graded"
    reason = " ".join(filter(None, (submission.reason, *found.reasons)))
    return replace(blank, status=status, reason=reason, marks=marks, remarks=(*submission.remarks, *_stopped(found)))


def _run_once(
    submission: Submission,
    room: Box | OpenRoom,
    secret: str,
    lesson: Lesson,
    asked: Sequence[Question],
    found: _Progress,
) -> bool:
    """Run the cells and ask for what is still unmarked; whether it came to its end."""
    line = room.open()
    session = Session(line, room.limits.wall)
    current: Question | None = None
    try:
        cells = [(place, source) for place, source in submission.cells if place not in found.skipped]
        states = session.run(cells, _writes(lesson), _about(lesson), _examples(lesson, submission.stamp))
        found.errors.update(session.errors)
        for question in asked:
            if question.id not in found.marks:
                current = question
                seed = seed_for(secret, submission.learner, question.id)
                found.marks[question.id] = _mark(question, seed, _verdict(question, seed, session, states))
        current = None
        session.end()
    except (Gone, Late, WireError) as error:
        found.errors.update(session.errors)
        _ended(error, room.end(line, patience=PATIENCE if isinstance(error, Gone) else 0.0), session, current, found)
        if current is not None:
            seed = seed_for(secret, submission.learner, current.id)
            found.marks[current.id] = _mark(current, seed, Verdict("error", 0.0, found.reasons[-1]))
        return all(question.id in found.marks for question in asked)
    room.end(line, patience=PATIENCE)
    if session.memory and not found.status:
        found.trouble("memory", f"There was not enough memory for {session.memory}.")
    return True


def _verdict(question: Question, seed: int, session: Session, states: dict[str, str]) -> Verdict:
    absent = [name for name in question.writes if states[name] != "there"]
    if absent:
        named = " and ".join(f"`{name}`" for name in absent)
        missing = any(states[name] == "missing" for name in absent)
        words = f"There is no function {named}." if missing else f"{named} was left as it was given out."
        return Verdict("not attempted", 0.0, words)
    session.again()
    try:
        return grade(question, {}, seed, session)
    except (Gone, Late, WireError):
        raise
    except Exception as error:  # noqa: BLE001 - an answer that no check foresaw must not end the batch
        return Verdict("error", 0.0, f"The answers cannot be judged ({type(error).__name__}: {str(error)[:200]}).")


def _ended(error: Exception, ended: Ended, session: Session, question: Question | None, found: _Progress) -> None:
    """Note why a run ended early; a cell that ended it is left out of the next."""
    place = session.place
    if question is not None:
        what = f"{question.id}: a function of yours"
    elif place is None:
        what = "The notebook"
    else:
        what = f"Cell {place + 1}"
        found.skipped.add(place)
    found.trouble(*_words(error, ended, what))


def _words(error: Exception, ended: Ended, what: str) -> tuple[str, str]:
    if isinstance(error, WireError):
        return "tampered", f"{what} put words of its own into the conversation with the grader ({error})."
    if ended.how == "cpu" or (ended.how == "crashed" and ended.code == -24):
        return "timeout", f"{what} computed for longer than is allowed."
    if isinstance(error, Late):
        return "timeout", f"{what} did not end in the time that is allowed."
    if ended.how == "memory":
        return "memory", f"{what} used more memory than is allowed."
    if ended.how == "processes":
        return "crashed", f"{what} started more processes than are allowed."
    if ended.how == "crashed":
        how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
        return "crashed", f"{what} ended Python ({how})."
    return "crashed", f"{what} cut the conversation with the grader."


def _mark(question: Question, seed: int, verdict: Verdict) -> Mark:
    points = float(question.points * verdict.share)
    return Mark(question.id, points, question.points, verdict.outcome, verdict.message, verdict.misconception, seed)


def _lost(question: Question) -> Mark:
    words = "This question was not reached: the notebook was ended too often."
    return Mark(question.id, 0.0, question.points, "error", words)


def _none(submission: Submission) -> tuple[Mark, ...]:
    """No points, where the exercise is known at all."""
    if not submission.exercise:
        return ()
    questions = named_lesson(submission.exercise).questions
    return tuple(
        Mark(question.id, 0.0, question.points, "not attempted", "It could not be run.") for question in questions
    )


def _stopped(found: _Progress) -> list[str]:
    told = [f"Cell {place + 1} stopped with {text}" for place, text in sorted(found.errors.items())]
    more = [f"{len(told) - 5} more cells stopped with an error."] if len(told) > 5 else []
    return told[:5] + more


def _writes(lesson: Lesson) -> list[str]:
    return [name for question in lesson.questions for name in question.writes]


def _about(lesson: Lesson) -> list[dict[str, Any]]:
    return [
        {"id": question.id, "label": f"q{i}", "title": question.title, "points": question.points}
        for i, question in enumerate(lesson.questions, 1)
    ]


def _examples(lesson: Lesson, stamp: str) -> dict[str, Any]:
    learner = stamp or "guest"
    return {
        question.id: example_of(question.example(draw(question.id, "own:" + learner))) for question in lesson.questions
    }
