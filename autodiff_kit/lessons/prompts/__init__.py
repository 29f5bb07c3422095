"""The prompts of the lessons, one module per lesson; a module is loaded when its lesson or its prompt is asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.prompt import Prompt
from autodiff_kit.lessons.translation import translate_prompt

__all__ = ["UnknownPromptError", "find_prompt", "lesson_numbers", "prompts_of"]

_MODULE_PREFIX = "lesson"


class UnknownPromptError(AutodiffError, LookupError):
    """No lesson has a prompt of that name."""


@cache
def lesson_numbers() -> tuple[str, ...]:
    """Return the numbers of the lessons that have prompts, in order; no lesson is loaded."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.removeprefix(_MODULE_PREFIX) for name in names if name.startswith(_MODULE_PREFIX)))


def prompts_of(lesson: str) -> tuple[Prompt, ...]:
    """Return the prompts of one lesson in their order; only that lesson is loaded.

    Parameters
    ----------
    lesson : str
        Its number, such as ``"01"``.

    Returns
    -------
    tuple of Prompt
        Empty for a lesson without prompts.
    """
    return tuple(_load(lesson).values()) if lesson in lesson_numbers() else ()


def find_prompt(item: str) -> Prompt:
    """Return the prompt with a name.

    Lessons that were loaded before are searched first; in a notebook that is the one that the learner reads.

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
    for lesson in sorted(lesson_numbers(), key=lambda no: no not in _loaded):
        found = _load(lesson).get(item)
        if found is not None:
            return found
    names = ", ".join(sorted(name for lesson in lesson_numbers() for name in _load(lesson)))
    raise UnknownPromptError(f"there is no prompt {item!r}; the prompts are: {names}")


_loaded: dict[str, dict[str, Prompt]] = {}


def _load(lesson: str) -> dict[str, Prompt]:
    if lesson not in _loaded:
        module = importlib.import_module(f"{__name__}.{_MODULE_PREFIX}{lesson}")
        _loaded[lesson] = index_by_name(map(translate_prompt, module.PROMPTS))
    return _loaded[lesson]


def index_by_name(prompts: Iterable[Prompt]) -> dict[str, Prompt]:
    """Return prompts by name, in their order.

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
