"""What a question is: one block of text, check, hints and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from .diagnosis import Attempt
    from .protocol import Script

__all__ = ["Lesson", "Question"]


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
    solution : str
        Source of a worked answer; empty where only the teacher has it.
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
    solution: str = ""


@dataclass(frozen=True)
class Lesson:
    """The exercise of one lesson."""

    no: str
    slug: str
    title: str
    goal: str
    minutes: int
    reminders: tuple[str, ...]
    questions: tuple[Question, ...] = ()
    keywords: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """What all the questions are worth."""
        return sum(question.points for question in self.questions)
