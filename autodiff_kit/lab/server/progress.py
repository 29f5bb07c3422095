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

    def revealed_count(self, items: tuple[str, ...]) -> int:
        """Return the number of a lesson's prompts that were revealed."""
        known = self.predictions or {}
        furthest = max((i + 1 for i, item in enumerate(items) if known.get(item, (False, None))[0]), default=0)
        noted = self.step if isinstance(self.step, int) else 0
        return min(max(furthest, noted), len(items))

    def state_for(self, items: tuple[str, ...]) -> str:
        """Return the lesson's state: none, begun, predicted or done."""
        known = self.predictions or {}
        if self.state == "done" or (items and all(known.get(item, (False, None))[0] for item in items)):
            return "done"
        if known:
            return "predicted"
        return "none" if self.state == "new" else "begun"


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

    def score(self, exercise: OriginalNotebook | None) -> float:
        """Return the score so far of an exercise: the best attempt of each question."""
        cells = exercise.cells if exercise else ()
        return math.fsum(self.question(cell.question).best for cell in cells if cell.points)


def read_learner_progress(db: sqlite3.Connection) -> LearnerProgress:
    """Read the learner's progress from the database."""
    predictions: dict[str, dict[str, tuple[bool, bool | None]]] = {}
    for lesson, item, shown, right in db.execute("SELECT lesson, item, truth_json IS NOT NULL, right FROM prediction"):
        predictions.setdefault(lesson, {})[item] = (bool(shown), None if right is None else bool(right))
    query = "SELECT no, state, step, coalesce(done_at, predicted_at, begun_at, ''), rev FROM lesson"
    lessons = {
        no: LessonProgress(state, step, at, rev, predictions.get(no)) for no, state, step, at, rev in db.execute(query)
    }
    ids = [row[0] for row in db.execute("SELECT id FROM question").fetchall()]
    return LearnerProgress(read_revision(db), lessons, {id: read_question_state(db, id) for id in ids})


def lessons_as_json(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> dict[str, dict[str, Any]]:
    """Return the lessons with a record, by number; an attempt at an exercise counts for its lesson."""
    found = {}
    for no, entry in entries.items():
        lesson, score = learner.lesson(no), learner.score(entry.exercise)
        tried = entry.exercise is not None and any(cell.question in learner.questions for cell in entry.exercise.cells)
        if no in learner.lessons or tried:
            found[no] = _lesson_json(entry, lesson, score)
    return found


def _lesson_json(entry: LessonEntry, lesson: LessonProgress, score: float) -> dict[str, Any]:
    known = lesson.predictions or {}
    return {
        "state": lesson.state_for(entry.prompts),
        "step": lesson.step,
        "predicted": len(known),
        "right": sum(right is True for _, right in known.values()),
        "prompts": len(entry.prompts),
        "score": score,
        "max": entry.points,
        "at": lesson.at or None,
    }


def totals(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> dict[str, float]:
    """Return the totals for the progress bar; planned lessons count, their points do not."""
    there = [entry for entry in entries.values() if not entry.coming]
    return {
        "done": sum(learner.lesson(entry.no).state_for(entry.prompts) == "done" for entry in there),
        "lessons": len(entries),
        "score": math.fsum(learner.score(entry.exercise) for entry in there),
        "max": math.fsum(entry.points for entry in there),
    }
