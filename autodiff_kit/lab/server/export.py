"""Export progress for a teacher: everything as JSON, or as CSV the columns of nbgrader's export and what was done."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from typing import Any, Final

from autodiff_kit.lab.server.catalog import lesson_catalog
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lab.server.progress import lesson_as_json, lessons_as_json, read_learner_progress
from autodiff_kit.lab.server.progress_db import read_progress_db
from autodiff_kit.lab.server.submissions import list_submissions
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.progress_rows import read_revision
from autodiff_kit.lessons.timestamps import utc_now

COLUMNS: Final = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
    "read", "results", "predicted", "right", "prompts", "solved", "questions",
)  # fmt: skip
TABLES: Final = ("lesson", "prediction", "question", "attempt")
# A spreadsheet would read a cell that begins with one of these as a formula.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def export(folder: WorkingFolder, form: str) -> tuple[str, str, str]:
    """Return a file's name, its media type and its text."""
    if form == "json":
        return "autodiff_kit-progress.json", "application/json", _as_json(folder)
    if form == "csv":
        return "autodiff_kit-progress.csv", "text/csv; charset=utf-8", _as_csv(folder)
    raise RequestError(400, "bad_query", "`format` must be json or csv.", "Choose one of them.")


def _learner_name(folder: WorkingFolder) -> str:
    return workspace.learner_id(folder.root) if folder.exists else "guest"


def _as_json(folder: WorkingFolder) -> str:
    def tables(db: sqlite3.Connection) -> dict[str, Any]:
        lessons = lessons_as_json(lesson_catalog(), read_learner_progress(db))
        found: dict[str, Any] = {"rev": read_revision(db), "progress": lessons}
        for table in TABLES:
            cursor = db.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in cursor]
        return found

    found, _ = read_progress_db(folder, tables)
    whole = {"v": 1, "learner": _learner_name(folder), "at": utc_now(), **found, "handin": list_submissions(folder)}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _as_csv(folder: WorkingFolder) -> str:
    progress, _ = read_progress_db(folder, read_learner_progress)
    newest = {row["exercise"]: row["at"] for row in reversed(list_submissions(folder))}
    name = _learner_name(folder)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in lesson_catalog().values():
        if entry.exercise is not None:
            done, slug = lesson_as_json(entry, progress), entry.exercise.slug
            score = f"{done['score']:g}"
            row = (slug, "", newest.get(slug, ""), name, "", "", "", score, 0, score, f"{entry.points:g}")
            counts = {**done, "results": done["prompts"]}
            writer.writerow([*map(_escape_formula, row), *(counts[column] for column in COLUMNS[len(row) :])])
    return text.getvalue()


def _escape_formula(cell: object) -> str:
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
