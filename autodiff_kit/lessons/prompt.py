"""A prompt: a question that a lesson asks before the cell that computes its answer.

A prompt does not store which choice is right. Each choice stores its numbers (``means``), and the result that the
notebook passes to ``reveal`` selects the choice with the same numbers. ``idea`` names the idea behind a wrong choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Choice", "Prompt", "PromptKind"]

PromptKind = Literal["choice", "several", "number", "slider"]


@dataclass(frozen=True)
class Choice:
    """One of the answers that a prompt offers.

    Parameters
    ----------
    value : str
        Its key, which is stored.
    label : str
        The text that the learner sees.
    means : tuple of float, optional
        Its numbers; empty if it has none.
    idea : str, optional
        The idea that a person who picks it holds, as a short phrase; empty for the right choice.
    """

    value: str
    label: str
    means: tuple[float, ...] = ()
    idea: str = ""


@dataclass(frozen=True)
class Prompt:
    """A predict question of a lesson, with its choices and its explanation.

    Parameters
    ----------
    lesson, item : str
        The number of its lesson, and its name, which is unique across the lessons.
    kind : {"choice", "several", "number", "slider"}
        How it is answered. The choices of a number or a slider are not shown; they name what was typed.
    question : str
        The text of the question, complete in itself.
    choices : tuple of Choice
        In the order shown.
    why : str
        The explanation; shown after the reveal, never before.
    low, high, step : float
        The range of a slider.
    """

    lesson: str
    item: str
    kind: PromptKind
    question: str
    choices: tuple[Choice, ...]
    why: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1

    def choice(self, value: str) -> Choice | None:
        """Return the choice with a key.

        Parameters
        ----------
        value : str
            The key.

        Returns
        -------
        Choice or None
            None if no choice has that key.
        """
        return next((one for one in self.choices if one.value == value), None)
