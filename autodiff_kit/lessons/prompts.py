"""What the lessons ask before they show: question, choices, and why it comes out as it does.

No prompt says which choice is right. A choice says what it *means* (a number, or several), and the kernel's
own result, handed to `reveal`, finds the choice that means the same. Its *idea* names what leads to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from autodiff_kit.errors import AutodiffError

__all__ = ["Choice", "Kind", "Prompt", "UnknownPromptError", "prompt", "prompts_of"]

Kind = Literal["choice", "several", "number", "slider"]


class UnknownPromptError(AutodiffError, LookupError):
    """No lesson has a prompt of that name."""


@dataclass(frozen=True)
class Choice:
    """One answer that a learner may give.

    Parameters
    ----------
    value : str
        Its key, which is what is stored.
    label : str
        What is shown.
    means : tuple of float, optional
        The numbers it stands for; empty where it stands for none.
    idea : str, optional
        The name of the idea behind it, as in the exercises.
    """

    value: str
    label: str
    means: tuple[float, ...] = ()
    idea: str = ""


@dataclass(frozen=True)
class Prompt:
    """One question that stands before the cell that answers it.

    Parameters
    ----------
    lesson, item : str
        Where it belongs, and its name within the kit.
    kind : {"choice", "several", "number", "slider"}
        How it is answered. The choices of a number or a slider are not shown; they name what was typed.
    question : str
        The question, complete in itself.
    choices : tuple of Choice
        In the order shown.
    why : str
        Shown after the reveal, never before.
    low, high, step : float
        The range of a slider.
    """

    lesson: str
    item: str
    kind: Kind
    question: str
    choices: tuple[Choice, ...]
    why: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1

    def choice(self, value: str) -> Choice | None:
        """Look a choice up by its key.

        Parameters
        ----------
        value : str
            The key.

        Returns
        -------
        Choice or None
            None where no choice has that key.
        """
        return next((one for one in self.choices if one.value == value), None)


def prompt(item: str) -> Prompt:
    """Find a prompt by its name.

    Parameters
    ----------
    item : str
        For example ``"vector-target"``.

    Returns
    -------
    Prompt
        The prompt; names are unique across the lessons.

    Raises
    ------
    UnknownPromptError
        If no lesson has it; the text lists the names there are.
    """
    found = _prompts().get(item)
    if found is None:
        names = ", ".join(sorted(_prompts()))
        raise UnknownPromptError(f"there is no prompt {item!r}; the prompts are: {names}")
    return found


def prompts_of(lesson: str) -> tuple[Prompt, ...]:
    """Give the prompts of one lesson in their order.

    Parameters
    ----------
    lesson : str
        Its number, such as ``"01"``.

    Returns
    -------
    tuple of Prompt
        Empty for a lesson without prompts.
    """
    return tuple(one for one in _prompts().values() if one.lesson == lesson)


def _prompts() -> dict[str, Prompt]:
    from autodiff_kit.lessons.prompt_texts import PROMPTS

    return PROMPTS


def by_name(prompts: Iterable[Prompt]) -> dict[str, Prompt]:
    """Index prompts by name and refuse a name that stands twice.

    Parameters
    ----------
    prompts : iterable of Prompt
        In the order in which the lessons ask them.

    Returns
    -------
    dict of str to Prompt
        In the same order.

    Raises
    ------
    ValueError
        If two prompts share a name.
    """
    found: dict[str, Prompt] = {}
    for one in prompts:
        if one.item in found:
            raise ValueError(f"two prompts are called {one.item!r}; give each its own name")
        found[one.item] = one
    return found
