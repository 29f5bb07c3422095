"""Building and reading the cells of an exercise notebook, with metadata for the kit and for nbgrader."""

from __future__ import annotations

from typing import Any

__all__ = [
    "HELP",
    "cell_source",
    "code_cell",
    "exercise_metadata",
    "kit_metadata",
    "make_notebook",
    "markdown_cell",
    "nbgrader_metadata",
    "question_metadata",
    "source_lines",
]

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SCHEMA = 3  # nbgrader's metadata
HELP = """# {label}.example     # your own numbers to try things with
# {label}.hint()      # a hint; the third costs a quarter of the points
# {label}.solution()  # a worked answer, after two tries or a pass"""


def make_notebook(cells: list[dict[str, Any]], about: dict[str, Any]) -> dict[str, Any]:
    """A notebook in nbformat 4.5, with the kit's metadata and the kernel's."""
    metadata = {"autodiff_kit": about, "kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def exercise_metadata(
    no: str, slug: str, title: str, goal: str, *, minutes: int, questions: int, points: int,
    needs: list[str] | None = None, rows: list[str] | None = None, keywords: list[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The kit's metadata of an exercise notebook."""
    words = [f"{questions} question{'s' * (questions != 1)}", f"{points} point{'s' * (points != 1)}."]
    return {
        "v": 1, "kind": "exercise", "no": no, "slug": slug, "title": title, "goal": goal, "minutes": minutes,
        "needs": needs or [], "rows": rows or [], "summary": ", ".join(words), "keywords": keywords or [],
        "exercise": slug, "learner": None,
    }  # fmt: skip


def markdown_cell(name: str, text: str, **marks: Any) -> dict[str, Any]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": name, "metadata": _metadata(marks), "source": source_lines(text)}


def code_cell(name: str, text: str, **marks: Any) -> dict[str, Any]:
    """A code cell that has not been run."""
    cell = {"cell_type": "code", "execution_count": None, "id": name, "metadata": _metadata(marks)}
    return {**cell, "outputs": [], "source": source_lines(text)}


def source_lines(text: str) -> list[str]:
    """A cell's source as a list of lines, as notebooks store it."""
    return text.splitlines(keepends=True)


def cell_source(cell: dict[str, Any]) -> str:
    """A cell's source as one string; nbformat allows a string and a list of lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def kit_metadata(cell: dict[str, Any]) -> dict[str, Any]:
    """The kit's metadata of a cell, or of a notebook; empty if there is none."""
    metadata = cell.get("metadata")
    about = metadata.get("autodiff_kit") if isinstance(metadata, dict) else None
    return about if isinstance(about, dict) else {}


def question_metadata(question: str, part: str, *, points: float | None = None, **more: Any) -> dict[str, Any]:
    """The metadata of a question's cell, for the kit and for nbgrader.

    Parameters
    ----------
    question : str
        Stored id, such as ``jvp-1``.
    part : str
        text, answer, check, help, author or wrong.
    points : float, optional
        The points of the question; the kit reads them from the answer cell, nbgrader from the check.
    **more
        Further metadata for the kit.

    Returns
    -------
    dict
        Keyword arguments for :func:`markdown_cell` and :func:`code_cell`.
    """
    about: dict[str, Any] = {"question": question, "part": part, **more}
    if points is not None and part == "answer":
        about["points"] = points
    grader = nbgrader_metadata(question, part, points)
    return {"autodiff_kit": about, **({"nbgrader": grader} if grader else {})}


def nbgrader_metadata(question: str, part: str, points: float | None = None) -> dict[str, Any]:
    """nbgrader's metadata of a cell; empty for parts that nbgrader does not use.

    The graded cell has the question's id, so that its column in a gradebook has that name.
    """
    kinds = {
        "text": {"grade": False, "solution": False, "locked": True, "grade_id": f"{question}-text"},
        "answer": {"grade": False, "solution": True, "locked": False, "grade_id": f"{question}-answer"},
        "check": {"grade": True, "solution": False, "locked": True, "grade_id": question, "points": points},
    }
    return {**kinds[part], "schema_version": SCHEMA, "task": False} if part in kinds else {}


def _metadata(marks: dict[str, Any]) -> dict[str, Any]:
    return {name: mark for name, mark in marks.items() if mark}
