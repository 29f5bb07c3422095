"""Texts in the learner's language: prompts, questions, messages and hints.

English is the source. A catalogue ``locale/<language>/<name>.json`` maps an English text to its translation; there is
one for each lesson (``lesson01``) and one for what all of them say (``common``). A text without a translation stays
English. JupyterLab's display language decides: the server extension puts it into ``AUTODIFF_KIT_LANGUAGE``, from which
the kernels inherit it.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import cache
from importlib import resources

from .prompt import Prompt

__all__ = ["LANGUAGES", "lang_attribute", "language", "translate", "translate_prompt"]

LANGUAGES = ("en", "de")
ENVIRONMENT_VARIABLE = "AUTODIFF_KIT_LANGUAGE"


def language() -> str:
    """Return the language of prompts and messages.

    Returns
    -------
    str
        ``"de"`` if ``AUTODIFF_KIT_LANGUAGE`` names German (``de``, ``de_DE``, ``de-AT``), else ``"en"``.
    """
    asked = os.environ.get(ENVIRONMENT_VARIABLE, "").lower().replace("-", "_").partition("_")[0]
    return asked if asked in LANGUAGES else "en"


def lang_attribute() -> str:
    """Return the attribute with which HTML in the learner's language says so.

    Returns
    -------
    str
        Such as ``' lang="de"'``; empty for English, the language of the lessons around it.
    """
    spoken = language()
    return "" if spoken == "en" else f' lang="{spoken}"'


@cache
def _catalogue(spoken: str, name: str) -> dict[str, str]:
    path = resources.files(__package__) / "locale" / spoken / f"{name}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def translate(text: str, catalogue: str = "common") -> str:
    """Return a text in the learner's language.

    Parameters
    ----------
    text : str
        The English text; names in braces stay as they are.
    catalogue : str
        ``"common"``, or a lesson such as ``"lesson01"``.

    Returns
    -------
    str
        The English text itself where there is no translation.

    Examples
    --------
    >>> translate("Passed")
    'Passed'
    """
    spoken = language()
    return text if spoken == "en" else _catalogue(spoken, catalogue).get(text) or text


def translate_prompt(prompt: Prompt) -> Prompt:
    """Return a prompt with its question, labels, ideas and explanation in the learner's language.

    Parameters
    ----------
    prompt : Prompt
        In English.

    Returns
    -------
    Prompt
        With the same keys and numbers.
    """
    if language() == "en":
        return prompt
    name = f"lesson{prompt.lesson}"
    choices = tuple(
        replace(one, label=translate(one.label, name), idea=translate(one.idea, name)) for one in prompt.choices
    )
    question, why = translate(prompt.question, name), translate(prompt.why, name)
    return replace(prompt, question=question, choices=choices, why=why)
