"""What can be seen of a notebook without running it: cells that were changed, lost, copied or moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.question import Lesson

if TYPE_CHECKING:
    from .submission import Submission

__all__ = ["look"]

LONGEST_CHECK = 4000
HANDED_TO_LEARNERS = ("check", "graded", "hint", "solution", "example")


def look(found: Submission, lesson: Lesson, cells: list[dict[str, Any]]) -> Submission:
    """Add remarks on a notebook's cells; those that can only be meant are ``tampered``.

    Parameters
    ----------
    found : Submission
        As read.
    lesson : Lesson
        Whose exercise it is.
    cells : list of dict
        Of the notebook.

    Returns
    -------
    Submission
        With remarks, and with status and reason if checks or points were changed. It is graded all the same: no
        point depends on what the notebook says of itself.
    """
    remarks = tuple(_remarks(found, lesson))
    changed = [*_changed_checks(found), *_changed_points(lesson, cells)]
    if not changed:
        return replace(found, remarks=found.remarks + remarks)
    reason = f"{' '.join(changed)} Points come from the grader's own checks all the same."
    return replace(found, remarks=found.remarks + remarks, status="tampered", reason=reason)


def _remarks(found: Submission, lesson: Lesson) -> Iterator[str]:
    ours = [question.id for question in lesson.questions]
    sources = dict(found.cells)
    names = [id for place, id in found.questions if id in ours and not _is_check(sources[place])]
    lost = [id for id in ours if id not in names]
    if lost:
        yield f"The cell of {', '.join(lost)} is missing or carries no name."
    copied = sorted({id for id in names if names.count(id) > 1})
    if copied:
        yield f"{', '.join(copied)}: several cells carry this name; the last one that defines a function counts."
    once = list(dict.fromkeys(names))
    if once != [id for id in ours if id in once]:
        yield "The questions stand in another order; the cells were run as they stand."
    strange = sorted({id[:40] for _, id in found.questions if id not in ours})
    if strange:
        yield f"There are cells of other exercises: {', '.join(strange[:5])}."


def _changed_checks(found: Submission) -> Iterator[str]:
    """Cells that were given out as checks and are none any more."""
    sources = dict(found.cells)
    for place, id in found.checks:
        if sources[place].strip() and not _is_check(sources[place]):
            yield f"The check of {id[:40]} was changed into something else."


def _changed_points(lesson: Lesson, cells: list[dict[str, Any]]) -> Iterator[str]:
    worth = {question.id: question.points for question in lesson.questions}
    for cell in cells:
        metadata = cell.get("metadata")
        about = metadata.get("autodiff_kit") if type(metadata) is dict else None
        if type(about) is not dict or "points" not in about or type(about.get("question")) is not str:
            continue
        id, points = about["question"], about["points"]
        if id in worth and not (type(points) in (int, float) and points == worth[id]):
            yield f"The points of {id} were changed to {str(points)[:40]}; it is worth {worth[id]}."


def _is_check(source: str) -> bool:
    """Whether a cell only asks for checks, hints and the like, or says nothing."""
    if len(source) > LONGEST_CHECK:
        return False
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(isinstance(step, ast.Expr) and _asks(step.value) for step in body)


def _asks(value: ast.expr) -> bool:
    called = value.func if isinstance(value, ast.Call) else value
    return (
        isinstance(called, ast.Attribute) and called.attr in HANDED_TO_LEARNERS and isinstance(called.value, ast.Name)
    )
