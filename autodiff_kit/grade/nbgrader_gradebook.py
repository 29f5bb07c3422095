"""Grades in nbgrader's own gradebook: SQLite by default, PostgreSQL or any other database through its URL.

nbgrader writes them; the extra ``gradebook`` brings it.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autodiff_kit.errors import AutodiffError, FileError

from .results import Mark, Result

__all__ = ["GradebookError", "address", "write_gradebook"]


class GradebookError(AutodiffError, RuntimeError):
    """The gradebook cannot be written; the text says why and what to do. Grades on disk are not touched."""


def address(where: str) -> str:
    """A database's URL: the one given, or that of a SQLite file.

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
        If the file's folder is not there.
    """
    if "://" in where:
        return where
    path = Path(where).expanduser().resolve()
    if not path.parent.is_dir():
        raise FileError(f"The gradebook {path} cannot be made: its folder is not there.")
    return f"sqlite:///{path}"


def write_gradebook(where: str, results: Iterable[Result], due: str = "") -> int:
    """Write results into a gradebook; writing them again changes nothing.

    Parameters
    ----------
    where : str
        See :func:`address`.
    results : iterable of Result
        Of one or more exercises.
    due : str
        When the work was due, as ISO 8601.

    Returns
    -------
    int
        How many submissions were written. Those that name no exercise are not.

    Raises
    ------
    GradebookError
        If nbgrader is not installed, or the database cannot be reached or refuses.
    """
    try:
        from nbgrader.api import Gradebook
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise GradebookError(f"A gradebook needs {error.name}: pip install 'autodiff-kit[gradebook]'.") from error
    ordered = sorted((one for one in results if one.exercise), key=lambda one: (one.exercise, one.learner))
    try:
        with _own_programs(), warnings.catch_warnings(), Gradebook(address(where)) as book:
            warnings.simplefilter("ignore")  # nbgrader's own talk with its database
            for result in ordered:
                _submission(book, result, due)
            book.db.commit()
    except ModuleNotFoundError as error:
        raise GradebookError(f"This database needs {error.name}: pip install it beside the kit.") from error
    except SQLAlchemyError as error:
        reason = str(error).splitlines()[0]
        raise GradebookError(f"The gradebook could not be written ({reason}). The grades on disk stand.") from error
    return len(ordered)


@contextmanager
def _own_programs() -> Iterator[None]:
    """nbgrader calls alembic by name; it stands beside this Python, which need not be on PATH."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _submission(book: Any, result: Result, due: str) -> None:
    """One learner's work on one exercise."""
    exercise, learner = result.exercise, result.learner
    book.update_or_create_assignment(exercise, duedate=_moment(due))
    book.update_or_create_notebook(exercise, exercise)
    for mark in result.marks:
        book.update_or_create_grade_cell(mark.question, exercise, exercise, max_score=mark.max_points, cell_type="code")
        book.update_or_create_solution_cell(f"{mark.question}-answer", exercise, exercise)
    book.update_or_create_student(learner)
    submission = book.update_or_create_submission(exercise, learner, timestamp=_moment(result.submitted))
    for notebook in submission.notebooks:
        notebook.late_submission_penalty = result.penalty
    for mark in result.marks:
        _mark(book, result, mark)


def _mark(book: Any, result: Result, mark: Mark) -> None:
    exercise, learner = result.exercise, result.learner
    grade = book.find_grade(mark.question, exercise, exercise, learner)
    grade.auto_score, grade.needs_manual_grade = mark.points, False
    comment = book.find_comment(f"{mark.question}-answer", exercise, exercise, learner)
    comment.auto_comment = mark.message


def _moment(text: str) -> datetime | None:
    """A time as nbgrader keeps it: in UTC, without saying so."""
    if not text:
        return None
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found
