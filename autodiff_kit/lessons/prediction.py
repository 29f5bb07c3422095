"""Take an answer, find out what the kernel found, and put the two side by side; no drawing here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.prompts import Choice, Prompt
from autodiff_kit.lessons.tables import number

__all__ = ["Answer", "AnswerError", "Verdict", "as_html", "as_text", "judge", "meant", "parse_answer"]

Answer = str | float | list[str]
_CLOSE = 0.01
_LETTERS = "abcdefghij"


class AnswerError(AutodiffError, ValueError):
    """What was typed answers the prompt in no way that it knows."""


@dataclass(frozen=True)
class Verdict:
    """A learner's answer beside the kernel's.

    Parameters
    ----------
    answer : str, float, list of str or None
        As committed; None where nothing was.
    truth : str, float, list of str or None
        The kernel's, in the same form; None where its result is none of the choices.
    right : bool or None
        Whether they agree; None where one of them is missing.
    said, found : str
        Both in words.
    idea : str
        The name of the idea behind a wrong answer, where it is a known one.
    why : str
        Why it comes out as it does.
    """

    answer: Answer | None
    truth: Answer | None
    right: bool | None
    said: str
    found: str
    idea: str
    why: str

    def __str__(self) -> str:
        idea = f"   ({_spoken(self.idea)})" if self.idea else ""
        return f"◇ your answer: {self.said}{idea}\n◆ what the kernel found: {self.found}\nWhy: {self.why}"

    __repr__ = __str__

    def reason(self) -> str:
        """Write what stands below a prompt that already shows both answers.

        Returns
        -------
        str
            HTML: the idea behind a wrong answer, and why.
        """
        idea = f"Behind your answer stands {escape(_spoken(self.idea))}. " if self.idea else ""
        return f'<div style="max-width:72ch;line-height:1.5">{idea}<b>Why:</b> {escape(self.why)}</div>'

    def _repr_html_(self) -> str:
        return (
            '<div style="margin:4px 0 8px">'
            f"<div>◇ your answer: {escape(self.said)}</div>"
            f"<div>◆ what the kernel found: <b>{escape(self.found)}</b></div>{self.reason()}</div>"
        )


def meant(prompt: Prompt, found: object) -> Choice | None:
    """Find the choice that means what was found.

    Parameters
    ----------
    prompt : Prompt
        The question.
    found : number, sequence of numbers or str
        A result (within 1 % of what a choice means), or the key of a choice.

    Returns
    -------
    Choice or None
        The nearest such choice; None where there is none.
    """
    if isinstance(found, str):
        return prompt.choice(found)
    values = _flat(found)
    if values is None:
        return None
    near = [(_distance(values, one.means), one) for one in prompt.choices if one.means]
    best = min(near, key=lambda pair: pair[0], default=(math.inf, None))
    return best[1] if best[0] <= _CLOSE else None


def judge(prompt: Prompt, answer: Answer | None, found: object) -> Verdict:
    """Compare an answer with what the kernel found.

    Parameters
    ----------
    prompt : Prompt
        The question.
    answer : str, float, list of str or None
        As committed.
    found : number, sequence or str
        The kernel's result; for "several" the keys of the choices that hold.

    Returns
    -------
    Verdict
        Both in words. A typed number is right within 1 % of the kernel's.
    """
    answer = _settled(answer)
    truth = _truth(prompt, found)
    right = None if answer is None or truth is None else _agree(answer, truth)
    said = "none was given" if answer is None else _words(prompt, answer)
    shown = _words(prompt, truth) if truth is not None else _unlisted(found)
    return Verdict(answer, truth, right, said, shown, "" if right else _idea(prompt, answer), prompt.why)


def parse_answer(prompt: Prompt, typed: object) -> Answer:
    """Read an answer that was typed in code.

    Parameters
    ----------
    prompt : Prompt
        The question.
    typed : str, number or sequence
        A letter, a key, a label, or the number itself; for "several" a list of those, or one string
        with blanks.

    Returns
    -------
    str, float or list of str
        The form that is stored.

    Raises
    ------
    AnswerError
        If it is none of the choices or no number; the text lists what can be typed.
    """
    if prompt.kind in ("number", "slider"):
        return _parse_number(prompt, typed)
    if prompt.kind == "several":
        parts = typed.replace(",", " ").split() if isinstance(typed, str) else typed
        if not isinstance(parts, Iterable):
            raise _unknown(prompt, typed)
        keys = {_parse_choice(prompt, part) for part in parts}
        return [one.value for one in prompt.choices if one.value in keys]
    return _parse_choice(prompt, typed)


def as_text(prompt: Prompt) -> str:
    """Write a prompt as text, for places where widgets do not run.

    Parameters
    ----------
    prompt : Prompt
        The question.

    Returns
    -------
    str
        The question, its choices with letters, and how to answer in code.
    """
    return "\n".join([prompt.question, *(f"  {line}" for line in _listed(prompt)), _how(prompt)])


def as_html(prompt: Prompt) -> str:
    """Write a prompt as HTML, for static pages.

    Parameters
    ----------
    prompt : Prompt
        The question.

    Returns
    -------
    str
        The same as the text.
    """
    lines = "".join(f"<div style='padding-left:16px'>{escape(line)}</div>" for line in _listed(prompt))
    return f"<div><b>{escape(prompt.question)}</b>{lines}<div>{escape(_how(prompt))}</div></div>"


def _listed(prompt: Prompt) -> list[str]:
    if prompt.kind == "number":
        return []
    if prompt.kind == "slider":
        return [f"a number from {prompt.low:g} to {prompt.high:g}"]
    return [f"{letter}) {one.label}" for letter, one in zip(_LETTERS, prompt.choices, strict=False)]


def _how(prompt: Prompt) -> str:
    # Dots, and no letter: an example that stands below every question is taken for an answer.
    what = {"choice": "a letter", "several": "letters with blanks between"}.get(prompt.kind, "a number")
    return f'To answer in code, type {what}: predict("{prompt.item}", answer="…")'


def _parse_number(prompt: Prompt, typed: object) -> float:
    try:
        return float(typed.replace("−", "-") if isinstance(typed, str) else typed)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise AnswerError(f"{prompt.item!r} asks for a number and got {typed!r}; type one, such as 2.5 or -3") from None


def _parse_choice(prompt: Prompt, typed: object) -> str:
    if not isinstance(typed, str):
        choice = meant(prompt, typed)
    else:
        word = typed.strip().rstrip(")").lower()
        named = (one for one in prompt.choices if word in (one.value.lower(), one.label.lower()))
        choice = next(named, None) or _lettered(prompt, word)
    if choice is None:
        raise _unknown(prompt, typed)
    return choice.value


def _lettered(prompt: Prompt, word: str) -> Choice | None:
    place = _LETTERS.find(word) if len(word) == 1 else -1
    return prompt.choices[place] if 0 <= place < len(prompt.choices) else None


def _unknown(prompt: Prompt, typed: object) -> AnswerError:
    choices = "; ".join(_listed(prompt))
    return AnswerError(f"{prompt.item!r} got the answer {typed!r}; type a letter of: {choices}")


def _settled(answer: Answer | int | None) -> Answer | None:
    """Numbers come back from JSON and from the front end as integers where they are whole."""
    return float(answer) if isinstance(answer, int) else answer


def _truth(prompt: Prompt, found: object) -> Answer | None:
    if prompt.kind == "several":
        keys = set(_keys(prompt, found))
        return [one.value for one in prompt.choices if one.value in keys]
    if prompt.kind in ("number", "slider"):
        values = _flat(found)
        return float(values[0]) if values is not None and len(values) == 1 else None
    choice = meant(prompt, found)
    return None if choice is None else choice.value


def _keys(prompt: Prompt, found: object) -> list[str]:
    keys = [str(key) for key in found] if isinstance(found, Iterable) and not isinstance(found, str) else [str(found)]
    for key in keys:
        if prompt.choice(key) is None:
            raise AnswerError(
                f"reveal({prompt.item!r}, …) got the key {key!r}; "
                f"the keys are {', '.join(one.value for one in prompt.choices)}"
            )
    return keys


def _agree(answer: Answer, truth: Answer) -> bool:
    if isinstance(answer, float) and isinstance(truth, float):
        return _distance([answer], [truth]) <= _CLOSE
    return answer == truth


def _idea(prompt: Prompt, answer: Answer | None) -> str:
    if answer is None or isinstance(answer, list):
        picked = [prompt.choice(key) for key in answer or ()]
        return next((one.idea for one in picked if one is not None and one.idea), "")
    choice = meant(prompt, answer)
    return "" if choice is None else choice.idea


def _words(prompt: Prompt, answer: Answer) -> str:
    if isinstance(answer, float):
        return f"{answer:.4f}".rstrip("0").rstrip(".").replace("-", "−")
    keys = answer if isinstance(answer, list) else [answer]
    labels = [one.label for key in keys if (one := prompt.choice(key)) is not None]
    return "; ".join(labels) or "none of them"


def _unlisted(found: object) -> str:
    values = _flat(found)
    shown = str(found) if values is None else "[" + " ".join(number(v, minus="−") for v in values) + "]"
    return f"{shown}, which is none of the choices (has a cell been changed?)"


def _flat(found: object) -> npt.NDArray[np.float64] | None:
    try:
        parts = found if isinstance(found, list | tuple) else [found]
        return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])
    except (TypeError, ValueError):
        return None


def _distance(values: Sequence[float] | npt.NDArray[np.float64], means: Sequence[float]) -> float:
    """Give the largest relative difference; infinite where the lengths or a nan differ."""
    if len(values) != len(means):
        return math.inf
    scale = max((abs(m) for m in means if math.isfinite(m)), default=0.0)
    return max(_apart(float(v), float(m), scale) for v, m in zip(values, means, strict=True))


def _apart(value: float, mean: float, scale: float) -> float:
    if not (math.isfinite(value) and math.isfinite(mean)):
        return 0.0 if value == mean or (math.isnan(value) and math.isnan(mean)) else math.inf
    # A zero among others is met by rounding noise, a lone zero by zero only.
    unit = max(abs(mean), 1e-4 * scale)
    if unit == 0:
        return 0.0 if abs(value) < 1e-9 else math.inf
    return abs(value - mean) / unit


def _spoken(idea: str) -> str:
    return f"the idea “{idea.replace('-', ' ')}”"
