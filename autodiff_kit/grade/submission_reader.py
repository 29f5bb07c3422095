"""Reading one submission: the file is parsed and checked; nothing in it is run or unpacked."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.lessons.timestamps import parse_timestamp

from .exercise_lookup import find_exercise, find_known_exercise
from .outside_text import clean_name, clean_text
from .submission import Submission
from .submission_files import (
    RejectedSubmission,
    has_suffix,
    hash_of_modules,
    modules_beside,
    notebook_from_zip,
    read_file_bytes,
    read_short_text,
)

__all__ = ["SUFFIXES", "file_time", "read_submission"]

SUFFIXES: Final = (".ipynb", ".zip")
MAX_CELLS: Final = 5000
# All code cells of a notebook as JSON, which is how they are sent to the sandbox.
MAX_CODE_BYTES: Final = 2 << 20
# Brackets, braces and commas of a notebook: what they make needs up to a hundred times the bytes of the file.
MAX_PARTS: Final = 1_000_000


def read_submission(
    path: Path, learner: str, exercise: str = "", *, noted_times: bool = False, own_folder: bool = False
) -> Submission:
    """Read one file; any problem becomes the status and reason of the submission.

    Parameters
    ----------
    path : Path
        A notebook or a bundle.
    learner : str
        The learner's name.
    exercise : str, optional
        Slug or number; by default as the notebook's metadata says.
    noted_times : bool, optional
        Take the time of the submission from a ``timestamp.txt`` beside it, as nbgrader writes it. Only for folders in
        which no learner can write.
    own_folder : bool, optional
        Whether all of its folder is the learner's, so that the modules beside it are.

    Returns
    -------
    Submission
        With cells, if the notebook can be run.

    Raises
    ------
    StructureError
        If the teacher's checks of its exercise cannot be loaded.
    """
    wanted = find_exercise(exercise) if exercise else None
    submitted, remarks = _submission_time(path, noted_times=noted_times)
    slug = wanted.slug if wanted else ""
    blank = Submission(clean_name(learner), slug, submitted=submitted, file=clean_name(path.name))
    try:
        if not has_suffix(path.name, *SUFFIXES):
            raise RejectedSubmission("invalid", _reason_without_suffix(path))
        data = read_file_bytes(path)
        blank = replace(blank, sha256=hashlib.sha256(data).hexdigest())
        if has_suffix(path.name, ".zip"):
            data, of_bundle = notebook_from_zip(data)
            remarks += of_bundle
        found = _parse_submission(replace(blank, remarks=remarks), _parse_notebook(data), wanted)
        modules = modules_beside(path) if own_folder else ()
        return replace(found, modules=modules, modules_sha256=hash_of_modules(modules))
    except RejectedSubmission as refused:
        return replace(blank, status=refused.status, reason=refused.reason, remarks=remarks)
    except StructureError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a file does to its reader, the others are graded
        reason = f"It could not be read ({type(error).__name__}). Open it in Jupyter, save it, and hand it in again."
        return replace(blank, status="invalid", reason=reason, remarks=remarks)


def _reason_without_suffix(path: Path) -> str:
    if path.is_symlink():  # a learner could make it lead to another's work
        return "It is a symbolic link, which is not followed. Give the folder or file that it leads to."
    if path.is_dir():
        return "Its folder cannot be read. Allow yourself to read it (chmod -R u+rX), and grade again."
    return f"It is a file of another kind ({clean_name(path.name)}). Hand in the notebook (.ipynb)."


def _parse_notebook(data: bytes) -> dict[str, Any]:
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_PARTS:
        raise RejectedSubmission(
            "invalid", f"It has more than {MAX_PARTS} parts. Clear the outputs in Jupyter and hand it in again."
        )
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RejectedSubmission("invalid", "Its text is not UTF-8. Save it from Jupyter again.") from error
    except (ValueError, RecursionError) as error:
        raise RejectedSubmission(
            "invalid", "It is not JSON, so it is not a notebook. Save it from Jupyter again."
        ) from error
    if type(found) is not dict or type(found.get("cells", found.get("worksheets"))) is not list:
        raise RejectedSubmission("invalid", "It is JSON, but not a notebook: it has no list of cells.")
    if found.get("nbformat") != 4:
        version = found.get("nbformat")
        said = f"{version}" if type(version) is int and 0 <= version < 1000 else "not a number of a version"
        raise RejectedSubmission(
            "unsupported", f"Its nbformat is {said}, but must be 4. Open it in Jupyter and save it."
        )
    return found


def _parse_submission(blank: Submission, notebook: dict[str, Any], wanted: Lesson | None) -> Submission:
    about = _kit_metadata(notebook)
    named = about.get("exercise") or about.get("slug") or None
    lesson = wanted or (find_known_exercise(named) if type(named) is str else None)
    if lesson is None:
        raise RejectedSubmission("unsupported", _unknown_exercise_reason(named))
    cells = notebook["cells"]
    _check_cells(cells)
    asked = _question_cells(cells)
    sources = {place: _cell_source(cell) for place, cell in enumerate(cells) if _is_code(cell)}
    ours = {question.id for question in lesson.questions}
    if wanted is not None and named not in (None, wanted.slug) and not ours & {id for _, id in asked}:
        raise RejectedSubmission(
            "invalid", f"It is another exercise's file: {clean_text(named, 80)}, not {wanted.slug}."
        )
    begun = _begun_questions(lesson, sources.values())
    language = _as_dict(_as_dict(notebook.get("metadata")).get("language_info")).get("name")
    if type(language) is str and language.lower() not in ("python", "ipython") and not begun:
        raise RejectedSubmission(
            "unsupported",
            f"It is written in {clean_text(language, 40)}, but must be in Python. Choose a Python kernel, save it, and "
            "hand it in again.",
        )
    return replace(
        blank,
        exercise=lesson.slug,
        cells=tuple(sources.items()),
        questions=asked,
        checks=tuple((place, id) for place, id in asked if _is_check(cells[place], id)),
        stamp=clean_text(about.get("learner"), 80),
        remarks=blank.remarks + _remark_on_strange_cells(asked, ours),
        answers=named == lesson.slug or any(id in ours for _, id in asked) or _names_a_function(lesson, sources),
        begun=begun,
    )


def _remark_on_strange_cells(asked: Iterable[tuple[int, str]], ours: set[str]) -> tuple[str, ...]:
    strange = sorted({id[:40] for _, id in asked} - ours)
    return (f"There are cells of other exercises: {', '.join(strange[:5])}.",) if strange else ()


def _begun_questions(lesson: Lesson, sources: Iterable[str]) -> int:
    """The number of questions for which there is more than the starter: a cell that names what they ask for."""
    starters = {question.starter.strip() for question in lesson.questions}
    own = "\n".join(source for source in sources if source.strip() not in starters)
    return sum(any(re.search(rf"\b{name}\b", own) for name in question.writes) for question in lesson.questions)


def _names_a_function(lesson: Lesson, sources: Mapping[int, str]) -> bool:
    wanted = re.compile("|".join(rf"\b{name}\b" for question in lesson.questions for name in question.writes))
    return any(map(wanted.search, sources.values()))


def _unknown_exercise_reason(named: object) -> str:
    if named is None:
        return "Its exercise is unknown: give --exercise, or hand in the notebook that was released."
    return f"There is no exercise {clean_text(named, 80)!r} here."


def _check_cells(cells: list[Any]) -> None:
    if len(cells) > MAX_CELLS:
        raise RejectedSubmission("invalid", f"It has {len(cells)} cells; the limit is {MAX_CELLS}.")
    if not all(type(cell) is dict for cell in cells):
        raise RejectedSubmission("invalid", "It is JSON, but not a notebook: one of its cells is not a cell.")
    if sum(len(json.dumps(_cell_source(cell))) for cell in cells if _is_code(cell)) > MAX_CODE_BYTES:
        raise RejectedSubmission(
            "invalid", f"Its code cells are larger than {MAX_CODE_BYTES >> 20} MB together. Take out what is not code."
        )


def _question_cells(cells: list[dict[str, Any]]) -> tuple[tuple[int, str], ...]:
    named = ((place, _kit_metadata(cell).get("question")) for place, cell in enumerate(cells) if _is_code(cell))
    return tuple((place, clean_text(name, 80)) for place, name in named if type(name) is str)


def _is_check(cell: dict[str, Any], question: str) -> bool:
    """Whether a cell was released as a check or for hints, and nobody has written an answer into it."""
    released = _kit_metadata(cell).get("part") in ("check", "help") or cell.get("id") == f"{question}-check"
    return released and "def " not in _cell_source(cell)


def _kit_metadata(thing: dict[str, Any]) -> dict[str, Any]:
    return _as_dict(_as_dict(thing.get("metadata")).get("autodiff_kit"))


def _as_dict(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _is_code(cell: dict[str, Any]) -> bool:
    return cell.get("cell_type") == "code"


def _cell_source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    text = "".join(part for part in source if type(part) is str) if type(source) is list else source
    return text.encode("utf-8", "replace").decode() if type(text) is str else ""


def _submission_time(path: Path, *, noted_times: bool) -> tuple[str, tuple[str, ...]]:
    """Time of the submission, that of the file or of the timestamp.txt beside it, and remarks on it."""
    noted = read_short_text(path.parent / "timestamp.txt", 40).strip() if noted_times else ""
    if not noted:
        return file_time(path), ()
    try:
        return parse_timestamp(noted).isoformat(timespec="seconds"), ()
    except (ValueError, OverflowError):
        words = (
            f"The time in its timestamp.txt cannot be read ({clean_text(noted, 40)}), so it does not count as late. "
            "Write it as 2026-11-20 08:30 UTC, and grade again."
        )
        return "", (words,)


def file_time(path: Path) -> str:
    """The time at which a file was changed, as ISO 8601 in UTC; empty if it cannot be known."""
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime, UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, OverflowError):
        return ""
