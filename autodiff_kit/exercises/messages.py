"""What a learner is told: text in a console, a quiet box in a notebook.

There is no red and no cross in it, and failing is called "not yet".
"""

from __future__ import annotations

import html
import re
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .compare import short

if TYPE_CHECKING:
    from .check_runner import Verdict

__all__ = ["Example", "Listing", "Note", "Result", "as_points", "of_points", "shell"]

HEADINGS = {
    "passed": "Passed",
    "partial": "Nearly",
    "not yet": "Not yet",
    "error": "Stopped",
    "not attempted": "Not begun",
}


class Note:
    """A few words for the learner: text in a console, a quiet box in a notebook.

    Parameters
    ----------
    heading, text : str
        ``text`` may hold code in backquotes and new lines.
    good : bool
        Whether the box's edge is the one of a pass.
    """

    def __init__(self, heading: str, text: str, *, good: bool = False) -> None:
        self.heading, self.text, self.good = heading, text, good
        self._shown = False

    def __repr__(self) -> str:
        return f"{self.heading}. {self.text}" if self.heading else self.text

    def _repr_html_(self) -> str:
        edge = "solid" if self.good else "dashed"
        lines = "<br>".join(_marked_up(line) for line in self.text.split("\n"))
        head = f"<strong>{html.escape(self.heading)}</strong><br>" if self.heading else ""
        style = f"border-left:4px {edge} var(--jp-brand-color1, #1976d2);padding:2px 0 2px 12px;margin:4px 0"
        return f'<div role="status" style="{style}">{head}{lines}</div>'

    def _ipython_display_(self) -> None:
        # check() has shown it already; at the end of the same cell it is not shown a second time.
        if self._shown:
            self._shown = False
            return
        self.show()
        self._shown = False

    def show(self) -> None:
        """Print it, or display it where there is a notebook."""
        if shell() is None:
            print(self)
            return
        from IPython import display

        show: Any = display.display
        show({"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True)
        self._shown = True


class Result(Note):
    """The outcome of a check.

    Attributes
    ----------
    outcome : str
        passed, partial, not yet, error or not attempted.
    score, points : float and int
        What the attempt earned, and what the question is worth.
    message : str
        What the learner was told.
    misconception : str
        The name of the idea that explains every failing case, or nothing.
    seed : int
        ``check(seed=...)`` repeats the draw.
    parts : tuple of Part
        What was looked at, by name: how many times it was right, and of how many.
    """

    def __init__(self, verdict: Verdict, *, score: float, points: int, seed: int, after: str) -> None:
        self.outcome, self.misconception = verdict.outcome, verdict.misconception
        self.parts = verdict.parts
        self.score, self.points, self.seed, self.message = score, points, seed, verdict.message
        worth = f"{HEADINGS[verdict.outcome]}: {of_points(score, points)}"
        heading = worth if verdict.outcome in ("passed", "partial", "not yet") else HEADINGS[verdict.outcome]
        good = verdict.outcome == "passed"
        looked_at = "".join(f"\n{part}" for part in self.parts) if len(self.parts) > 1 and not good else ""
        super().__init__(heading, f"{verdict.message}{looked_at}{after}", good=good)


class Listing(Note):
    """Code to read, as it stands."""

    def __repr__(self) -> str:
        return f"{self.heading}\n\n{self.text}"

    def _repr_html_(self) -> str:
        return f"<strong>{html.escape(self.heading)}</strong><pre>{html.escape(self.text)}</pre>"


class Example(SimpleNamespace):
    """A learner's own numbers by name."""

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {short(value, 60)}" for name, value in vars(self).items())


def shell() -> Any:
    """The running IPython shell, if there is one; IPython is never imported for the question."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def as_points(score: float) -> str:
    """Points as text: whole ones without decimals."""
    return f"{score:g}" if score == int(score) else f"{score:.2f}".rstrip("0")


def of_points(score: float, most: float) -> str:
    """A score and what there was to get, as text."""
    return f"{as_points(score)} of {as_points(most)} point{'s' * (most != 1)}"


def _marked_up(line: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line, quote=False))
