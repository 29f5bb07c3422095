"""Finding an exercise by the name or number that a teacher or a notebook gives."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises import custom
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.exercises.questions import LESSONS

__all__ = [
    "checks_folder",
    "find_builtin_exercise",
    "find_exercise",
    "find_known_exercise",
    "question_names",
    "require_all_checks",
    "use_checks",
]

MAX_NAME_LENGTH = 80

_checks_folder: Path | None = None
_loading = threading.RLock()  # a dask worker grades in several threads, and modules are loaded once


def use_checks(folder: Path | None) -> None:
    """Set the folder with the checks of a teacher's own exercises, for this process."""
    global _checks_folder
    with _loading:
        if folder != _checks_folder:
            _checks_folder = folder
            _find_custom.cache_clear()


def checks_folder() -> str:
    """The folder of :func:`use_checks`; empty if there is none."""
    return str(_checks_folder or "")


@lru_cache(maxsize=64)
def _find_custom(name: str) -> Lesson | None:
    return custom.load_checks(_checks_folder, name) if _checks_folder and len(name) <= MAX_NAME_LENGTH else None


def find_builtin_exercise(name: str) -> Lesson | None:
    """The kit's exercise with a slug or number, or None."""
    return LESSONS.find(name) or next((lesson for lesson in LESSONS.values() if lesson.slug == name), None)


def find_known_exercise(name: str) -> Lesson | None:
    """The exercise that a learner's notebook names: one of the kit's, or one of the teacher's checks; or None."""
    with _loading:
        return find_builtin_exercise(name) or _find_custom(name)


def find_exercise(name: str) -> Lesson:
    """The exercise with a slug or number: one of the kit's, or one whose checks are in the folder of `use_checks`.

    Checks are loaded from that folder only, so that nothing which a learner handed in can stand in their place.

    Raises
    ------
    StructureError
        If there is no such exercise.
    """
    found = find_known_exercise(name)
    if found is None:
        known = ", ".join(lesson.slug for lesson in LESSONS.values())
        raise StructureError(
            f"There is no exercise {name!r}; there are {known}. For one of your own give --checks FOLDER, the folder "
            f"`grading` that `autodiff-kit author build` wrote; it must have {name}_checks in it."
        )
    return found


def require_all_checks(exercises: Iterable[str]) -> None:
    """Raise a :class:`StructureError` if the checks of an exercise are those of its release, for learners."""
    for name in exercises:
        absent = [question.id for question in find_exercise(name).questions if question.private]
        if absent:
            raise StructureError(
                f"{_checks_folder} has the learners' copy of the checks of {name}, without those of the private "
                f"questions ({', '.join(absent)}). Give the folder `grading` that `autodiff-kit author build` "
                "wrote beside `release`."
            )


def question_names(exercise: str) -> dict[str, str]:
    """Question id -> how messages name it: as the notebook does, the id beside it, ``q1 (jvp-1)``."""
    lesson = find_known_exercise(exercise) if exercise else None
    return {} if lesson is None else {id: f"{label} ({id})" for id, label in lesson.labels.items()}
