"""Cells of an exercise's notebook: how they are marked for the kit and for nbgrader."""

from __future__ import annotations

from typing import Any

__all__ = ["HELP", "about", "code", "lines", "markdown", "marked", "nbgrader", "notebook", "part_of", "source_of"]

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SCHEMA = 3  # nbgrader's metadata
HELP = """# {label}.example     # your own numbers to try things with
# {label}.hint()      # a hint; the third costs a quarter of the points
# {label}.solution()  # a worked answer, after two tries or a pass"""


def notebook(cells: list[dict[str, Any]], about: dict[str, Any]) -> dict[str, Any]:
    """A notebook in nbformat 4.5, with our own data beside the kernel's."""
    metadata = {"autodiff_kit": about, "kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def about(
    no: str, slug: str, title: str, goal: str, *, minutes: int, questions: int, points: int,
    needs: list[str] | None = None, rows: list[str] | None = None, keywords: list[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Our own data of an exercise's notebook."""
    words = [f"{questions} question{'s' * (questions != 1)}", f"{points} point{'s' * (points != 1)}."]
    return {
        "v": 1, "kind": "exercise", "no": no, "slug": slug, "title": title, "goal": goal, "minutes": minutes,
        "needs": needs or [], "rows": rows or [], "summary": ", ".join(words), "keywords": keywords or [],
        "exercise": slug, "learner": None,
    }  # fmt: skip


def markdown(name: str, text: str, **marks: Any) -> dict[str, Any]:
    """A cell of text."""
    return {"cell_type": "markdown", "id": name, "metadata": _metadata(marks), "source": lines(text)}


def code(name: str, text: str, **marks: Any) -> dict[str, Any]:
    """A cell of code that has not been run."""
    cell = {"cell_type": "code", "execution_count": None, "id": name, "metadata": _metadata(marks)}
    return {**cell, "outputs": [], "source": lines(text)}


def lines(text: str) -> list[str]:
    """A cell's source as notebooks store it."""
    return text.splitlines(keepends=True)


def source_of(cell: dict[str, Any]) -> str:
    """A cell's source as one text; nbformat allows both forms."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def part_of(cell: dict[str, Any]) -> dict[str, Any]:
    """What our own data says of a cell; empty if it says nothing."""
    about = cell.get("metadata", {}).get("autodiff_kit", {})
    return about if isinstance(about, dict) else {}


def marked(question: str, part: str, *, points: float | None = None, **more: Any) -> dict[str, Any]:
    """Both marks of a question's cell: ours, and the one nbgrader reads.

    Parameters
    ----------
    question : str
        Stored id, such as ``jvp-1``.
    part : str
        text, answer, check, help, author or wrong.
    points : float, optional
        What the question is worth; it stands with the answer for the kit, with the check for nbgrader.
    **more
        Further data of our own.

    Returns
    -------
    dict
        Keywords for :func:`markdown` and :func:`code`.
    """
    about: dict[str, Any] = {"question": question, "part": part, **more}
    if points is not None and part == "answer":
        about["points"] = points
    grader = nbgrader(question, part, points)
    return {"autodiff_kit": about, **({"nbgrader": grader} if grader else {})}


def nbgrader(question: str, part: str, points: float | None = None) -> dict[str, Any]:
    """What nbgrader is told of a cell; nothing of those that it need not know.

    The cell that is graded has the question's own id, so that its column in a gradebook is called so.
    """
    kinds = {
        "text": {"grade": False, "solution": False, "locked": True, "grade_id": f"{question}-text"},
        "answer": {"grade": False, "solution": True, "locked": False, "grade_id": f"{question}-answer"},
        "check": {"grade": True, "solution": False, "locked": True, "grade_id": question, "points": points},
    }
    return {**kinds[part], "schema_version": SCHEMA, "task": False} if part in kinds else {}


def _metadata(marks: dict[str, Any]) -> dict[str, Any]:
    return {name: mark for name, mark in marks.items() if mark}
