"""Finding an exercise by the name or number that a teacher or a notebook gives."""

from __future__ import annotations

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises import custom
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.exercises.questions import LESSONS

__all__ = ["find_builtin_exercise", "find_exercise"]


def find_builtin_exercise(name: str) -> Lesson | None:
    """The kit's exercise with a slug or number, or None."""
    number = f"{name:0>2}"
    return LESSONS.get(number) or next((lesson for lesson in LESSONS.values() if lesson.slug == name), None)


def find_exercise(name: str) -> Lesson:
    """The exercise with a slug or number: one of the kit's, or a teacher's own with an importable checks package.

    Raises
    ------
    StructureError
        If there is no such exercise.
    """
    found = find_builtin_exercise(name) or custom.find_custom_exercise(name)
    if found is None:
        known = ", ".join(lesson.slug for lesson in LESSONS.values())
        raise StructureError(
            f"There is no exercise {name!r}; there are {known}. An exercise of your own is found by its checks: put "
            "the "
            f"folder with {name}_checks on PYTHONPATH."
        )
    return found
