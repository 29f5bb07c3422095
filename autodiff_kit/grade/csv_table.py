"""``grades.csv``: one line per submission, in the columns of nbgrader's export and one for each question."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from .results import SubmissionResult

__all__ = ["COLUMNS", "csv_text", "escape_formula", "grades_csv"]

FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "−")
COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip


def grades_csv(
    results: Iterable[SubmissionResult], due: str = "", names: Mapping[str, tuple[str, str]] | None = None
) -> str:
    """The text of ``grades.csv``.

    Parameters
    ----------
    results : iterable of SubmissionResult
        Results of the batch.
    due : str
        The due time.
    names : mapping, optional
        Learner -> last name and first name in the roster.

    Returns
    -------
    str
        The first line has the column names; a column for the points of each question follows nbgrader's own.
    """
    ordered = sorted(results, key=lambda one: (one.exercise, one.learner))
    questions = list(dict.fromkeys(mark.question for result in ordered for mark in result.marks))
    rows: list[tuple[object, ...]] = [(*COLUMNS, *questions)]
    for result in ordered:
        name = map(escape_formula, (names or {}).get(result.learner, ("", "")))
        header = (result.exercise, due, result.submitted, escape_formula(result.learner), *name, "")
        points = (result.points.get(question, "") for question in questions)
        rows.append((*header, result.raw_score, result.penalty, result.score, result.max_score, *points))
    return csv_text(rows)


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The text of a table; every text is quoted, so that a program with another separator reads the same cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return text.getvalue()


def escape_formula(name: str) -> str:
    """Prefix a text that a spreadsheet would read as a formula with an apostrophe; some read wide letters as well."""
    return f"'{name}" if unicodedata.normalize("NFKC", name[:1]) in FORMULA_BEGINNINGS else name
