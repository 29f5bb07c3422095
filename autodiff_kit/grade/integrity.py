"""Integrity checks of a submitted notebook: cells that were changed, removed, copied or moved."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autodiff_kit.exercises.question import Lesson

from .submission import Submission

__all__ = ["check_integrity"]

MAX_CHECK_LENGTH = 4000
TIMING = re.compile(r"^%%?time(?:it)?\b[ \t]*", re.MULTILINE)
"""IPython's magics that time what follows them on the line or in the cell."""
QUESTION_METHODS = ("check", "graded", "hint", "solution", "example")


def check_integrity(found: Submission, lesson: Lesson, cells: list[dict[str, Any]]) -> Submission:
    """Add remarks on a notebook's cells; changed checks or points set the status ``tampered``.

    Parameters
    ----------
    found : Submission
        The submission, as it was read.
    lesson : Lesson
        The exercise.
    cells : list of dict
        All cells of the notebook.

    Returns
    -------
    Submission
        With remarks, and with status and reason if checks or points were changed. It is still graded, because no point
        depends on the notebook's own checks.
    """
    remarks = tuple(_cell_remarks(found, lesson))
    changed = [*_changed_checks(found), *_changed_points(lesson, cells)]
    if not changed:
        return replace(found, remarks=found.remarks + remarks)
    reason = f"{' '.join(changed)} The points still come from the grader's own checks."
    return replace(found, remarks=found.remarks + remarks, status="tampered", reason=reason)


def _cell_remarks(found: Submission, lesson: Lesson) -> Iterator[str]:
    ours = [question.id for question in lesson.questions]
    sources = dict(found.cells)
    names = [id for place, id in found.questions if id in ours and not _is_check_source(sources[place])]
    lost = [id for id in ours if id not in names]
    if lost:
        yield f"The cell of {', '.join(lost)} is missing or has no name."
    copied = sorted({id for id in names if names.count(id) > 1})
    if copied:
        yield f"{', '.join(copied)}: several cells have this name; the last one that defines a function counts."
    once = list(dict.fromkeys(names))
    if once != [id for id in ours if id in once]:
        yield "The questions are in another order; the cells were run in that order."
    strange = sorted({id[:40] for _, id in found.questions if id not in ours})
    if strange:
        yield f"There are cells of other exercises: {', '.join(strange[:5])}."


def _changed_checks(found: Submission) -> Iterator[str]:
    """Cells that were released as checks and now contain other code."""
    sources = dict(found.cells)
    for place, id in found.checks:
        if sources[place].strip() and not _is_check_source(sources[place]):
            yield f"The check of {id[:40]} was replaced by other code."


def _changed_points(lesson: Lesson, cells: list[dict[str, Any]]) -> Iterator[str]:
    worth = {question.id: question.points for question in lesson.questions}
    for cell in cells:
        metadata = cell.get("metadata")
        about = metadata.get("autodiff_kit") if type(metadata) is dict else None
        if type(about) is not dict or "points" not in about or type(about.get("question")) is not str:
            continue
        id, points = about["question"], about["points"]
        if id in worth and not (type(points) in (int, float) and points == worth[id]):
            yield f"The points of {id} were changed to {_as_number(points)}; it is worth {worth[id]}."


def _as_number(points: object) -> str:
    """A number as it is written; "something else" for what is no number of a reasonable size."""
    return f"{points:g}" if isinstance(points, int | float) and abs(points) < 1e6 else "something else"


def _is_check_source(source: str) -> bool:
    """Whether a source only calls methods of questions, such as check and hint, and keeps or prints what they give."""
    if len(source) > MAX_CHECK_LENGTH:
        return False
    try:
        body = ast.parse(TIMING.sub("", source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(isinstance(step, ast.Expr | ast.Assign) and _is_question_call(step.value) for step in body)


def _is_question_call(value: ast.expr) -> bool:
    """Whether it is such as ``q1.check()``, also printed, or of a question by its exercise (``ex.q1.check()``)."""
    called = value.func if isinstance(value, ast.Call) else value
    if isinstance(value, ast.Call) and isinstance(called, ast.Name) and called.id in ("print", "display"):
        return not value.keywords and all(map(_is_question_call, value.args))
    if not isinstance(called, ast.Attribute) or called.attr not in QUESTION_METHODS:
        return False
    asked = called.value.value if isinstance(called.value, ast.Attribute) else called.value
    return isinstance(asked, ast.Name)
