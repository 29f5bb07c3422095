"""A teacher's own exercises: built from a master notebook, with their checks as a package next to the notebook.

The learner's package has no check of a private question, but at most one of its public examples; the teacher's has all.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from autodiff_kit.errors import StructureError

from .question import Lesson, Question, no_public_check

__all__ = ["find_custom_exercise", "load_built_lesson", "load_checks", "module_name"]


NO_HINTS = ("This question has no hints.",) * 3
OPTIONAL = ("spoils", "praise", "counterexample", "without")


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


def load_checks(folder: Path, slug: str) -> Lesson | None:
    """Load an exercise's checks from ``<slug>_checks`` in one folder, and from nowhere else; None if it is not there.

    Raises
    ------
    StructureError
        If the checks exist but cannot be loaded.
    """
    name, place = f"{slug}_checks", folder / f"{slug}_checks" / "__init__.py"
    if not (name.isascii() and name.isidentifier() and place.is_file()):
        return None
    spec = spec_from_file_location(name, place, submodule_search_locations=[str(place.parent)])
    assert spec is not None and spec.loader is not None, "a path that ends in .py has a loader"  # noqa: PT018
    for old in [known for known in sys.modules if known.partition(".")[0] == name]:
        del sys.modules[old]  # of another folder
    found = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(found)
        lesson: Lesson = found.LESSON
    except Exception as error:
        del sys.modules[name]
        raise StructureError(f"The checks in {place.parent} stop with {type(error).__name__}: {error}") from error
    return lesson


def module_name(question: str) -> str:
    """The name of the module with a question's check, in the package of its exercise."""
    return question.replace("-", "_")


def load_built_lesson(about: Path, package: str) -> Lesson:
    """Load what ``author build`` has written: texts from ``exercise.json`` and a module for each question."""
    facts = json.loads(about.read_text(encoding="utf-8"))
    questions = tuple(_load_question(entry, package) for entry in facts.pop("questions"))
    return Lesson(**facts, reminders=(), questions=questions)


def _load_question(entry: dict[str, Any], package: str) -> Question:
    entry["writes"] = tuple(entry["writes"])
    if entry.pop("checked_later", False):
        return Question(**entry, check=no_public_check, messages={}, hints=NO_HINTS, example=_no_example, private=True)
    author = import_module(f"{package}.{module_name(entry['id'])}")
    optional = {name: getattr(author, name) for name in OPTIONAL if hasattr(author, name)}
    hints: tuple[str, str, str] = tuple(getattr(author, "hints", NO_HINTS))
    messages, example = getattr(author, "messages", {}), getattr(author, "example", _no_example)
    return Question(**entry, check=author.check, messages=messages, hints=hints, example=example, **optional)


def _no_example(_: object) -> dict[str, object]:
    return {}
