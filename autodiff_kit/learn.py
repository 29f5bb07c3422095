"""Names for notebooks: lesson, lesson_figure, predict, reveal, exercise, tables and all widgets.

>>> from autodiff_kit.learn import lesson, predict, reveal, truth_table, JvpVjp
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from autodiff_kit import widgets
from autodiff_kit.lessons.figures import lesson_figure
from autodiff_kit.lessons.lesson_header import LessonHeader, read_lesson_header
from autodiff_kit.lessons.prediction import (
    Answer,
    PredictionVerdict,
    judge_prediction,
    parse_answer,
    prompt_as_html,
    prompt_as_text,
)
from autodiff_kit.lessons.progress import export_progress, import_progress, progress
from autodiff_kit.lessons.progress_rows import PredictionError, to_json
from autodiff_kit.lessons.prompt import Prompt
from autodiff_kit.lessons.prompts import find_prompt, prompts_of
from autodiff_kit.lessons.tables import Table, number, vector
from autodiff_kit.lessons.truth_tables import truth_table
from autodiff_kit.lessons.undefined_names import explain_undefined_names

if TYPE_CHECKING:
    from autodiff_kit.exercises import exercise
    from autodiff_kit.widgets import *  # noqa: F403 - all of them; __getattr__ loads each on first use
    from autodiff_kit.widgets.predict import Predict

__all__ = [
    "DisplayedPrompt",
    "Table",
    "exercise",
    "export_progress",
    "import_progress",
    "lesson",
    "lesson_figure",
    "number",
    "predict",
    "reveal",
    "truth_table",
    "vector",
]
__all__ += widgets.__all__


class DisplayedPrompt:
    """The output of a predict cell: a widget, with text and HTML for places where widgets do not run.

    Parameters
    ----------
    item : str
        The name of the prompt.

    Notes
    -----
    The answer is stored when it is committed and cannot be changed afterwards. After the reveal the box shows the
    answer beside the result; the reason stands under the reveal.
    """

    def __init__(self, item: str) -> None:
        self.prompt: Prompt = find_prompt(item)
        self.verdict: PredictionVerdict | None = None
        self.widget = _predict_widget(self.prompt, _stored_answer(self.prompt))
        self.widget.observe(self._commit, "answer")
        self.widget.observe(self._reopen, "skipped")

    @property
    def answer(self) -> Answer | None:
        """The committed answer, or None."""
        return _stored_answer(self.prompt)

    def commit(self, typed: object) -> None:
        """Commit an answer that was typed in code.

        Parameters
        ----------
        typed : str, number or sequence
            A letter, a label or a number.

        Raises
        ------
        AnswerError
            If the answer is not one of the choices.
        """
        if self.answer is None:
            self.widget.answer = parse_answer(self.prompt, typed)

    def show(self, verdict: PredictionVerdict) -> None:
        """Show the computed result beside the learner's answer.

        Parameters
        ----------
        verdict : PredictionVerdict
            The comparison of both.
        """
        self.verdict = verdict
        self.widget.skipped = verdict.answer is None
        self.widget.truth = None if verdict.changed else verdict.truth
        self.widget.otherwise = verdict.found if verdict.changed else ""

    def _commit(self, change: dict[str, Any]) -> None:
        if change["new"] is None:
            return
        with suppress(PredictionError):  # another notebook was faster
            if self.answer is None:
                progress().commit_prediction(self.prompt.lesson, self.prompt.item, change["new"])
        first = self.answer
        if to_json(first) != to_json(change["new"]):
            self.widget.put_back(first)

    def _reopen(self, change: dict[str, Any]) -> None:
        """Forget a result that came before any answer, so that the question can be answered after all."""
        if not change["new"] and self.widget.answer is None:
            _verdicts.pop(self.prompt.item, None)
            self.verdict, self.widget.otherwise, self.widget.truth = None, "", None

    def __str__(self) -> str:
        shown = "" if self.verdict is None else f"\n{self.verdict}"
        return prompt_as_text(self.prompt) + shown

    __repr__ = __str__

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        view: Any = self.widget._repr_mimebundle_(**kwargs)
        bundle, about = view if isinstance(view, tuple) else (view or {}, {})
        shown = "" if self.verdict is None else self.verdict._repr_html_()
        return {**bundle, "text/plain": str(self), "text/html": prompt_as_html(self.prompt) + shown}, about


_shown_questions: dict[str, DisplayedPrompt] = {}
_verdicts: dict[str, PredictionVerdict] = {}


def lesson(no: str) -> LessonHeader:
    """Begin a lesson: record the start, and show its goal, its time and what it requires.

    Parameters
    ----------
    no : str
        Its number, such as ``"01"``.

    Returns
    -------
    LessonHeader
        A notebook shows it as a table.

    Raises
    ------
    UnknownLessonError
        If there is no such lesson; the message lists the lessons.

    Examples
    --------
    >>> lesson("01").minutes
    40
    """
    head = read_lesson_header(no)
    for one in prompts_of(head.no):
        _verdicts.pop(one.item, None)
    progress().begin_lesson(head.no)
    explain_undefined_names("notebooks", head.slug)
    return head


def predict(item: str, answer: object = None) -> DisplayedPrompt:
    """Ask for a prediction, before the cell that computes the answer.

    Parameters
    ----------
    item : str
        The name of the prompt.
    answer : str, number or sequence, optional
        An answer typed in code, where widgets do not run: a letter, a label or a number.

    Returns
    -------
    DisplayedPrompt
        A notebook shows it as a widget, with the stored answer if there is one.

    Raises
    ------
    UnknownPromptError
        If there is no such prompt.
    AnswerError
        If the typed answer is not one of the choices.

    Examples
    --------
    >>> predict("sweeps", answer=64).answer
    64.0
    """
    question = DisplayedPrompt(item)
    if item in _verdicts:
        question.show(_verdicts[item])
    elif answer is not None:
        question.commit(answer)
    _shown_questions[item] = question
    return question


def reveal(item: str, value: object) -> PredictionVerdict:
    """Compare a prediction with the computed result, show both, and store the outcome.

    Parameters
    ----------
    item : str
        The name of the prompt.
    value : number, sequence, Tensor or str
        The result; for prompts with several right answers, the keys of the right choices.

    Returns
    -------
    PredictionVerdict
        Answer, result, the idea behind a wrong answer, and the reason. As the last line of a cell it is shown there.

    Raises
    ------
    UnknownPromptError
        If there is no such prompt.

    Notes
    -----
    A number within 1 % of the result is right; a number within 1 % of a wrong choice counts as that choice.
    Prints nothing.

    Examples
    --------
    >>> question = predict("jv", answer="c")
    >>> reveal("jv", [7, -5, 3]).idea
    'f(x + v) − f(x), a whole step instead of a rate'
    """
    one = find_prompt(item)
    verdict = judge_prediction(one, _stored_answer(one), value)
    _verdicts[item] = verdict
    if verdict.right is not None:
        progress().reveal_prediction(one.lesson, item, verdict.truth, verdict.right)
    if item in _shown_questions:
        _shown_questions[item].show(verdict)
    _record_step(one.lesson)
    return verdict


def _record_step(no: str) -> None:
    """Record the number of reveals as the lesson's step; after the last reveal the lesson is read."""
    items = [one.item for one in prompts_of(no)]
    seen = sum(item in _verdicts for item in items)
    progress().set_step(no, seen)
    if seen == len(items):
        progress().mark_read(no)


def _stored_answer(one: Prompt) -> Answer | None:
    kept = progress().prediction(one.lesson, one.item)
    return None if kept is None else kept.answer


def _predict_widget(one: Prompt, answer: Answer | None) -> Predict:
    from autodiff_kit.widgets.predict import Predict

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
    """Import a widget or the exercises on first use."""
    if name in widgets.__all__:
        return getattr(widgets, name)
    if name == "exercise":
        return importlib.import_module("autodiff_kit.exercises").exercise
    raise AttributeError(f"autodiff_kit.learn has no {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
