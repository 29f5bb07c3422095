"""Master notebooks: one notebook with everything of an exercise, in nbgrader's format with metadata for the kit.

Each question has a cell of text; a cell with the starter and, between ``### BEGIN SOLUTION`` and ``### END SOLUTION``,
the worked answer; a check; and an author's cell: Python that defines ``check``, ``messages``, ``hints``, ``example``
and optionally ``spoils``, ``praise``, ``counterexample``, ``thorough`` and ``without`` (see
:class:`~autodiff_kit.exercises.question.Question`). Wrong answers, each with the name of its misconception, have
separate cells. The author's cells and the wrong answers are not part of the learner's notebook.

A question whose answer cell has ``private: true`` in its metadata is graded later: its check and messages stay with the
teacher. A cell of part ``public`` may define ``check`` (and ``messages``, ``hints``, ``example``) for public examples.

A private question may have ``parameters`` beside it, such as ``{"k": [2, 3, 5]}``: each learner gets one value of each
list, by the notebook's ``seed`` and the learner's login. Checks take them as keywords; the worked answer and the wrong
answers use them as variables.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import autodiff_kit
from autodiff_kit.errors import FileError, StructureError
from autodiff_kit.exercises.custom import module_name
from autodiff_kit.exercises.question import Lesson, Question
from autodiff_kit.exercises.questions import LESSONS

from .notebook_cells import cell_source, kit_metadata

__all__ = [
    "BEGIN",
    "BEGIN_HIDDEN",
    "END",
    "END_HIDDEN",
    "MasterNotebook",
    "MasterNotebookError",
    "WrongAnswer",
    "parse_master",
    "read_master",
    "split_answer",
]

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
HEADING = re.compile(r"^##\s+(?P<label>q\d+)\s+·\s+(?P<title>.+?)\s*\((?P<points>\d+) points?\)\s*$", re.MULTILINE)
REQUIRED = ("check", "messages", "hints", "example")


class MasterNotebookError(FileError, StructureError):
    """A master notebook that is not a valid exercise; the message names the cell and says what to do."""


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer, and the misconception that the check should name; empty for the general message."""

    source: str
    misconception: str


@dataclass(frozen=True)
class MasterNotebook:
    """A parsed master notebook.

    Attributes
    ----------
    notebook : dict
        As it was read.
    lesson : Lesson
        The exercise with its questions.
    wrong : mapping
        Wrong answers by question.
    author_sources : mapping
        The source of the author's cell of each question.
    public_sources : mapping
        The source that a learner gets in its place, for each question; None for a private one without examples.
    path : Path, optional
        The file that it was read from.
    """

    notebook: dict[str, Any]
    lesson: Lesson
    wrong: Mapping[str, tuple[WrongAnswer, ...]]
    author_sources: Mapping[str, str]
    public_sources: Mapping[str, str | None]
    path: Path | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it is a teacher's own exercise, whose checks are not installed with the kit."""
        kits = LESSONS.get(self.lesson.no)
        return kits is None or kits.slug != self.lesson.slug


def read_master(path: Path) -> MasterNotebook:
    """Read and parse a master notebook; its author's cells are executed.

    Parameters
    ----------
    path : Path
        The notebook. Its author's cells are executed: do not read a master that you do not trust.

    Returns
    -------
    MasterNotebook
        The exercise.

    Raises
    ------
    MasterNotebookError
        If the file is not a notebook or not an exercise, or a question has a missing part.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MasterNotebookError(f"{path} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise MasterNotebookError(f"{path} is not a notebook ({error}). Save it again from JupyterLab.") from error
    return replace(parse_master(notebook, str(path)), path=path)


def parse_master(notebook: Any, where: str = "the master") -> MasterNotebook:
    """Parse a master notebook; ``where`` names it in errors. Its author's cells are executed."""
    about = kit_metadata(notebook) if isinstance(notebook, dict) else {}
    if about.get("kind") != "exercise":
        raise MasterNotebookError(
            f"{where} is not an exercise: its metadata has no autodiff_kit.kind of 'exercise'. "
            "`autodiff-kit new-exercise NAME` makes one."
        )
    for path, (expected, fits) in NOTEBOOK.items():
        _require_entry(notebook, path, expected, fits, f"{where}: the notebook")
    _require_utf8_json({**notebook, "cells": []}, f"{where}: the notebook")
    _require_cells(notebook.get("cells"), where)
    parts = _cells_by_part(notebook)
    names = list(dict.fromkeys(question for question, part in parts if part == "answer"))
    if not names:
        raise MasterNotebookError(f"{where} has no question: no cell's metadata says part 'answer'.")
    _require_module_names(names, where)
    found = [_parse_question(name, parts, where) for name in names]
    wrong = {name: tuple(_parse_wrong_answer(cell) for cell in parts.get((name, "wrong"), [])) for name in names}
    author_sources = {name: cell_source(parts[name, "author"][0]) for name in names}
    public_sources = {q.id: _public_source(q, parts, author_sources[q.id], where) for q in found}
    lesson = _parse_lesson(about, tuple(found), where)
    master = MasterNotebook(notebook, lesson, wrong, author_sources, public_sources)
    if master.is_custom:
        _require_package_name(lesson.slug, where)
    else:
        _require_the_kits_questions(lesson, where)
    return master


def split_answer(source: str, where: str = "") -> tuple[str, str]:
    """The starter and the worked answer of an answer cell; ``where`` begins the message of an error."""
    if source.count(BEGIN) != 1 or source.count(END) != 1 or source.index(BEGIN) > source.index(END):
        raise MasterNotebookError(
            f"{where}An answer cell needs one line `{BEGIN}` and, below the worked answer, one `{END}`."
        )
    starter, rest = source.split(BEGIN)
    return starter.rstrip() + "\n", rest.split(END)[0].strip("\n") + "\n"


def _require_cells(cells: Any, where: str) -> None:
    """Raise if a notebook's cells have not the parts on which all of this package relies."""
    if not isinstance(cells, list):
        raise MasterNotebookError(f"{where} is not a notebook: it has no list of cells. Save it again from JupyterLab.")
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise MasterNotebookError(f"{where}: cell {number} needs to be an object, got {_shorten(cell)}. {MEND}")
        for path, (expected, fits) in CELL.items():
            _require_entry(cell, path, expected, fits, f"{where}: cell {number}")
        _require_utf8_json(cell, f"{where}: cell {number}")


def _require_entry(found: Any, path: str, expected: str, fits: Callable[[Any], bool], place: str) -> None:
    """Raise if an entry of a cell or notebook does not fit. It may be missing, unless its path ends in ``!``."""
    for key in path.rstrip("!").split("."):
        if key not in found and not path.endswith("!"):
            return
        found = found.get(key)
    if not fits(found):
        raise MasterNotebookError(f"{place} needs {expected} as {path.rstrip('!')}, got {_shorten(found)}. {MEND}")


def _require_utf8_json(part: Any, place: str) -> None:
    """Raise if a part of a notebook cannot be written as JSON in UTF-8, which other programs read."""
    try:
        json.dumps(part, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise MasterNotebookError(
            f"{place} has {error.object[error.start]!r}, which is no character. {MEND}"
        ) from error
    except ValueError as error:
        raise MasterNotebookError(f"{place} has nan or an infinity, which JSON cannot hold. {MEND}") from error


def _shorten(value: Any) -> str:
    """A value as an error message shows it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


# Metadata are edited by hand, so anything may stand there. An object is checked before its entries.
MEND = "Undo what was changed there, or make the cell or notebook again in JupyterLab."
CELL: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "cell_type!": ("code, markdown or raw", ("code", "markdown", "raw").__contains__),
    "source!": ("a text or a list of texts", lambda source: _is_text(source) or _are_texts(source)),
    "id": ("a text", _is_text),  # `author validate` says which letters it may have
    "attachments": ("an object of objects", lambda found: _is_object(found) and all(map(_is_object, found.values()))),
    "metadata!": ("an object", _is_object),
    "metadata.nbgrader": ("an object", _is_object),
    "metadata.nbgrader.grade_id": ("a text", _is_text),
    "metadata.autodiff_kit": ("an object", _is_object),
    "metadata.autodiff_kit.question": ("a text", _is_text),
    "metadata.autodiff_kit.part": ("a text", _is_text),
    "metadata.autodiff_kit.private": ("true or false", lambda private: isinstance(private, bool)),
    "metadata.autodiff_kit.misconception": ("a text", _is_text),
}
NOTEBOOK: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "nbformat": ("4", lambda version: type(version) is int and version == 4),
    "nbformat_minor": ("a whole number", lambda minor: type(minor) is int and minor >= 0),
    "metadata.kernelspec": ("an object", _is_object),
    "metadata.language_info": ("an object", _is_object),
    **{f"metadata.autodiff_kit.{name}": ("a text", _is_text) for name in ("slug", "title", "goal")},
    **{f"metadata.autodiff_kit.{name}": ("a list of texts", _are_texts) for name in ("keywords", "rows")},
}


def _cells_by_part(notebook: dict[str, Any]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in notebook.get("cells", []):
        about = kit_metadata(cell)
        if type(about.get("question")) is str and type(about.get("part")) is str:
            parts.setdefault((about["question"], about["part"]), []).append(cell)
    return parts


def _require_module_names(names: list[str], where: str) -> None:
    """Raise if a question's name can be no module's, or leads to the module of another question."""
    owners: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
            raise MasterNotebookError(
                f"{where}: the question {name!r} in a cell's metadata must consist of letters, digits, - and _, and "
                "begin with a letter or digit."
            )
        other = owners.setdefault(module_name(name), name)
        if other != name:
            raise MasterNotebookError(
                f"{where}: the questions {other} and {name} differ only in - and _, and would be one Python module. "
                "Rename one of them."
            )


def _single_cell(
    parts: dict[tuple[str, str], list[dict[str, Any]]], name: str, part: str, where: str
) -> dict[str, Any]:
    cells = parts.get((name, part), [])
    if len(cells) != 1:
        count = "no cell" if not cells else f"{len(cells)} cells"
        raise MasterNotebookError(f"{where}: question {name} has {count} of part '{part}'; it needs one.")
    return cells[0]


def _parse_question(name: str, parts: dict[tuple[str, str], list[dict[str, Any]]], where: str) -> Question:
    text = cell_source(_single_cell(parts, name, "text", where))
    heading = HEADING.search(text)
    if heading is None:
        raise MasterNotebookError(
            f"{where}: the text of {name} needs a heading such as `## q1 · Its title (3 points)`."
        )
    starter, answer = split_answer(cell_source(_single_cell(parts, name, "answer", where)), f"{where}, {name}: ")
    made = _run_author_cell(cell_source(_single_cell(parts, name, "author", where)), name, where)
    return Question(
        id=name,
        points=_checked_points(parts[name, "answer"][0], heading, name, where),
        title=heading["title"],
        text=text[heading.end() :].strip(),
        writes=_function_names(starter, name, where),
        starter=starter,
        check=made["check"],
        messages=made["messages"],
        hints=tuple(made["hints"]),
        example=made["example"],
        spoils=made.get("spoils", {}),
        praise=made.get("praise", ""),
        solution=answer,
        counterexample=made.get("counterexample"),
        thorough=made.get("thorough"),
        without=tuple(made.get("without", ())),
        private=kit_metadata(parts[name, "answer"][0]).get("private") is True,
        parameters=_checked_parameters(kit_metadata(parts[name, "answer"][0]), name, where),
    )


def _public_source(
    question: Question, parts: dict[tuple[str, str], list[dict[str, Any]]], author: str, where: str
) -> str | None:
    if not question.private:
        return author
    if (question.id, "public") not in parts:
        return None
    source = cell_source(_single_cell(parts, question.id, "public", where))
    if "check" not in _run_cell(source, "public", question.id, where):
        raise MasterNotebookError(f"{where}: the public cell of {question.id} defines no check.")
    return source


def _checked_parameters(about: dict[str, Any], name: str, where: str) -> dict[str, tuple[str | float | bool, ...]]:
    parameters = about.get("parameters", {})
    if parameters and about.get("private") is not True:
        raise MasterNotebookError(
            f"{where}: {name} has parameters, so its check must stay with you: add `private: true` beside them."
        )
    if not isinstance(parameters, dict) or not all(map(_are_choices, parameters, parameters.values())):
        raise MasterNotebookError(
            f"{where}: the parameters of {name} must be names of variables, each with a list of two or more different "
            f'numbers or texts, such as {{"k": [2, 3, 5]}}; got {parameters!r}.'
        )
    return {parameter: tuple(values) for parameter, values in parameters.items()}


def _are_choices(name: str, values: Any) -> bool:
    if not name.isidentifier() or keyword.iskeyword(name) or not isinstance(values, list):
        return False
    return all(isinstance(value, str | int | float) for value in values) and len(set(values)) == len(values) > 1


def _checked_points(cell: dict[str, Any], heading: re.Match[str], name: str, where: str) -> int:
    points = kit_metadata(cell).get("points")
    if type(points) is not int or points <= 0:
        raise MasterNotebookError(
            f"{where}: {name} has no points. The metadata of its answer cell must have `points`, an integer."
        )
    if points != int(heading["points"]):
        raise MasterNotebookError(
            f"{where}: {name} has {points} points in its metadata, but {heading['points']} in its heading."
        )
    return points


def _run_cell(source: str, part: str, name: str, where: str) -> dict[str, Any]:
    made: dict[str, Any] = {"__name__": f"{part}_of_{name}"}
    try:
        exec(compile(source, f"<{part} cell of {name}>", "exec"), made)  # the author's own code
    except Exception as error:
        raise MasterNotebookError(
            f"{where}: the {part} cell of {name} stops with {type(error).__name__}: {error}"
        ) from error
    return made


def execute_answer(source: str, name: str) -> dict[str, Any]:
    """Run an author's source as a cell of its notebook would run, and return the names that it makes."""
    names: dict[str, Any] = {"__name__": "answer", "np": np, "ak": autodiff_kit}  # as in a notebook's first cell
    exec(compile(source, name, "exec"), names)
    return names


def _run_author_cell(source: str, name: str, where: str) -> dict[str, Any]:
    made = _run_cell(source, "author", name, where)
    missing = [part for part in REQUIRED if part not in made]
    if missing:
        raise MasterNotebookError(f"{where}: the author's cell of {name} defines no {', '.join(missing)}.")
    if not isinstance(made["messages"], Mapping) or not isinstance(made["hints"], tuple | list):
        raise MasterNotebookError(
            f"{where}: in the author's cell of {name}, messages must be a dictionary, and hints a tuple of three texts."
        )
    return made


def _function_names(starter: str, name: str, where: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(starter)
    except SyntaxError as error:
        raise MasterNotebookError(
            f"{where}: the starter of {name} is not Python (line {error.lineno}: {error.msg})."
        ) from error
    names = tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    if not names:
        raise MasterNotebookError(f"{where}: the starter of {name} defines no function that the learner has to write.")
    return names


def _parse_wrong_answer(cell: dict[str, Any]) -> WrongAnswer:
    return WrongAnswer(cell_source(cell), str(kit_metadata(cell).get("misconception", "")))


def _checked_minutes(minutes: Any, where: str) -> int:
    try:
        return int(minutes)
    except (OverflowError, TypeError, ValueError) as error:
        raise MasterNotebookError(
            f"{where}: `minutes` in the notebook's metadata must be a number, such as 15; got {minutes!r}."
        ) from error


def _require_package_name(slug: str, where: str) -> None:
    """Raise if a teacher's exercise cannot have its package of checks by this slug."""
    if not (slug.isascii() and f"{slug}_checks".isidentifier()):
        raise MasterNotebookError(
            f"{where}: the slug {slug!r} in the notebook's metadata names a Python module, so it must consist of "
            "letters without accents, digits and _, no digit first."
        )


def _require_the_kits_questions(lesson: Lesson, where: str) -> None:
    """Raise if a changed copy still has the kit's slug: everybody would be graded by the kit's own questions."""
    own, kits = ({q.id: (q.points, q.writes) for q in one.questions} for one in (lesson, LESSONS[lesson.no]))
    if own != kits:
        changed = ", ".join(sorted(name for name in own.keys() | kits.keys() if own.get(name) != kits.get(name)))
        raise MasterNotebookError(
            f"{where} has the slug of the kit's own exercise {lesson.slug!r}, but differs in {changed}. It would be "
            "graded with the kit's questions. Give it a `slug` and a `no` of its own in the notebook's metadata, and "
            "write the new slug into the call of `exercise` in its first cell."
        )


def _parse_lesson(about: dict[str, Any], questions: tuple[Question, ...], where: str) -> Lesson:
    missing = [key for key in ("slug", "title", "goal", "minutes") if not about.get(key)]
    if missing:
        raise MasterNotebookError(f"{where}: the notebook's metadata (autodiff_kit) lacks {', '.join(missing)}.")
    return Lesson(
        no=str(about.get("no") or about["slug"]),
        slug=str(about["slug"]),
        title=about["title"],
        goal=about["goal"],
        minutes=_checked_minutes(about["minutes"], where),
        reminders=(),
        questions=questions,
        keywords=tuple(about.get("keywords", ())),
        rows=tuple(about.get("rows", ())),
        seed=str(about.get("seed") or about["slug"]),
    )
