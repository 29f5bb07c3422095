"""Rows of the progress database: the records they hold, and the queries that read and write them."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.timestamps import utc_now

EVENTS_KEPT: Final = 10_000


class PredictionError(AutodiffError, ValueError):
    """A different answer was given to a prompt that already has an answer."""


@dataclass(frozen=True)
class Prediction:
    """An answer to a prompt; ``truth`` and ``right`` are None until the reveal."""

    answer: Any
    truth: Any = None
    right: bool | None = None


@dataclass(frozen=True)
class QuestionState:
    """The state of one exercise question: ``state`` is not tried, not yet, partial, passed or error.

    ``tests`` are the results of the last attempt: name, number of right cases, number of cases.
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
    """The state of one lesson: ``state`` is new, begun or read."""

    no: str
    state: str = "new"
    step: Any = None
    begun_at: str | None = None
    read_at: str | None = None
    predicted: int = 0
    right: int = 0


@dataclass(frozen=True)
class ProgressSummary:
    """All lessons and questions that have a record, and the points of those questions."""

    lessons: Mapping[str, LessonState]
    questions: Mapping[str, QuestionState]
    points: float
    best: float


def _json_value(value: Any) -> Any:
    """Convert a value for JSON: NumPy arrays become lists, NumPy numbers numbers, nan and infinities strings."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _json_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(entry) for entry in value]
    return value


def to_json(value: Any) -> str:
    """Return a value as strict JSON text, keys sorted."""
    return json.dumps(_json_value(value), ensure_ascii=False, allow_nan=False, sort_keys=True)


def read_prediction(db: sqlite3.Connection, lesson: str, item: str) -> Prediction | None:
    """Return a prediction, or None if there is none."""
    query = "SELECT answer_json, truth_json, right FROM prediction WHERE lesson = ? AND item = ?"
    row = db.execute(query, (lesson, item)).fetchone()
    if row is None:
        return None
    truth = None if row[1] is None else json.loads(row[1])
    return Prediction(json.loads(row[0]), truth, None if row[2] is None else bool(row[2]))


def read_question_state(db: sqlite3.Connection, id: str) -> QuestionState:
    """Return the state of a question; the default state if it has no row."""
    query = "SELECT points, best, tries, hints_seen, solution_seen, state, message, tests FROM question WHERE id = ?"
    row = db.execute(query, (id,)).fetchone()
    if row is None:
        return QuestionState()
    points, best, tries, hints, solution, state, message, tests = row
    looked_at = tuple((str(name), int(right), int(of)) for name, right, of in json.loads(tests))
    return QuestionState(points, best, tries, hints, bool(solution), state, message, looked_at)


def ensure_lesson_row(db: sqlite3.Connection, no: str) -> bool:
    """Insert the row of a lesson if there is none; return whether it was inserted."""
    row = "INSERT OR IGNORE INTO lesson (no, state, begun_at, rev) VALUES (?, 'begun', ?, ?)"
    if not db.execute(row, (no, utc_now(), read_revision(db) + 1)).rowcount:
        return False
    increment_revision(db)
    return True


def ensure_question_row(db: sqlite3.Connection, id: str, notebook: str = "", points: float = 0.0) -> None:
    """Insert the row of a question if there is none."""
    db.execute(
        "INSERT OR IGNORE INTO question VALUES (?, ?, ?, 0, 0, 0, 0, 'not tried', '', 0, '[]')",
        (id, notebook, points),
    )


def state_after_attempt(known: str, outcome: str) -> str:
    """Return the state after an attempt: passed stays passed, and an error does not replace partial."""
    if known == "passed" or (known == "partial" and outcome == "error"):
        return known
    return outcome


def update_question_after_attempt(
    db: sqlite3.Connection,
    id: str,
    *,
    outcome: str,
    score: float,
    message: str,
    tests: Sequence[tuple[str, int, int]],
) -> None:
    """Update the row of a question after an attempt: best score, tries, state, message and tests."""
    known = read_question_state(db, id)
    db.execute(
        "UPDATE question SET best = ?, tries = ?, state = ?, message = ?, tests = ?, rev = ? WHERE id = ?",
        (
            max(known.best, score),
            known.tries + (outcome != "error"),
            state_after_attempt(known.state, outcome),
            message,
            to_json(tests),
            increment_revision(db),
            id,
        ),
    )


def insert_attempt(db: sqlite3.Connection, id: str, *, outcome: str, score: float, ms: float, cell_sha: str) -> None:
    """Insert the row of one attempt at a question."""
    db.execute(
        "INSERT INTO attempt (question, outcome, score, ms, cell_sha, at) VALUES (?, ?, ?, ?, ?, ?)",
        (id, outcome, score, ms, cell_sha, utc_now()),
    )


def read_revision(db: sqlite3.Connection) -> int:
    """Return the database's revision, which grows with every change."""
    return int(db.execute("SELECT value FROM meta WHERE key = 'rev'").fetchone()[0])


def increment_revision(db: sqlite3.Connection) -> int:
    """Increase the database's revision by one and return it."""
    fresh = read_revision(db) + 1
    db.execute("UPDATE meta SET value = ? WHERE key = 'rev'", (str(fresh),))
    return fresh


def append_event(db: sqlite3.Connection, kind: str, ref: str) -> None:
    """Append an event and delete all but the newest `EVENTS_KEPT`."""
    cursor = db.execute("INSERT INTO event (at, kind, ref) VALUES (?, ?, ?)", (utc_now(), kind, ref))
    db.execute("DELETE FROM event WHERE id <= ?", ((cursor.lastrowid or 0) - EVENTS_KEPT,))


_REVISION: Final = "CAST((SELECT value FROM meta WHERE key = 'rev') AS INTEGER)"
_STATES: Final = "instr('not tried, error, not yet, partial, passed', {state})"
# Two files merge to the same rows in either order. Times are to the second, so the text of the answers decides a tie.
_EARLIER: Final = "(excluded.at, excluded.answer_json) < (at, answer_json)"
_REVEALED: Final = f"""CASE WHEN answer_json != excluded.answer_json THEN {_EARLIER} WHEN truth_json IS NULL THEN 1
    ELSE (excluded.truth_json, coalesce(excluded.right, -1)) < (truth_json, coalesce(right, -1)) END"""
_BETTER: Final = f"""({_STATES.format(state="excluded.state")}, excluded.best, excluded.message, excluded.tests)
    > ({_STATES.format(state="state")}, best, message, tests)"""


def _known_or(pick: str, column: str) -> str:
    """The smaller or larger of two values, or the one that is not null."""
    return f"{column} = {pick}(coalesce({column}, excluded.{column}), coalesce(excluded.{column}, {column}))"


def _taken(column: str, condition: str) -> str:
    """The value of the other database where a condition holds."""
    return f"{column} = CASE WHEN {condition} THEN excluded.{column} ELSE {column} END"


# For each table of a learner's work: the columns that are read from another database, and what becomes of its rows.
_MERGES: Final = {
    "no, state, step, score, max, begun_at, predicted_at, read_at FROM lesson": f"""
        INSERT INTO lesson (no, state, step, score, max, begun_at, predicted_at, read_at, rev)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, {_REVISION}) ON CONFLICT (no) DO UPDATE SET
        state = CASE excluded.state WHEN 'read' THEN 'read' ELSE state END, rev = excluded.rev,
        {", ".join(_known_or("max", one) for one in ("step", "score", "max"))},
        {", ".join(_known_or("min", one) for one in ("begun_at", "predicted_at", "read_at"))}""",
    "lesson, item, answer_json, truth_json, right, at FROM prediction": f"""
        INSERT INTO prediction (lesson, item, answer_json, truth_json, right, at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (lesson, item) DO UPDATE SET
        {", ".join(_taken(one, _EARLIER) for one in ("answer_json", "at"))},
        {", ".join(_taken(one, _REVEALED) for one in ("truth_json", "right"))}""",
    "id, notebook, points, best, tries, hints_seen, solution_seen, state, message, tests FROM question": f"""
        INSERT INTO question (id, notebook, points, best, tries, hints_seen, solution_seen, state, message, tests, rev)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {_REVISION}) ON CONFLICT (id) DO UPDATE SET
        {", ".join(_known_or("max", one) for one in ("best", "tries", "hints_seen", "solution_seen"))},
        {", ".join(_taken(one, _BETTER) for one in ("state", "message", "tests"))}, rev = excluded.rev""",
    "receipt, notebook, sha256, score, at FROM handin": "INSERT OR IGNORE INTO handin VALUES (?, ?, ?, ?, ?)",
}
# Tables of things that happened, where equal rows are the same event.
_HAPPENED: Final = {
    "attempt": ("question", "outcome", "score", "ms", "cell_sha", "at"),
    "event": ("at", "kind", "ref"),
}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: object) -> bool:
    return value is None or _is_text(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def _is_json_or_none(value: object) -> bool:
    return value is None or (isinstance(value, str) and _from_json(value) is not _NO_JSON)


def _are_tests(value: object) -> bool:
    tests = _from_json(value) if isinstance(value, str) else None
    return isinstance(tests, list) and all(
        isinstance(test, list) and len(test) == 3 and _is_text(test[0]) and all(map(_is_count, test[1:]))
        for test in tests
    )


_NO_JSON: Final = object()


def _from_json(text: str) -> object:
    """What a JSON text says; ``_NO_JSON`` also for infinities, and for lists too deep to be read."""
    try:
        found: object = json.loads(text)
        json.dumps(found, allow_nan=False)
    except (ValueError, RecursionError):
        return _NO_JSON
    return found


# What a column of each table may hold; whoever reads it later relies on that.
_FITS: Final[dict[str, dict[str, Callable[[object], bool]]]] = {
    "lesson": {
        "no": _is_text, "state": ("begun", "read").__contains__, "begun_at": _is_text_or_none,
        "step": lambda step: step is None or isinstance(step, (int, str)),
        "predicted_at": _is_text_or_none, "read_at": _is_text_or_none,
    },
    "prediction": {
        "lesson": _is_text, "item": _is_text, "answer_json": lambda text: text is not None and _is_json_or_none(text),
        "truth_json": _is_json_or_none, "right": (None, 0, 1).__contains__, "at": _is_text,
    },
    "question": {
        "id": _is_text, "notebook": _is_text, "points": _is_number, "best": _is_number, "tries": _is_count,
        "hints_seen": _is_count, "solution_seen": (0, 1).__contains__, "message": _is_text, "tests": _are_tests,
        "state": ("not tried", "error", "not yet", "partial", "passed").__contains__,
    },
    "attempt": {
        "question": _is_text, "outcome": ("passed", "partial", "not yet", "error").__contains__, "score": _is_number,
        "ms": _is_number, "cell_sha": _is_text, "at": _is_text,
    },
    "handin": {"receipt": _is_text, "notebook": _is_text, "sha256": _is_text, "score": _is_number, "at": _is_text},
    "event": {"at": _is_text, "kind": _is_text, "ref": _is_text},
}  # fmt: skip


def check_rows(db: sqlite3.Connection) -> None:
    """Raise ValueError at a value that no kit writes, as in an edited file: it would stop every later reader."""
    for table, columns in _FITS.items():
        for row in db.execute(f"SELECT {', '.join(columns)} FROM {table}"):
            for (name, fits), value in zip(columns.items(), row, strict=True):
                if not fits(value):
                    raise ValueError(f"its table {table} has {value!r} as {name}")


def merge_rows(db: sqlite3.Connection, other: sqlite3.Connection) -> None:
    """Add a learner's work in another database: no attempt is lost, and the earlier answer and better state win."""
    increment_revision(db)
    for columns, change in _MERGES.items():
        db.executemany(change, other.execute(f"SELECT {columns}").fetchall())
    for table, names in _HAPPENED.items():
        query = f"SELECT {', '.join(names)} FROM {table}"
        new = Counter(other.execute(query).fetchall()) - Counter(db.execute(query).fetchall())
        change = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        db.executemany(change, new.elements())
    db.execute(
        "UPDATE question SET tries = max(tries, (SELECT count(*) FROM attempt"
        " WHERE attempt.question = question.id AND outcome != 'error'))"
    )
    append_event(db, "import", "")
