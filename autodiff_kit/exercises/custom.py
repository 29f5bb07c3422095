"""A teacher's own exercises: built from a master notebook, with their checks as a package next to the notebook."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from autodiff_kit.errors import StructureError

from .question import Lesson, Question

__all__ = ["find_custom_exercise", "load_built_lesson"]


def find_custom_exercise(slug: str) -> Lesson | None:
    """Import an exercise's checks as ``<slug>_checks``; None if there is no such package.

    Parameters
    ----------
    slug : str
        The exercise's name, as in ``exercise("...")``.

    Returns
    -------
    Lesson or None
        The exercise with its questions.

    Raises
    ------
    StructureError
        If the checks exist but cannot be loaded.
    """
    name = f"{slug}_checks"
    if not name.isidentifier():
        return None
    try:
        found = import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise StructureError(f"The checks of {slug!r} need {error.name!r}, which is not installed.") from error
    lesson = getattr(found, "LESSON", None)
    if not isinstance(lesson, Lesson):
        raise StructureError(
            f"{name} contains no exercise. `autodiff-kit author build` writes it next to the notebook."
        )
    return lesson


def load_built_lesson(about: Path, package: str) -> Lesson:
    """Load what ``author build`` has written: texts from ``exercise.json`` and a module for each question."""
    facts = json.loads(about.read_text(encoding="utf-8"))
    questions = tuple(_load_question(entry, package) for entry in facts.pop("questions"))
    return Lesson(**facts, reminders=(), questions=questions)


def _load_question(entry: dict[str, Any], package: str) -> Question:
    author = import_module(f"{package}.{entry['id'].replace('-', '_')}")
    optional = {name: getattr(author, name) for name in ("spoils", "praise", "counterexample") if hasattr(author, name)}
    entry["writes"] = tuple(entry["writes"])
    hints: tuple[str, str, str] = tuple(author.hints)
    return Question(
        **entry, check=author.check, messages=author.messages, hints=hints, example=author.example, **optional
    )
