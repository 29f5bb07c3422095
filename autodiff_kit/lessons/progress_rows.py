"""The rows of a learner's progress: how each is read, begun and changed inside one transaction."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.atomic_files import now

EVENTS_KEPT: Final = 10_000


class PredictionError(AutodiffError, ValueError):
    """A prediction that was made cannot be taken back."""


@dataclass(frozen=True)
class Prediction:
    """An answer given before the number was seen; ``truth`` and ``right`` are None until the reveal."""

    answer: Any
    truth: Any = None
    right: bool | None = None


@dataclass(frozen=True)
class QuestionState:
    """Where one question stands: ``state`` is not tried, not yet, partial, passed or error.

    ``tests`` are those of the last attempt: name, how many times right, of how many.
    """

    points: float = 0.0
    best: float = 0.0
    tries: int = 0
    hints_seen: int = 0
    solution_seen: bool = False
    state: str = "not tried"
    message: str = ""
    tests: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class LessonState:
    """Where one lesson stands: ``state`` is new, begun or done."""

    no: str
    state: str = "new"
    step: Any = None
    begun_at: str | None = None
    done_at: str | None = None
    predicted: int = 0
    right: int = 0


@dataclass(frozen=True)
class Summary:
    """Everything a table of progress shows."""

    lessons: Mapping[str, LessonState]
    questions: Mapping[str, QuestionState]
    points: float
    best: float


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it: NumPy becomes lists and numbers, nan and infinities become words."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


def encode(value: Any) -> str:
    """Return a value as strict JSON text, keys sorted."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, sort_keys=True)


def prediction_row(db: sqlite3.Connection, lesson: str, item: str) -> Prediction | None:
    """Return a prediction, or None if there is none."""
    query = "SELECT answer_json, truth_json, right FROM prediction WHERE lesson = ? AND item = ?"
    row = db.execute(query, (lesson, item)).fetchone()
    if row is None:
        return None
    truth = None if row[1] is None else json.loads(row[1])
    return Prediction(json.loads(row[0]), truth, None if row[2] is None else bool(row[2]))


def question_row(db: sqlite3.Connection, id: str) -> QuestionState:
    """Return a question, fresh if it was never touched."""
    query = "SELECT points, best, tries, hints_seen, solution_seen, state, message, tests FROM question WHERE id = ?"
    row = db.execute(query, (id,)).fetchone()
    if row is None:
        return QuestionState()
    points, best, tries, hints, solution, state, message, tests = row
    looked_at = tuple((str(name), int(right), int(of)) for name, right, of in json.loads(tests))
    return QuestionState(points, best, tries, hints, bool(solution), state, message, looked_at)


def touch_lesson(db: sqlite3.Connection, no: str) -> bool:
    """Make sure that a lesson has its row; say whether it is new."""
    row = "INSERT OR IGNORE INTO lesson (no, state, begun_at, rev) VALUES (?, 'begun', ?, ?)"
    if not db.execute(row, (no, now(), revision(db) + 1)).rowcount:
        return False
    next_revision(db)
    return True


def touch_question(db: sqlite3.Connection, id: str, notebook: str = "", points: float = 0.0) -> None:
    """Make sure that a question has its row."""
    db.execute(
        "INSERT OR IGNORE INTO question VALUES (?, ?, ?, 0, 0, 0, 0, 'not tried', '', 0, '[]')",
        (id, notebook, points),
    )


def better_state(known: str, outcome: str) -> str:
    """Return the state after an attempt: a pass stays, and an error does not hide a partial answer."""
    if known == "passed" or (known == "partial" and outcome == "error"):
        return known
    return outcome


def revision(db: sqlite3.Connection) -> int:
    """Return the store's revision."""
    return int(db.execute("SELECT value FROM meta WHERE key = 'rev'").fetchone()[0])


def next_revision(db: sqlite3.Connection) -> int:
    """Raise the store's revision by one and return it."""
    fresh = revision(db) + 1
    db.execute("UPDATE meta SET value = ? WHERE key = 'rev'", (str(fresh),))
    return fresh


def log_event(db: sqlite3.Connection, kind: str, ref: str) -> None:
    """Add an event and drop those beyond the newest `EVENTS_KEPT`."""
    cursor = db.execute("INSERT INTO event (at, kind, ref) VALUES (?, ?, ?)", (now(), kind, ref))
    db.execute("DELETE FROM event WHERE id <= ?", ((cursor.lastrowid or 0) - EVENTS_KEPT,))
