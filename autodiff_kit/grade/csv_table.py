"""``grades.csv``: one line per submission, in the columns of nbgrader's export."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from .results import SubmissionResult

__all__ = ["COLUMNS", "escape_formula", "grades_csv"]

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip


def grades_csv(results: Iterable[SubmissionResult], due: str = "") -> str:
    """The text of ``grades.csv``.

    Parameters
    ----------
    results : iterable of SubmissionResult
        Results of the batch.
    due : str
        The due time.

    Returns
    -------
    str
        The first line has the column names.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for result in sorted(results, key=lambda one: (one.exercise, one.learner)):
        header = (result.exercise, due, result.submitted, escape_formula(result.learner), "", "", "")
        table.writerow((*header, result.raw_score, result.penalty, result.score, result.max_score))
    return text.getvalue()


def escape_formula(name: str) -> str:
    """Prefix a text that a spreadsheet would read as a formula with an apostrophe."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t")) else name
