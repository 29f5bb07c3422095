"""What the author keeps and looks at: the answer key, and a preview of the learner's notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from autodiff_kit.lessons.atomic_files import write_atomically

from . import notebook_cells
from .master_notebook import split
from .release import as_text, released, visible, write_notebook

if TYPE_CHECKING:
    from .master_notebook import Master

__all__ = ["keyed", "write_key", "write_preview"]


def keyed(master: Master) -> dict[str, Any]:
    """The answer key: worked answers in place of starters, and what each mistake is called."""
    found = []
    for cell in visible(released(master.notebook)):
        about = notebook_cells.part_of(cell)
        if about.get("part") == "answer":
            found += _answered(master, about["question"])
        else:
            found.append(cell)
    return {**master.notebook, "cells": found}


def _answered(master: Master, name: str) -> list[dict[str, Any]]:
    original = next(cell for cell in master.notebook["cells"] if notebook_cells.part_of(cell).get("part") == "answer"
                    and notebook_cells.part_of(cell)["question"] == name)  # fmt: skip
    question = next(one for one in master.lesson.questions if one.id == name)
    named = [f"- `{misconception}`: {told}" for misconception, told in question.messages.items()]
    told = "\n".join(["**Mistakes that have a name**", "", *named, "", "**Hints**", ""])
    hints = "\n".join(f"{i}. {hint}" for i, hint in enumerate(question.hints, 1))
    answer = {**original, "source": notebook_cells.lines(split(notebook_cells.source_of(original))[1].rstrip())}
    return [answer, notebook_cells.markdown(f"{name}-key", told + hints)]


def write_key(folder: Path, master: Master) -> list[Path]:
    """Write the answer key, a notebook; it belongs in no learner's folder."""
    return [write_notebook(folder / f"{master.lesson.slug}_key.ipynb", keyed(master))]


def write_preview(folder: Path, master: Master) -> list[Path]:
    """Write the learner's notebook as a page, to read before it is handed out."""
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.reads(as_text(released(master.notebook)), as_version=4)  # type: ignore[no-untyped-call]
    exporter: Any = HTMLExporter
    page, _ = exporter(exclude_input_prompt=True).from_notebook_node(notebook)
    path = folder / f"{master.lesson.slug}.html"
    write_atomically(path, page.encode())
    return [path]
