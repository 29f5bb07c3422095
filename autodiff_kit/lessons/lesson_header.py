"""The header of a lesson (title, goal, time, requirements), read from its notebook's metadata."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.workspace import originals_folder

__all__ = ["LessonHeader", "UnknownLessonError", "needed_lesson", "read_lesson_header"]


class UnknownLessonError(AutodiffError, LookupError):
    """No lesson has that number, or its notebook cannot be read."""


@dataclass(frozen=True)
class LessonHeader:
    """The header that a lesson's first cell shows.

    Parameters
    ----------
    no, slug, title, goal : str
        Its number, the name of its file, and what it is about.
    minutes : int
        The time that it takes.
    needs : tuple of str
        What it builds on, such as ``"lesson 03 (gradients of where)"`` or ``"NumPy arrays"``. The notebook's first cell
        and the syllabus show the same list.
    rows : tuple of str
        The rows of the table of behaviours that it shows.
    """

    no: str
    slug: str
    title: str
    goal: str
    minutes: int
    needs: tuple[str, ...]
    rows: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"Lesson {self.no}: {self.title}", *(f"{name}: {text}" for name, text in self._facts())]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = "".join(
            f"<tr><th style='text-align:left;vertical-align:top;padding:2px 12px 2px 0'>{escape(name)}</th>"
            f"<td style='text-align:left;padding:2px 0'>{escape(text)}</td></tr>"
            for name, text in self._facts()
        )
        title = f"<b>Lesson {escape(self.no)}: {escape(self.title)}</b>"
        return f"<div style='max-width:72ch'>{title}<table style='margin:4px 0'>{facts}</table></div>"

    def _facts(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Goal", self.goal),
            ("Time", f"{self.minutes} minutes"),
            ("Needs", ", ".join(self.needs)),
        )


def needed_lesson(need: str) -> str | None:
    """Return the number of the lesson that an entry of a lesson's needs names.

    Parameters
    ----------
    need : str
        Such as ``"lesson 03 (gradients of where)"``.

    Returns
    -------
    str or None
        ``"03"``; None where the entry names no lesson.
    """
    named = re.match(r"lesson (\d\d)\b", need)
    return named and named[1]


def read_lesson_header(no: str) -> LessonHeader:
    """Read the header of a lesson from its notebook's metadata.

    Parameters
    ----------
    no : str
        Its number, such as ``"01"``.

    Returns
    -------
    LessonHeader
        From the notebook that was installed with the kit.

    Raises
    ------
    UnknownLessonError
        If the kit has no such notebook; the message lists those that it has.
    """
    known = {path.name[:2]: path for path in sorted((originals_folder() / "notebooks").glob("[0-9][0-9]_*.ipynb"))}
    path = known.get(str(no).zfill(2)) if no != "" else None
    if path is None:
        there = ", ".join(known) or "none"
        raise UnknownLessonError(f"there is no lesson {no!r} in this version of the kit; there are: {there}")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))["metadata"]["autodiff_kit"]
        return _lesson(facts)
    except (KeyError, TypeError, ValueError) as error:
        raise UnknownLessonError(
            f"lesson {no} cannot be read from {path.name} ({type(error).__name__}: {error}); install the kit again"
        ) from error


def _lesson(facts: dict[str, Any]) -> LessonHeader:
    return LessonHeader(
        no=str(facts["no"]),
        slug=str(facts["slug"]),
        title=str(facts["title"]),
        goal=str(facts["goal"]),
        minutes=int(facts["minutes"]),
        needs=tuple(map(str, facts["needs"])),
        rows=tuple(map(str, facts["rows"])),
    )
