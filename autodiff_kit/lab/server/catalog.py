"""The catalog of lessons: existing ones read from their notebooks, planned ones from ``plan.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.notebook_file import read_notebook

PREDICT_CALL: Final = re.compile(r"""\bpredict\(\s*["']([^"']+)["']""")
REVEAL_CALL: Final = re.compile(r"""\breveal\(\s*["']([^"']+)["']""")


@dataclass(frozen=True)
class NotebookCell:
    """One cell of an original notebook: its id, role, question, the heading above it, and its text."""

    id: str
    kind: str
    role: str
    step: int
    question: str
    points: float
    heading: str
    text: str


@dataclass(frozen=True)
class OriginalNotebook:
    """A notebook of the kit; ``path`` is the path of its copy in a working folder."""

    path: str
    about: Mapping[str, Any]
    cells: tuple[NotebookCell, ...]

    @property
    def slug(self) -> str:
        """The file's name without its suffix."""
        return Path(self.path).stem

    @property
    def points(self) -> float:
        """The sum of the points of its questions."""
        return sum(cell.points for cell in self.cells)

    @property
    def steps(self) -> int:
        """The number of its last step."""
        return max((cell.step for cell in self.cells), default=0)


@dataclass(frozen=True)
class LessonEntry:
    """One lesson of the catalog; ``notebook`` is None while it is only planned."""

    no: str
    title: str
    goal: str
    minutes: int
    points: float
    slug: str = ""
    summary: str = ""
    needs: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    notebook: OriginalNotebook | None = None
    exercise: OriginalNotebook | None = None
    prompts: tuple[str, ...] = field(default=())

    @property
    def coming(self) -> bool:
        """Whether the lesson is planned and does not exist yet."""
        return self.notebook is None

    @property
    def questions(self) -> tuple[str, ...]:
        """The ids of the questions of its exercise."""
        return tuple(cell.question for cell in self.exercise.cells if cell.points) if self.exercise else ()


@cache
def lesson_plan() -> dict[str, Any]:
    """Return the table of all planned lessons, with the parts to which they belong."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    return found


def lesson_catalog() -> dict[str, LessonEntry]:
    """Return every lesson by its number, in order; a notebook that was changed on disk is read again."""
    lessons, exercises = _read_originals("notebooks"), _read_originals("exercises")
    planned = {lesson["no"]: lesson for lesson in lesson_plan()["lessons"]}
    numbers = sorted({*planned, *lessons})
    return {no: _lesson_entry(no, planned.get(no, {}), lessons.get(no), exercises.get(no)) for no in numbers}


def _lesson_entry(
    no: str, planned: Mapping[str, Any], lesson: OriginalNotebook | None, exercise: OriginalNotebook | None
) -> LessonEntry:
    about = lesson.about if lesson else {}
    facts = {**planned, **about}
    return LessonEntry(
        no=no,
        title=str(facts.get("title", no)),
        goal=str(facts.get("goal", "")),
        minutes=int(facts.get("minutes", 0)),
        points=exercise.points if exercise else float(planned.get("points", 0)),
        slug=lesson.slug if lesson else "",
        summary=str(about.get("summary", "")),
        needs=tuple(map(str, facts.get("needs", ()))),
        keywords=tuple(map(str, about.get("keywords", ()))),
        notebook=lesson,
        exercise=exercise,
        prompts=_prompts_of(lesson),
    )


def _prompts_of(lesson: OriginalNotebook | None) -> tuple[str, ...]:
    """Return the ids of a lesson's predict questions, in the notebook's order."""
    cells = lesson.cells if lesson else ()
    return tuple(
        dict.fromkeys(item for cell in cells if cell.kind == "code" for item in PREDICT_CALL.findall(cell.text))
    )


def _read_originals(kind: str) -> dict[str, OriginalNotebook]:
    found = {}
    for path in sorted((workspace.originals_folder() / kind).glob("[0-9][0-9]_*.ipynb")):
        about = path.stat()
        original = _read_original(kind, path, about.st_mtime_ns, about.st_size)
        if original is not None:
            found[path.name[:2]] = original
    return found


@lru_cache(maxsize=128)
def _read_original(kind: str, path: Path, changed: int, size: int) -> OriginalNotebook | None:
    """Read an original notebook, cached by modification time; None if it is damaged."""
    try:
        notebook = read_notebook(path.read_bytes())
    except ValueError:
        return None
    about = _kit_metadata(notebook)
    cells, heading = [], ""
    for cell in notebook["cells"]:
        text = "".join(cell.get("source", ""))
        found = re.findall(r"^#{1,6} +(.+)$", text, re.MULTILINE) if cell.get("cell_type") == "markdown" else []
        heading = found[0] if found else heading
        cells.append(_notebook_cell(cell, text, heading))
    return OriginalNotebook(f"{kind}/{path.name}", about, tuple(cells))


def _notebook_cell(cell: dict[str, Any], text: str, heading: str) -> NotebookCell:
    about = _kit_metadata(cell)
    return NotebookCell(
        id=str(cell.get("id", "")),
        kind=str(cell.get("cell_type", "")),
        role=str(about.get("role", "")),
        step=int(about.get("step", 0)),
        question=str(about.get("question", "")),
        points=float(about.get("points", 0)),
        heading=heading,
        text=text,
    )


def _kit_metadata(part: dict[str, Any]) -> dict[str, Any]:
    metadata = part.get("metadata")
    about = metadata.get("autodiff_kit") if isinstance(metadata, dict) else None
    return about if isinstance(about, dict) else {}
