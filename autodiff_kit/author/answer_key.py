"""The author's answer key, and an HTML preview of the learner's notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autodiff_kit import extras
from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import MasterNotebook, MasterNotebookError, split_answer
from .notebook_cells import cell_source, kit_metadata, markdown_cell, source_lines
from .release import learner_notebook, notebook_json, visible_cells, write_made_notebook

__all__ = ["answer_key_notebook", "write_answer_key", "write_preview"]


def answer_key_notebook(master: MasterNotebook) -> dict[str, Any]:
    """The answer key: worked answers in place of starters, with the misconceptions and hints of each question."""
    found = []
    for cell in visible_cells(learner_notebook(master.notebook)):
        about = kit_metadata(cell)
        if about.get("part") == "answer":
            found += _answer_cells(master, about["question"])
        else:
            found.append(cell)
    return {**master.notebook, "cells": found}


def _answer_cells(master: MasterNotebook, name: str) -> list[dict[str, Any]]:
    original = next(
        cell
        for cell in master.notebook["cells"]
        if kit_metadata(cell).get("part") == "answer" and kit_metadata(cell)["question"] == name
    )
    question = next(one for one in master.lesson.questions if one.id == name)
    named = [f"- `{misconception}`: {told}" for misconception, told in question.messages.items()]
    drawn = [f"- `{key}`: {', '.join(map(str, values))}" for key, values in question.parameters.items()]
    numbers = ["**Drawn for each learner**", "", *drawn, ""] if drawn else []
    told = "\n".join([*numbers, "**Named misconceptions**", "", *named, "", "**Hints**", ""])
    hints = "\n".join(f"{i}. {hint}" for i, hint in enumerate(question.hints, 1))
    answer = {
        **original,
        "source": source_lines(split_answer(cell_source(original))[1].rstrip()),
    }
    return [answer, markdown_cell(f"{name}-key", told + hints)]


def write_answer_key(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write the answer key, a notebook for the author only."""
    return [write_made_notebook(folder / f"{master.lesson.slug}_key.ipynb", answer_key_notebook(master), master)]


def write_preview(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write the learner's notebook as an HTML page, for the author to read before the release."""
    extras.require("nbconvert", "grade", "The preview of an exercise")
    import nbformat
    from nbconvert import HTMLExporter

    path = folder / f"{master.lesson.slug}.html"
    exporter: Any = HTMLExporter
    try:
        notebook = nbformat.reads(notebook_json(learner_notebook(master.notebook)), as_version=4)  # type: ignore[no-untyped-call]
        page, _ = exporter(exclude_input_prompt=True).from_notebook_node(notebook)
    except Exception as error:  # of any kind: nbconvert checks metadata differently from parse_master
        reason = str(error).partition("\n")[0]
        raise MasterNotebookError(
            f"{master.path or 'the master'}: nbconvert makes no page of it ({type(error).__name__}: {reason}). Undo "
            "what was changed in the notebook, or build the other parts with --only."
        ) from error
    write_atomically(path, page.encode())
    return [path]
