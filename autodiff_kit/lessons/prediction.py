"""Predictions: parsing a typed answer, comparing it with the computed result, and text and HTML of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.prompt import Choice, Prompt
from autodiff_kit.lessons.tables import number
from autodiff_kit.lessons.translation import lang_attribute, translate

__all__ = [
    "Answer",
    "AnswerError",
    "PredictionVerdict",
    "judge_prediction",
    "matching_choice",
    "parse_answer",
    "prompt_as_html",
    "prompt_as_text",
]

Answer = str | float | list[str]
_RELATIVE_TOLERANCE = 0.01
_LETTERS = "abcdefghij"


class AnswerError(AutodiffError, ValueError):
    """A typed answer is not one of the choices of its prompt, or not a number."""


@dataclass(frozen=True)
class PredictionVerdict:
    """A learner's answer compared with the computed result.

    Parameters
    ----------
    answer : str, float, list of str or None
        As committed; None if there is none.
    truth : str, float, list of str or None
        The computed result, in the same form; None if it matches no choice.
    right : bool or None
        Whether they agree; None if one of them is missing.
    said, found : str
        Answer and result as text.
    idea : str
        The misconception behind a wrong answer, if it is a known one.
    why : str
        The explanation of the result.
    changed : bool
        Whether the result is not that of the lesson's own cells: the learner tries other numbers. The answer is then
        neither right nor wrong, for the question is about the lesson's numbers, and so is the explanation.
    """

    answer: Answer | None
    truth: Answer | None
    right: bool | None
    said: str
    found: str
    idea: str
    why: str
    changed: bool = False

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        *first, (name, reason) = self._lines()
        lines = "".join(f"<div>{escape(name)}: {escape(text)}</div>" for name, text in first)
        why = f"<div><b>{escape(name)}:</b> {escape(reason)}</div>"
        return f'<div{lang_attribute()} style="max-width:72ch;line-height:1.5;margin:4px 0 8px">{lines}{why}</div>'

    def _lines(self) -> list[tuple[str, str]]:
        changed = translate("Why, with the lesson's own numbers (a cell above was changed)")
        why = changed if self.changed else translate("Why")
        idea = [(translate("The idea behind it"), self.idea)] if self.idea else []
        return [
            (f"◇ {translate('your answer')}", self.said),
            *idea,
            (f"◆ {translate('what the kernel found')}", self.found),
            (why, self.why),
        ]


def matching_choice(prompt: Prompt, found: object) -> Choice | None:
    """Return the choice that corresponds to a result.

    Parameters
    ----------
    prompt : Prompt
        The question.
    found : number, sequence of numbers or str
        A result (within 1 % of the numbers of a choice), or the key of a choice.

    Returns
    -------
    Choice or None
        The closest such choice; None if there is none.
    """
    if isinstance(found, str):
        return prompt.choice(found)
    values = _flatten(found)
    if values is None:
        return None
    near = [(_largest_difference(values, one.means), one) for one in prompt.choices if one.means]
    best = min(near, key=lambda pair: pair[0], default=(math.inf, None))
    return best[1] if best[0] <= _RELATIVE_TOLERANCE else None


def judge_prediction(prompt: Prompt, answer: Answer | None, found: object) -> PredictionVerdict:
    """Compare an answer with the computed result.

    Parameters
    ----------
    prompt : Prompt
        The question.
    answer : str, float, list of str or None
        As committed.
    found : number, sequence or str
        The computed result; for "several" the keys of the right choices.

    Returns
    -------
    PredictionVerdict
        A typed number is right within 1 % of the result.
    """
    answer = _as_float(answer)
    truth = _result_as_answer(prompt, found)
    changed = truth is None or not _agree(truth, _lessons_own_result(prompt))
    right = None if answer is None or truth is None or changed else _agree(answer, truth)
    said = translate("none was given") if answer is None else _answer_as_text(prompt, answer)
    shown = _answer_as_text(prompt, truth) if truth is not None else _unmatched_as_text(found)
    idea = "" if right or changed else _idea_behind(prompt, answer)
    return PredictionVerdict(answer, truth, right, said, shown, idea, prompt.why, changed)


def parse_answer(prompt: Prompt, typed: object) -> Answer:
    """Parse an answer that was typed in code.

    Parameters
    ----------
    prompt : Prompt
        The question.
    typed : str, number or sequence
        A letter, a key, a label, or the number itself; for "several" a list of those, or one string
        separated by blanks.

    Returns
    -------
    str, float or list of str
        In the form that is stored.

    Raises
    ------
    AnswerError
        If it is not one of the choices or not a number; the message lists what can be typed.
    """
    if prompt.kind in ("number", "slider"):
        return _parse_number(prompt, typed)
    if prompt.kind == "several":
        parts = typed.replace(",", " ").split() if isinstance(typed, str) else typed
        if not isinstance(parts, Iterable):
            raise _unknown_answer_error(prompt, typed)
        keys = {_parse_choice(prompt, part) for part in parts}
        return [one.value for one in prompt.choices if one.value in keys]
    return _parse_choice(prompt, typed)


def prompt_as_text(prompt: Prompt) -> str:
    """Return a prompt as text, for places where widgets do not run.

    Parameters
    ----------
    prompt : Prompt
        The question.

    Returns
    -------
    str
        The question, its choices with letters, and how to answer in code.
    """
    return "\n".join([prompt.question, *(f"  {line}" for line in _choice_lines(prompt)), _how_to_answer(prompt)])


def prompt_as_html(prompt: Prompt) -> str:
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
    lines = "".join(f"<div style='padding-left:16px'>{escape(line)}</div>" for line in _choice_lines(prompt))
    how = escape(_how_to_answer(prompt))
    return f"<div{lang_attribute()}><b>{escape(prompt.question)}</b>{lines}<div>{how}</div></div>"


def _choice_lines(prompt: Prompt) -> list[str]:
    if prompt.kind == "number":
        return []
    if prompt.kind == "slider":
        return [translate("a number from {low} to {high}").format(low=f"{prompt.low:g}", high=f"{prompt.high:g}")]
    return [f"{letter}) {one.label}" for letter, one in zip(_LETTERS, prompt.choices, strict=False)]


def _how_to_answer(prompt: Prompt) -> str:
    # The example has dots instead of a letter, because learners would read a concrete letter as a hint.
    what = {"choice": "a letter", "several": "letters with blanks between"}.get(prompt.kind, "a number")
    return translate("To answer in code, type {what}: {call}").format(
        what=translate(what), call=f'predict("{prompt.item}", answer="…")'
    )


def _parse_number(prompt: Prompt, typed: object) -> float:
    try:
        found = float(typed.replace("−", "-") if isinstance(typed, str) else typed)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise AnswerError(f"{prompt.item!r} needs a number, got {typed!r}; type one, such as 2.5 or -3")
    return found


def _parse_choice(prompt: Prompt, typed: object) -> str:
    if not isinstance(typed, str):
        choice = matching_choice(prompt, typed)
    else:
        word = typed.strip().rstrip(")").lower()
        named = (one for one in prompt.choices if word in (one.value.lower(), one.label.lower()))
        choice = next(named, None) or _choice_by_letter(prompt, word)
    if choice is None:
        raise _unknown_answer_error(prompt, typed)
    return choice.value


def _choice_by_letter(prompt: Prompt, word: str) -> Choice | None:
    place = _LETTERS.find(word) if len(word) == 1 else -1
    return prompt.choices[place] if 0 <= place < len(prompt.choices) else None


def _unknown_answer_error(prompt: Prompt, typed: object) -> AnswerError:
    choices = "; ".join(_choice_lines(prompt))
    return AnswerError(f"{prompt.item!r} got the answer {typed!r}; type a letter of: {choices}")


def _as_float(answer: Answer | int | None) -> Answer | None:
    """Convert an integer to float: JSON and the front end return 2.0 as the integer 2."""
    return float(answer) if isinstance(answer, int) else answer


def _result_as_answer(prompt: Prompt, found: object) -> Answer | None:
    if prompt.kind == "several":
        keys = set(_checked_keys(prompt, found))
        return [one.value for one in prompt.choices if one.value in keys]
    if prompt.kind in ("number", "slider"):
        values = _flatten(found)
        return float(values[0]) if values is not None and len(values) == 1 else None
    choice = matching_choice(prompt, found)
    return None if choice is None else choice.value


def _lessons_own_result(prompt: Prompt) -> Answer:
    """What the lesson's cells find as they came: the choices to which no wrong idea leads."""
    own = [one for one in prompt.choices if not one.idea]
    if prompt.kind == "several":
        return [one.value for one in own]
    return float(own[0].means[0]) if prompt.kind in ("number", "slider") else own[0].value


def _checked_keys(prompt: Prompt, found: object) -> list[str]:
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
        return _largest_difference([answer], [truth]) <= _RELATIVE_TOLERANCE
    return answer == truth


def _idea_behind(prompt: Prompt, answer: Answer | None) -> str:
    if answer is None or isinstance(answer, list):
        picked = [prompt.choice(key) for key in answer or ()]
        return next((one.idea for one in picked if one is not None and one.idea), "")
    choice = matching_choice(prompt, answer)
    return "" if choice is None else choice.idea


def _answer_as_text(prompt: Prompt, answer: Answer) -> str:
    if isinstance(answer, float):
        text = number(answer).replace("-", "−")
        return text if "e" in text else text.rstrip("0").rstrip(".")
    keys = answer if isinstance(answer, list) else [answer]
    labels = [one.label for key in keys if (one := prompt.choice(key)) is not None]
    return "; ".join(labels) or translate("none of them")


def _unmatched_as_text(found: object) -> str:
    values = _flatten(found)
    has_none = any(part is None for part in (found if isinstance(found, list | tuple) else [found]))  # nan, to NumPy
    shown = str(found) if values is None or has_none else "[" + " ".join(number(v, minus="−") for v in values) + "]"
    return translate("{shown}, which is none of the choices").format(shown=shown)


def _flatten(found: object) -> npt.NDArray[np.float64] | None:
    try:
        parts = found if isinstance(found, list | tuple) else [found]
        return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])
    except (TypeError, ValueError):
        return None


def _largest_difference(values: Sequence[float] | npt.NDArray[np.float64], means: Sequence[float]) -> float:
    """Return the largest relative difference; infinite if the lengths or the nans differ."""
    if len(values) != len(means):
        return math.inf
    scale = max((abs(m) for m in means if math.isfinite(m)), default=0.0)
    return max(_relative_difference(float(v), float(m), scale) for v, m in zip(values, means, strict=True))


def _relative_difference(value: float, mean: float, scale: float) -> float:
    if not (math.isfinite(value) and math.isfinite(mean)):
        return 0.0 if value == mean or (math.isnan(value) and math.isnan(mean)) else math.inf
    # A zero among other numbers may be rounding noise; a single zero must agree almost exactly.
    unit = max(abs(mean), 1e-4 * scale)
    if unit == 0:
        return 0.0 if abs(value) < 1e-9 else math.inf
    return abs(value - mean) / unit
