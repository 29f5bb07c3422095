"""``grades.csv``: a line a submission, in the columns that nbgrader exports."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from .results import Result

__all__ = ["COLUMNS", "cell", "grades_csv"]

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip


def grades_csv(results: Iterable[Result], due: str = "") -> str:
    """The text of ``grades.csv``.

    Parameters
    ----------
    results : iterable of Result
        Of the batch.
    due : str
        When the work was due.

    Returns
    -------
    str
        With a line of names first.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for result in sorted(results, key=lambda one: (one.exercise, one.learner)):
        given = (result.exercise, due, result.submitted, cell(result.learner), "", "", "")
        table.writerow((*given, result.raw_score, result.penalty, result.score, result.max_score))
    return text.getvalue()


def cell(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t")) else name
