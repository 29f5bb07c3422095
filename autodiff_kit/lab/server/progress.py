"""Where a learner stands: the rows of the progress file, read in one transaction, as the panels show them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_kit.lab.server.catalog import Entry, Original
from autodiff_kit.lessons.progress_rows import QuestionState, read_question_state, read_revision


@dataclass(frozen=True)
class Walk:
    """How far one lesson was walked: its row, and its predictions with whether each was revealed and right."""

    state: str = "new"
    step: Any = None
    at: str = ""
    rev: int = 0
    predictions: Mapping[str, tuple[bool, bool | None]] | None = None

    def revealed(self, items: tuple[str, ...]) -> int:
        """Return how many of a lesson's prompts lie behind the learner."""
        known = self.predictions or {}
        furthest = max((i + 1 for i, item in enumerate(items) if known.get(item, (False, None))[0]), default=0)
        noted = self.step if isinstance(self.step, int) else 0
        return min(max(furthest, noted), len(items))

    def shown_state(self, items: tuple[str, ...]) -> str:
        """Return none, begun, predicted or done."""
        known = self.predictions or {}
        if self.state == "done" or (items and all(known.get(item, (False, None))[0] for item in items)):
            return "done"
        if known:
            return "predicted"
        return "none" if self.state == "new" else "begun"


@dataclass(frozen=True)
class Standing:
    """Everything that was stored, at one revision."""

    rev: int
    walks: Mapping[str, Walk]
    questions: Mapping[str, QuestionState]

    def walk(self, no: str) -> Walk:
        """Return how far a lesson was walked, which may be not at all."""
        return self.walks.get(no, Walk())

    def question(self, id: str) -> QuestionState:
        """Return where a question stands."""
        return self.questions.get(id, QuestionState())

    def score(self, exercise: Original | None) -> float:
        """Return the score so far of an exercise: the best attempt of each question."""
        cells = exercise.cells if exercise else ()
        return math.fsum(self.question(cell.question).best for cell in cells if cell.points)


def read_standing(db: sqlite3.Connection) -> Standing:
    """Read all that a panel shows."""
    predictions: dict[str, dict[str, tuple[bool, bool | None]]] = {}
    for lesson, item, shown, right in db.execute("SELECT lesson, item, truth_json IS NOT NULL, right FROM prediction"):
        predictions.setdefault(lesson, {})[item] = (bool(shown), None if right is None else bool(right))
    query = "SELECT no, state, step, coalesce(done_at, predicted_at, begun_at, ''), rev FROM lesson"
    walks = {no: Walk(state, step, at, rev, predictions.get(no)) for no, state, step, at, rev in db.execute(query)}
    ids = [row[0] for row in db.execute("SELECT id FROM question").fetchall()]
    return Standing(read_revision(db), walks, {id: read_question_state(db, id) for id in ids})


def lessons_as_json(entries: Mapping[str, Entry], standing: Standing) -> dict[str, dict[str, Any]]:
    """Return the lessons that were touched, by number; an exercise that was tried touches its lesson."""
    found = {}
    for no, entry in entries.items():
        walk, score = standing.walk(no), standing.score(entry.exercise)
        tried = entry.exercise is not None and any(cell.question in standing.questions for cell in entry.exercise.cells)
        if no in standing.walks or tried:
            found[no] = _lesson(entry, walk, score)
    return found


def _lesson(entry: Entry, walk: Walk, score: float) -> dict[str, Any]:
    known = walk.predictions or {}
    return {
        "state": walk.shown_state(entry.prompts),
        "step": walk.step,
        "predicted": len(known),
        "right": sum(right is True for _, right in known.values()),
        "prompts": len(entry.prompts),
        "score": score,
        "max": entry.points,
        "at": walk.at or None,
    }


def totals(entries: Mapping[str, Entry], standing: Standing) -> dict[str, float]:
    """Return what the bar at the top says; lessons count that are planned, points only those to be had."""
    there = [entry for entry in entries.values() if not entry.coming]
    return {
        "done": sum(standing.walk(entry.no).shown_state(entry.prompts) == "done" for entry in there),
        "lessons": len(entries),
        "score": math.fsum(standing.score(entry.exercise) for entry in there),
        "max": math.fsum(entry.points for entry in there),
    }
