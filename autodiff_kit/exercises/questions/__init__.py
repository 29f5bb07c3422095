"""The kit's own questions, found by their folders; a question is imported when it is asked for.

``lessonNN/`` holds the lesson's title and goal (``__init__.py``), what several of its questions use (``shared.py``) and
one folder for each question, named like its id (``jvp_1/`` for ``jvp-1``):

question.py
    ``QUESTION``: text, starter, check, messages and hints.
solution.py
    The worked answer: what ``q1.solution()`` shows and what the check takes as right.
misconceptions.py
    What each misconception would compute, where a function for it is longer than a line.
wrong.py, other.py
    Wrong answers with the misconception that each must be told, and another right answer; for the tests alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module, resources
from typing import TYPE_CHECKING

from autodiff_kit.errors import StructureError
from autodiff_kit.lessons.translation import language, translate

from ..question import Lesson, Question

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["LESSONS", "LessonCatalog", "load_question"]

LESSON_FOLDER = re.compile(r"lesson(\d\d)")
QUESTION_FOLDER = re.compile(r"[a-z]\w*_(\d+)")


class LessonCatalog(Mapping[str, Lesson]):
    """Lessons with their questions by lesson number; numbers and ids come from the names of folders.

    Listing numbers and ids imports nothing. A lesson's questions are imported when the lesson is looked up.

    Parameters
    ----------
    package : str
        The package that holds the folders ``lessonNN``.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._lessons: dict[str, Lesson] = {}
        self._questions: dict[str, Question] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)

    def __contains__(self, no: object) -> bool:
        return no in self._folders

    def __getitem__(self, no: str) -> Lesson:
        if no not in self._lessons:
            questions = tuple(self.load_question(id) for id in self.question_ids(no))
            lesson: Lesson = import_module(f"{self._package}.lesson{no}").LESSON
            self._lessons[no] = replace(lesson, questions=questions, title=translate(lesson.title, f"lesson{no}"))
        return self._lessons[no]

    def find(self, no: str) -> Lesson | None:
        """The lesson with a number as people write it, ``1`` or ``01``; None if there is none."""
        return self.get(no.rjust(2, "0")) if no else None

    def question_ids(self, no: str) -> tuple[str, ...]:
        """Ids of a lesson's questions, in the order of their numbers."""
        return tuple(name.replace("_", "-") for name in self._folders[no])

    def lesson_number(self, id: str) -> str | None:
        """Number of the lesson that a question belongs to; None if there is no such question."""
        folder = id.replace("-", "_")
        return next((no for no, folders in self._folders.items() if folder in folders), None)

    def load_question(self, id: str) -> Question:
        """Import one question.

        Parameters
        ----------
        id : str
            Its id (``jvp-1``) or the name of its folder (``jvp_1``).

        Returns
        -------
        Question
            With its worked answer.

        Raises
        ------
        StructureError
            If there is no such question, or its folder has another name than it has.
        """
        folder = id.replace("-", "_")
        if folder not in self._questions:
            no = self.lesson_number(id)
            if no is None:
                raise StructureError(
                    f"There is no question {id!r}: no lesson has a folder {folder}/ with a question.py."
                )
            question: Question = import_module(f"{self._package}.lesson{no}.{folder}.question").QUESTION
            if question.id.replace("-", "_") != folder:
                raise StructureError(
                    f"The question in lesson{no}/{folder}/ has the id {question.id!r}; rename one of the two."
                )
            solution = self._root.joinpath(f"lesson{no}", folder, "solution.py").read_text(encoding="utf-8")
            self._questions[folder] = translate_question(replace(question, solution=solution), no)
        return self._questions[folder]

    @property
    def _root(self) -> Traversable:
        return resources.files(self._package)

    @cached_property
    def _folders(self) -> dict[str, tuple[str, ...]]:
        """Names of the question folders by lesson number."""
        lessons = sorted(folder.name for folder in self._root.iterdir() if LESSON_FOLDER.fullmatch(folder.name))
        return {name.removeprefix("lesson"): _question_folders(self._root.joinpath(name)) for name in lessons}


def translate_question(question: Question, no: str) -> Question:
    """Return a question with its texts in the learner's language; names, numbers and code stay as they are."""
    if language() == "en":
        return question
    name = f"lesson{no}"
    first, second, third = (translate(hint, name) for hint in question.hints)
    return replace(
        question,
        title=translate(question.title, name),
        text=translate(question.text, name),
        messages={key: translate(message, name) for key, message in question.messages.items()},
        hints=(first, second, third),
        praise=translate(question.praise, name),
    )


def _question_folders(lesson: Traversable) -> tuple[str, ...]:
    """Names of the folders in a lesson's folder that hold a question, by number."""
    found = [
        (int(match[1]), folder.name)
        for folder in lesson.iterdir()
        if (match := QUESTION_FOLDER.fullmatch(folder.name)) and folder.joinpath("question.py").is_file()
    ]
    return tuple(name for _, name in sorted(found))


LESSONS = LessonCatalog(__name__)
load_question = LESSONS.load_question
