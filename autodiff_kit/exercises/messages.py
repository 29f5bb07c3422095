"""Messages and check results for the learner: text in a console, an HTML box in a notebook.

A failed check is called "not yet" and is not shown in red.
"""

from __future__ import annotations

import html
import math
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from autodiff_kit.lessons.ipython_shell import ipython_shell
from autodiff_kit.lessons.translation import lang_attribute, translate

from .compare import format_value

if TYPE_CHECKING:
    from .check_runner import Verdict

__all__ = [
    "CheckResult",
    "CodeListing",
    "ExampleData",
    "LearnerMessage",
    "format_points",
    "format_score",
    "round_points",
]

HEADINGS = {
    "passed": "Passed",
    "partial": "Nearly",
    "not yet": "Not yet",
    "error": "Stopped",
    "not attempted": "Not begun",
    "graded later": "Graded later",
}


class LearnerMessage:
    """A short message for the learner: text in a console, an HTML box in a notebook.

    Parameters
    ----------
    heading, text : str
        ``text`` may hold code in backquotes and new lines.
    good : bool
        Whether the box has the solid border of a pass.
    """

    def __init__(self, heading: str, text: str, *, good: bool = False) -> None:
        self.heading, self.text, self.good = heading, text, good
        self._shown = False

    def __repr__(self) -> str:
        return f"{self.heading}. {self.text}" if self.heading else self.text

    def _repr_html_(self) -> str:
        edge = "solid" if self.good else "dashed"
        lines = "<br>".join(_inline_code_html(line) for line in self.text.split("\n"))
        head = f"<strong>{html.escape(self.heading)}</strong><br>" if self.heading else ""
        style = f"border-left:4px {edge} var(--jp-brand-color1, #1976d2);padding:2px 0 2px 12px;margin:4px 0"
        return f'<div{lang_attribute()} role="status" style="{style}">{head}{lines}</div>'

    def _ipython_display_(self) -> None:
        # check() has displayed it already; as the value of the same cell it is not displayed a second time.
        if self._shown:
            self._shown = False
            return
        self.show()
        self._shown = False

    def show(self) -> None:
        """Print the message, or display it in a notebook."""
        if ipython_shell() is None:
            print(self)
            return
        from IPython import display

        show: Any = display.display
        show({"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True)
        self._shown = True


class CheckResult(LearnerMessage):
    """The outcome of a check.

    Attributes
    ----------
    outcome : str
        passed, partial, not yet, error, not attempted or graded later.
    score, points : float and int
        Points earned, and points of the question.
    message : str
        The message that the learner got.
    misconception : str
        The misconception that explains every failed case, or empty.
    seed : int
        ``check(seed=...)`` repeats the draw.
    parts : tuple of SubtestResult
        The results of each checked quantity.
    """

    def __init__(self, verdict: Verdict, *, score: float, points: int, seed: int, after: str) -> None:
        self.outcome, self.misconception = verdict.outcome, verdict.misconception
        self.parts = verdict.parts
        self.score, self.points, self.seed, self.message = score, points, seed, verdict.message
        heading = translate(HEADINGS[verdict.outcome])
        if verdict.outcome in ("passed", "partial", "not yet"):
            heading += f": {format_score(score, points)}"
        good = verdict.outcome == "passed"
        looked_at = "".join(f"\n{part}" for part in self.parts) if len(self.parts) > 1 and not good else ""
        super().__init__(heading, f"{verdict.message}{looked_at}{after}", good=good)


class CodeListing(LearnerMessage):
    """Source code, displayed without markup."""

    def __repr__(self) -> str:
        return f"{self.heading}\n\n{self.text}"

    def _repr_html_(self) -> str:
        return f"<strong>{html.escape(self.heading)}</strong><pre>{html.escape(self.text)}</pre>"


class ExampleData(SimpleNamespace):
    """Example inputs of a question, by name."""

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {format_value(value, 60)}" for name, value in vars(self).items())


def round_points(score: float) -> float:
    """Points with two decimals, halves upwards, as people round: 8.125 is 8.13."""
    return math.floor(100 * score + 0.5 + 1e-9) / 100


def format_points(score: float) -> str:
    """Points as text, with two decimals at most, integers without any."""
    return f"{round_points(score):.2f}".rstrip("0").rstrip(".")


def format_score(score: float, most: float) -> str:
    """A score with the maximum, as text: ``2 of 3 points``."""
    return f"{format_points(score)} of {format_points(most)} point{'s' * (most != 1)}"


def _inline_code_html(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line, quote=False))
