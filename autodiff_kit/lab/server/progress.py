"""The learner's progress in the form for the panels, read from the progress file in one transaction."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_kit.lab.server.catalog import LessonEntry, OriginalNotebook
from autodiff_kit.lessons.progress_rows import QuestionState, read_question_state, read_revision


@dataclass(frozen=True)
class LessonProgress:
    """Progress in one lesson: its row, and for each prediction whether it was revealed and right."""

    state: str = "new"
    step: Any = None
    at: str = ""
    rev: int = 0
    predictions: Mapping[str, tuple[bool, bool | None]] | None = None

    def read_count(self, items: tuple[str, ...]) -> int:
        """Return how many of a lesson's results were shown: all of them, once it was run to its end."""
        if self.state == "read":
            return len(items)
        known = self.predictions or {}
        furthest = max((i + 1 for i, item in enumerate(items) if known.get(item, (False, None))[0]), default=0)
        noted = self.step if isinstance(self.step, int) else 0
        return min(max(furthest, noted), len(items))

    def unpredicted(self, items: tuple[str, ...]) -> tuple[str, ...]:
        """Return the prompts of a lesson that have no prediction, in order."""
        return tuple(item for item in items if item not in (self.predictions or {}))


@dataclass(frozen=True)
class LearnerProgress:
    """Progress in all lessons and questions, at one revision."""

    rev: int
    lessons: Mapping[str, LessonProgress]
    questions: Mapping[str, QuestionState]

    def lesson(self, no: str) -> LessonProgress:
        """Return the progress in a lesson, empty if it was not begun."""
        return self.lessons.get(no, LessonProgress())

    def question(self, id: str) -> QuestionState:
        """Return the state of a question."""
        return self.questions.get(id, QuestionState())

    def solved(self, entry: LessonEntry) -> int:
        """Return how many questions of a lesson's exercise passed."""
        return sum(self.question(id).state == "passed" for id in entry.questions)

    def state(self, entry: LessonEntry) -> str:
        """Return the state of a lesson: none, begun, read (run to its last result) or done.

        Done is read, with every prompt predicted and every question solved: running all cells is not enough.
        """
        lesson = self.lesson(entry.no)
        if lesson.state == "new":
            return "none"
        shown = lesson.read_count(entry.prompts)
        if lesson.state != "read" and (not entry.prompts or shown < len(entry.prompts)):
            return "begun"
        complete = not lesson.unpredicted(entry.prompts) and self.solved(entry) == len(entry.questions)
        return "done" if complete else "read"

    def score(self, exercise: OriginalNotebook | None) -> float:
        """Return the score so far of an exercise: the best attempt of each question."""
        cells = exercise.cells if exercise else ()
        return math.fsum(self.question(cell.question).best for cell in cells if cell.points)


def read_learner_progress(db: sqlite3.Connection) -> LearnerProgress:
    """Read the learner's progress from the database."""
    predictions: dict[str, dict[str, tuple[bool, bool | None]]] = {}
    for lesson, item, shown, right in db.execute("SELECT lesson, item, truth_json IS NOT NULL, right FROM prediction"):
        predictions.setdefault(lesson, {})[item] = (bool(shown), None if right is None else bool(right))
    query = "SELECT no, state, step, coalesce(read_at, predicted_at, begun_at, ''), rev FROM lesson"
    lessons = {
        no: LessonProgress(state, step, at, rev, predictions.get(no)) for no, state, step, at, rev in db.execute(query)
    }
    ids = [row[0] for row in db.execute("SELECT id FROM question").fetchall()]
    return LearnerProgress(read_revision(db), lessons, {id: read_question_state(db, id) for id in ids})


def lessons_as_json(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> dict[str, dict[str, Any]]:
    """Return the lessons with a record, by number; an attempt at an exercise counts for its lesson."""
    found = {}
    for no, entry in entries.items():
        if no in learner.lessons or any(id in learner.questions for id in entry.questions):
            found[no] = lesson_as_json(entry, learner)
    return found


def lesson_as_json(entry: LessonEntry, learner: LearnerProgress) -> dict[str, Any]:
    """Return a lesson's progress: what was read, predicted and solved, each beside how much there is."""
    lesson = learner.lesson(entry.no)
    known = lesson.predictions or {}
    verdicts = [known[item][1] for item in entry.prompts if item in known]
    return {
        "state": learner.state(entry),
        "step": lesson.step,
        "read": lesson.read_count(entry.prompts),
        "predicted": len(entry.prompts) - len(lesson.unpredicted(entry.prompts)),
        "judged": sum(right is not None for right in verdicts),
        "right": verdicts.count(True),
        "prompts": len(entry.prompts),
        "solved": learner.solved(entry),
        "questions": len(entry.questions),
        "score": learner.score(entry.exercise),
        "max": entry.points,
        "at": lesson.at or None,
    }


def totals(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> dict[str, float]:
    """Return the totals over all lessons; planned lessons count as lessons, and for nothing else."""
    there = [lesson_as_json(entry, learner) for entry in entries.values() if not entry.coming]
    added = ("predicted", "prompts", "solved", "questions", "score", "max")
    return {
        "read": sum(lesson["state"] in ("read", "done") for lesson in there),
        "done": sum(lesson["state"] == "done" for lesson in there),
        "lessons": len(entries),
        **{name: math.fsum(lesson[name] for lesson in there) for name in added},
    }
