"""Progress as a file for a teacher: everything as JSON, or the columns of nbgrader's export as CSV."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from typing import Any, Final

from autodiff_kit.lab.server.catalog import catalogue
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import Folder
from autodiff_kit.lab.server.progress import read_standing
from autodiff_kit.lab.server.progress_db import look
from autodiff_kit.lab.server.submissions import listed
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.progress_rows import read_revision
from autodiff_kit.lessons.timestamps import utc_now

COLUMNS: Final = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip
TABLES: Final = ("lesson", "prediction", "question", "attempt")
# A table program would take a word that begins like this for a formula.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def export(folder: Folder, form: str) -> tuple[str, str, str]:
    """Return a file's name, its media type and its text."""
    if form == "json":
        return "autodiff_kit-progress.json", "application/json", _as_json(folder)
    if form == "csv":
        return "autodiff_kit-progress.csv", "text/csv; charset=utf-8", _as_csv(folder)
    raise RequestError(400, "bad_query", "`format` is json or csv.", "Choose one of them.")


def _learner(folder: Folder) -> str:
    return workspace.learner_id(folder.root) if folder.begun else "guest"


def _as_json(folder: Folder) -> str:
    def tables(db: sqlite3.Connection) -> dict[str, Any]:
        found: dict[str, Any] = {"rev": read_revision(db)}
        for table in TABLES:
            cursor = db.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in cursor]
        return found

    found, _ = look(folder, tables)
    whole = {"v": 1, "learner": _learner(folder), "at": utc_now(), **found, "handin": listed(folder)}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _as_csv(folder: Folder) -> str:
    standing, _ = look(folder, read_standing)
    newest = {row["exercise"]: row["at"] for row in reversed(listed(folder))}
    learner = _learner(folder)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in catalogue().values():
        if entry.exercise is not None:
            score, slug = standing.score(entry.exercise), entry.exercise.slug
            row = (slug, "", newest.get(slug, ""), learner, "", "", "", f"{score:g}", 0, f"{score:g}")
            writer.writerow([*map(_harmless, row), f"{entry.points:g}"])
    return text.getvalue()


def _harmless(cell: object) -> str:
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA) else text
