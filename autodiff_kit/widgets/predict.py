"""The predict prompt: a question that is answered before the cell that computes the answer."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from autodiff_kit.lessons.translation import language, translate
from autodiff_kit.widgets.bundle import load_front_end, load_style_sheet
from autodiff_kit.widgets.traits import Output

__all__ = ["Predict"]

KINDS = ("choice", "several", "number", "slider")
WORDS = (
    "Commit my answer",
    "Go on without",
    "Predict again",
    "Your answer, from {low} to {high}",
    "your answer",
    "what the kernel found",
    "Skipped. Run on to the result below.",
    "The kernel found: {truth}.",
    "Locked: {answer}. Run on to the result below; it shows what the kernel finds.",
    "You said {answer}, and so does the kernel.",
    "You said {answer}; the kernel found {truth}.",
    "A cell above was changed, and the kernel found {truth}. The question is about the lesson's own numbers.",
)
"""What the front end says; it is sent in the learner's language."""


class _WriteOnce(traitlets.Any):
    """A value that stays once it is not None. Refused when it is set: validators see neither None nor held changes."""

    def set(self, obj: Any, value: Any) -> None:
        said = getattr(obj, str(self.name))
        if said is not None and value != said:
            raise traitlets.TraitError(
                f"the answer {said!r} is committed and stays: a prediction counts only if it came first"
            )
        super().set(obj, value)


class Predict(anywidget.AnyWidget):
    """Commit an answer before the truth is shown; after that nothing can be changed.

    Parameters
    ----------
    question : str
    kind : {"choice", "several", "number", "slider"}
    choices : list of dict
        ``{"value": ..., "label": ...}``, for "choice" and "several".
    low, high, step : float
        For "slider".

    Attributes
    ----------
    answer : str, float, list of str or None
        None until it is committed.
    skipped : bool
        Whether the learner went on without one; False again where the question is opened once more.
    truth : same as answer
        None until the kernel has run.
    otherwise : str
        What the kernel found after a cell above was changed, which answers another question; empty if none was.
    lang : str
        The language of all these texts.

    Raises
    ------
    traitlets.TraitError
        If the kind is unknown, or an answer that was committed is changed.
    """

    _esm = load_front_end("predict.js")
    _css = load_style_sheet()

    question = traitlets.Unicode("").tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)
    kind = traitlets.Enum(KINDS, default_value="choice").tag(sync=True)
    choices: Any = traitlets.List().tag(sync=True)
    low = traitlets.Float(0.0).tag(sync=True)
    high = traitlets.Float(1.0).tag(sync=True)
    step = traitlets.Float(0.1).tag(sync=True)
    answer = _WriteOnce(None, allow_none=True).tag(sync=True)
    skipped = traitlets.Bool(False).tag(sync=True)
    truth = Output()
    otherwise = traitlets.Unicode("").tag(sync=True)
    lang = traitlets.Unicode().tag(sync=True)

    @traitlets.default("lang")
    def _spoken(self) -> str:
        return language()

    @traitlets.default("words")
    def _translated_words(self) -> dict[str, str]:
        return {text: translate(text) for text in WORDS}

    def put_back(self, answer: Any) -> None:
        """Show the answer that was committed first, in another notebook, in place of the one that came after it.

        Parameters
        ----------
        answer : str, float or list of str
        """
        self._trait_values["answer"] = answer  # set would refuse it: what is committed stays
        self.send_state("answer")

    def __repr__(self) -> str:
        said = "open" if self.answer is None else f"answer={self.answer!r}"
        return f"Predict({self.question!r}, {said})"
