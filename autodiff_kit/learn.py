"""The one module that a lesson or an exercise imports.

>>> from autodiff_kit.learn import lesson, predict, reveal, truth_table, JvpVjp
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import ipywidgets

from autodiff_kit import widgets
from autodiff_kit.lessons.lesson import Lesson, read_lesson
from autodiff_kit.lessons.prediction import Answer, Verdict, as_html, as_text, judge, parse_answer
from autodiff_kit.lessons.progress import progress
from autodiff_kit.lessons.prompts import Prompt, prompt, prompts_of
from autodiff_kit.lessons.tables import Table, number, vector
from autodiff_kit.lessons.truth_tables import truth_table
from autodiff_kit.widgets.predict import Predict

if TYPE_CHECKING:
    from autodiff_kit.exercises import exercise
    from autodiff_kit.widgets import *  # noqa: F403 (all of them, and they load when they are asked for)

__all__ = [
    "Question",
    "Table",
    "exercise",
    "lesson",
    "number",
    "predict",
    "reveal",
    "truth_table",
    "vector",
]
__all__ += widgets.__all__


class Question:
    """A prompt in its cell: a widget where widgets run, text and HTML where they do not.

    Parameters
    ----------
    item : str
        The name of the prompt.

    Notes
    -----
    The answer is stored when it is committed, and cannot be changed; the reveal is shown below it.
    """

    def __init__(self, item: str) -> None:
        self.prompt: Prompt = prompt(item)
        self.verdict: Verdict | None = None
        self.widget = _widget(self.prompt, _stored(self.prompt))
        wide = ipywidgets.Layout(width="100%")
        self._below = ipywidgets.HTML(layout=wide)
        self._box = ipywidgets.VBox([self.widget, self._below], layout=wide)
        self.widget.observe(self._commit, "answer")

    @property
    def answer(self) -> Answer | None:
        """The committed answer, or None."""
        return _stored(self.prompt)

    def commit(self, typed: object) -> None:
        """Commit an answer that was typed in code.

        Parameters
        ----------
        typed : str, number or sequence
            A letter, a label or a number.

        Raises
        ------
        AnswerError
            If it is none of the choices.
        """
        if self.answer is None:
            self.widget.answer = parse_answer(self.prompt, typed)

    def show(self, verdict: Verdict) -> None:
        """Put the kernel's answer below the learner's.

        Parameters
        ----------
        verdict : Verdict
            Both, and why.
        """
        self.verdict = verdict
        self.widget.skipped = verdict.answer is None
        self.widget.truth = verdict.truth
        self._below.value = verdict.reason() if verdict.truth is not None else verdict._repr_html_()

    def _commit(self, change: dict[str, Any]) -> None:
        if change["new"] is not None and self.answer is None:
            progress().commit_prediction(self.prompt.lesson, self.prompt.item, change["new"])

    def __str__(self) -> str:
        shown = "" if self.verdict is None else f"\n{self.verdict}"
        return as_text(self.prompt) + shown

    __repr__ = __str__

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = dict(self._box._repr_mimebundle_(**kwargs) or {})
        shown = "" if self.verdict is None else self.verdict._repr_html_()
        return bundle | {"text/plain": str(self), "text/html": as_html(self.prompt) + shown}


_asked: dict[str, Question] = {}
_found: dict[str, Verdict] = {}


def lesson(no: str) -> Lesson:
    """Begin a lesson: note the start, and show its goal, its time and what it needs.

    Parameters
    ----------
    no : str
        Its number, such as ``"01"``.

    Returns
    -------
    Lesson
        Its head, which a notebook shows.

    Raises
    ------
    UnknownLessonError
        If there is no such lesson; the text lists those there are.

    Examples
    --------
    >>> lesson("01").minutes
    35
    """
    head = read_lesson(no)
    for one in prompts_of(head.no):
        _found.pop(one.item, None)
    progress().begin_lesson(head.no)
    return head


def predict(item: str, answer: object = None) -> Question:
    """Ask for a prediction, before the cell that answers it.

    Parameters
    ----------
    item : str
        The name of the prompt.
    answer : str, number or sequence, optional
        An answer typed in code, where widgets do not run: a letter, a label or a number.

    Returns
    -------
    Question
        What a notebook shows. An answer given earlier stands in it.

    Raises
    ------
    UnknownPromptError
        If there is no such prompt.
    AnswerError
        If the typed answer is none of the choices.

    Examples
    --------
    >>> predict("sweeps", answer=64).answer
    64.0
    """
    question = Question(item)
    if item in _found:
        question.show(_found[item])
    elif answer is not None:
        question.commit(answer)
    _asked[item] = question
    return question


def reveal(item: str, value: object) -> Verdict:
    """Compare a prediction with what the kernel found, show both below it, and store the outcome.

    Parameters
    ----------
    item : str
        The name of the prompt.
    value : number, sequence, Tensor or str
        The result; for prompts with several right answers, the keys of the choices that hold.

    Returns
    -------
    Verdict
        Both in words, and why. A lesson that is run without answers gets it as well.

    Raises
    ------
    UnknownPromptError
        If there is no such prompt.

    Notes
    -----
    **Close.** A number within 1 % of the kernel's is right; within 1 % of a wrong choice it is that choice.
    Prints nothing.

    Examples
    --------
    >>> question = predict("jv", answer="c")
    >>> reveal("jv", [7, -5, 3]).idea
    'pushed-the-cotangent'
    """
    one = prompt(item)
    verdict = judge(one, _stored(one), value)
    _found[item] = verdict
    if verdict.right is not None:
        progress().reveal_prediction(one.lesson, item, verdict.truth, verdict.right)
    if item in _asked:
        _asked[item].show(verdict)
    _note_step(one.lesson)
    return verdict


def _note_step(no: str) -> None:
    """Note how far the learner is; the last reveal ends the lesson."""
    items = [one.item for one in prompts_of(no)]
    seen = sum(item in _found for item in items)
    progress().set_step(no, seen)
    if seen == len(items):
        progress().finish_lesson(no)


def _stored(one: Prompt) -> Answer | None:
    kept = progress().prediction(one.lesson, one.item)
    return None if kept is None else kept.answer


def _widget(one: Prompt, answer: Answer | None) -> Predict:
    shown = one.choices if one.kind in ("choice", "several") else ()
    return Predict(
        question=one.question,
        kind=one.kind,
        choices=[{"value": choice.value, "label": choice.label} for choice in shown],
        low=one.low,
        high=one.high,
        step=one.step,
        answer=answer,
    )


def __getattr__(name: str) -> Any:
    """Load a widget, or the exercises, when a notebook names it."""
    if name in widgets.__all__:
        return getattr(widgets, name)
    if name == "exercise":
        return importlib.import_module("autodiff_kit.exercises").exercise
    raise AttributeError(f"autodiff_kit.learn has no {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
