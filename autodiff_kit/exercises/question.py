"""Data classes of a graded question and of a lesson's exercise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autodiff_kit.lessons.translation import translate

from .withheld import format_names

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    import numpy as np

    from .diagnosis import AttemptEvaluation
    from .protocol import Call, CallResult, CheckScript

__all__ = ["Lesson", "Question", "no_public_check"]


@dataclass(frozen=True)
class Question:
    """One graded question.

    Attributes
    ----------
    id : str
        Stored id, such as ``jvp-1``.
    points : int
        Points for a right answer.
    title, text : str
        Heading and text in the notebook; the text is Markdown.
    writes : tuple of str
        Names of the functions that the learner writes.
    starter : str
        Source of the cell that the learner fills in; it runs unchanged.
    check : callable
        ``check(attempt, rng)``, a generator that calls the learner's functions and checks the results.
    messages : mapping
        The message for each misconception; braces are filled with the facts of the failed case.
    hints : tuple of str
        Three of them; the last costs a quarter of the points.
    example : callable
        ``example(rng)``: inputs for the learner to try things with, by name.
    spoils : mapping
        Position of an argument -> the misconception to name if the learner's function changes that argument in place.
    praise : str
        Message on a pass; "Every case is right." if empty.
    solution : str
        Source of a worked answer; empty if only the teacher has it.
    counterexample : callable, optional
        ``counterexample(call)``, a generator that calls the learner's functions and returns the message that shows the
        smallest case on which they fail, or an empty text. It is given the first failed call if no misconception
        explains all of them; see :mod:`.counterexample`.
    thorough : callable, optional
        Where the question has more right answers than one: a check like ``check``, that tries what the text asks for on
        so many cases that only a right answer passes. ``autodiff-kit author validate`` uses it, and nothing else.
    private : bool
        Whether the question is graded later, with a check that only the teacher has. ``check`` is then that of the
        public examples, or :func:`no_public_check`.
    without : tuple of str
        Functions of the kit that would be the answer, such as ``ak.nn.masked_softmax``. The text says so in a last
        sentence, and they refuse while the learner's function runs; see :mod:`.withheld`.
    parameters : mapping
        Parameter -> the values from which each learner's is drawn. ``check``, ``counterexample`` and ``thorough``
        take them as keywords; see :mod:`.parameters`.
    """

    id: str
    points: int
    title: str
    text: str
    writes: tuple[str, ...]
    starter: str
    check: Callable[[AttemptEvaluation, np.random.Generator], CheckScript]
    messages: Mapping[str, str]
    hints: tuple[str, str, str]
    example: Callable[[np.random.Generator], Mapping[str, object]]
    spoils: Mapping[int, str] = field(default_factory=dict)
    praise: str = ""
    solution: str = ""
    counterexample: Callable[[Call], Generator[Call, CallResult, str]] | None = None
    thorough: Callable[[AttemptEvaluation, np.random.Generator], CheckScript] | None = None
    private: bool = False
    without: tuple[str, ...] = ()
    parameters: Mapping[str, Sequence[str | float | bool]] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        """The text, and the rule about functions of the kit if there is one."""
        if not self.without:
            return self.text
        rule = translate("Write this without {names}. The check notices a call, by whatever name.")
        said = rule.format(names=format_names(self.without))
        return self.text if said in self.text else f"{self.text}\n\n{said}"  # a master notebook's text says it


def no_public_check(attempt: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """The check of a private question without public examples: it asks for no call."""
    yield from ()


@dataclass(frozen=True)
class Lesson:
    """The exercise of one lesson: its questions, and the texts of its notebook.

    Attributes
    ----------
    no, slug : str
        The lesson's number (``"01"``) and the name of its notebook.
    title, goal : str
        Heading and goal of the notebook.
    minutes : int
        The time that the exercise takes.
    reminders : tuple of str
        Facts to remember from the lesson; Markdown, shown above the questions.
    questions : tuple of Question
        In the order of the notebook.
    keywords, rows : tuple of str
        Search words, and rows of the behaviour table that the exercise covers.
    seed : str
        From it and a learner's login the parameters of questions are drawn.
    """

    no: str
    slug: str
    title: str
    goal: str
    minutes: int
    reminders: tuple[str, ...]
    questions: tuple[Question, ...] = ()
    keywords: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    seed: str = ""

    @property
    def labels(self) -> dict[str, str]:
        """Question id -> the question's variable in the notebook, such as ``q1``."""
        return {question.id: f"q{place}" for place, question in enumerate(self.questions, 1)}

    @property
    def points(self) -> int:
        """Sum of the questions' points."""
        return sum(question.points for question in self.questions)
