"""Writing grades into nbgrader's gradebook: SQLite by default, PostgreSQL or another database through its URL.

Needs nbgrader, which the extra ``gradebook`` installs.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from autodiff_kit.errors import AutodiffError, FileError
from autodiff_kit.lessons.timestamps import parse_timestamp

from .outside_text import clean_name, clean_text
from .results import QuestionGrade, SubmissionResult

__all__ = ["GradebookError", "database_url", "write_gradebook"]

MAX_NAMES_SHOWN = 5
MAX_REASON = 200  # characters


class GradebookError(AutodiffError, RuntimeError):
    """The gradebook cannot be written; the message says why and what to do. The grades on disk are kept."""


def database_url(where: str) -> str:
    """Return the URL of a database that is given by its URL or as a SQLite file.

    Parameters
    ----------
    where : str
        A URL such as ``postgresql://teacher@host/course``, or a file's path.

    Returns
    -------
    str
        The URL.

    Raises
    ------
    FileError
        If the file's folder does not exist.
    """
    if "://" in where:
        return where
    path = Path(where).expanduser().resolve()
    if not path.parent.is_dir():
        raise FileError(f"The gradebook {path} cannot be created: its folder does not exist.")
    return f"sqlite:///{path}"


def write_gradebook(where: str, results: Iterable[SubmissionResult], due: str = "") -> int:
    """Write results into a gradebook; the operation is idempotent.

    Each result is written by itself. Those that the database refuses are left out, and once all others are written an
    error names their learners.

    Parameters
    ----------
    where : str
        See :func:`database_url`.
    results : iterable of SubmissionResult
        Of one or more exercises.
    due : str
        The due time, as ISO 8601.

    Returns
    -------
    int
        Number of submissions written; those without an exercise, and those that the grader lost, are skipped.

    Raises
    ------
    GradebookError
        If nbgrader is not installed, or the database cannot be reached or refuses the results of some learners.
    """
    try:
        from nbgrader.api import Gradebook
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise GradebookError(f"A gradebook needs {error.name}: pip install 'autodiff-kit[gradebook]'.") from error
    graded = (one for one in results if one.exercise and not one.was_lost)  # what was lost keeps the grade that it has
    ordered = sorted(graded, key=lambda one: (one.exercise, one.learner))
    refused: dict[str, str] = {}
    try:
        with _with_scripts_on_path(), warnings.catch_warnings(), Gradebook(database_url(where)) as book:
            warnings.simplefilter("ignore")  # warnings of nbgrader about its database
            for result in ordered:
                # A savepoint would not outlast nbgrader, which commits when it adds a learner or a submission. Points
                # and comments are set after that, so they stand there together or not at all.
                try:
                    _write_submission(book, result, due)
                    book.db.commit()
                except (SQLAlchemyError, ValueError) as error:  # nbgrader's own errors are ValueErrors
                    book.db.rollback()
                    refused[result.learner] = _first_line(error)
    except ModuleNotFoundError as error:
        raise GradebookError(f"This database needs {error.name}; install it with pip next to the kit.") from error
    except SQLAlchemyError as error:
        raise GradebookError(
            f"The gradebook could not be written ({_first_line(error)}). The grades on disk are complete."
        ) from error
    if refused:
        raise GradebookError(_refused_words(refused, len(ordered)))
    return len(ordered)


def _refused_words(refused: Mapping[str, str], count: int) -> str:
    shown = "; ".join(f"{clean_name(learner)} ({why})" for learner, why in list(refused.items())[:MAX_NAMES_SHOWN])
    more = f"; and {len(refused) - MAX_NAMES_SHOWN} more" if len(refused) > MAX_NAMES_SHOWN else ""
    return (
        f"The gradebook refused the grades of {len(refused)} of {count} submissions: {shown}{more}. All others are in "
        "it, and the grades on disk are complete."
    )


def _first_line(error: Exception) -> str:
    return clean_text((str(error).splitlines() or [type(error).__name__])[0], MAX_REASON)


@contextmanager
def _with_scripts_on_path() -> Iterator[None]:
    """Put the folder of this Python on PATH, because nbgrader calls alembic, which is installed there, by name."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _write_submission(book: Any, result: SubmissionResult, due: str) -> None:
    """Write the result of one submission."""
    exercise, learner = result.exercise, result.learner
    known = {"duedate": _naive_utc(due)} if due else {}  # the one that the teacher gave stays
    book.update_or_create_assignment(exercise, **known)
    book.update_or_create_notebook(exercise, exercise)
    for mark in result.marks:
        book.update_or_create_grade_cell(mark.question, exercise, exercise, max_score=mark.max_points, cell_type="code")
        book.update_or_create_solution_cell(f"{mark.question}-answer", exercise, exercise)
    book.update_or_create_student(learner)
    submission = book.update_or_create_submission(exercise, learner, timestamp=_naive_utc(result.submitted))
    for notebook in submission.notebooks:
        notebook.late_submission_penalty = result.penalty
    for mark in result.marks:
        _write_question_grade(book, result, mark)


def _write_question_grade(book: Any, result: SubmissionResult, mark: QuestionGrade) -> None:
    exercise, learner = result.exercise, result.learner
    grade = book.find_grade(mark.question, exercise, exercise, learner)
    grade.auto_score, grade.needs_manual_grade = mark.points, False
    comment = book.find_comment(f"{mark.question}-answer", exercise, exercise, learner)
    comment.auto_comment = mark.message


def _naive_utc(text: str) -> datetime | None:
    """A timestamp as nbgrader stores it: in UTC, without a zone."""
    return parse_timestamp(text).replace(tzinfo=None) if text else None
