"""What a question is: one block of text, check, hints and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

    import numpy as np

    from .diagnosis import Attempt
    from .protocol import Script

__all__ = ["Lesson", "Question", "worked"]


@dataclass(frozen=True)
class Question:
    """One graded question.

    Attributes
    ----------
    id : str
        Stored id, such as ``jvp-1``.
    points : int
        What it is worth.
    title, text : str
        As they stand in the notebook; the text is Markdown.
    writes : tuple of str
        The functions that the learner writes.
    starter : str
        The cell that the learner fills in; it runs as it is.
    check : callable
        ``check(attempt, rng)``, a script over the learner's functions.
    messages : mapping
        For each named misconception what the learner is told; braces are filled with the case's facts.
    hints : tuple of str
        Three of them; the last costs a quarter of the points.
    example : callable
        ``example(rng)``: the learner's own numbers to try things with, by name.
    spoils : mapping
        For the position of an argument the misconception to name if it was written into.
    praise : str
        A closing word on a pass.
    answer : str
        A worked answer, for questions that are not the kit's own.
    """

    id: str
    points: int
    title: str
    text: str
    writes: tuple[str, ...]
    starter: str
    check: Callable[[Attempt, np.random.Generator], Script]
    messages: Mapping[str, str]
    hints: tuple[str, str, str]
    example: Callable[[np.random.Generator], Mapping[str, object]]
    spoils: Mapping[int, str] = field(default_factory=dict)
    praise: str = ""
    answer: str = ""

    @property
    def solution(self) -> str:
        """A worked answer; it ships with the kit and stands in no notebook. Empty where a teacher keeps it."""
        if self.answer or not self.ships:
            return self.answer
        return self._shipped.read_text(encoding="utf-8").removeprefix("# mypy: ignore-errors\n")

    @property
    def ships(self) -> bool:
        """Whether it is one of the kit's own."""
        return self._shipped.is_file()

    @property
    def _shipped(self) -> Traversable:
        name = self.id.replace("-", "_") + ".py"
        return resources.files(__package__).joinpath("solutions", name)


@dataclass(frozen=True)
class Lesson:
    """The exercise of one lesson."""

    no: str
    slug: str
    title: str
    goal: str
    minutes: int
    reminders: tuple[str, ...]
    questions: tuple[Question, ...]
    keywords: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """What all the questions are worth."""
        return sum(question.points for question in self.questions)


def worked(question: str) -> Any:
    """The module of a question's worked answer, which the checks take as right."""
    return import_module(f"{__package__}.solutions.{question.replace('-', '_')}")
