"""Submissions as they come: notebooks, folders, hand-in bundles. Nothing in them is run or unpacked here."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from autodiff_kit.errors import FileError, StructureError
from autodiff_kit.exercises import custom
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.exercises.questions import LESSONS

from .submission_files import Refused, contents, notebook_in

__all__ = ["Submission", "collect", "lesson_of", "named_lesson", "read"]

LONGEST_CELL: Final = 1 << 20
MOST_CELLS: Final = 5000
KINDS: Final = (".ipynb", ".zip")
RECEIPT: Final = re.compile(r"-[0-9a-f]{6,64}$")


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in, read but not run.

    Attributes
    ----------
    learner : str
        The name of the file or folder.
    exercise : str
        Slug of the exercise; empty if it is not known.
    cells : tuple of (int, str)
        Place and source of each code cell.
    questions : tuple of (int, str)
        Place and question of each code cell that belongs to one.
    checks : tuple of (int, str)
        Those of them that were given out as checks.
    status, reason : str
        Set if it cannot be run, or was tampered with.
    stamp, sha256, submitted : str
        The learner's random id, the hash of the notebook, and the time of the file.
    remarks : tuple of str
        What a teacher may want to look at.
    """

    learner: str
    exercise: str = ""
    cells: tuple[tuple[int, str], ...] = ()
    questions: tuple[tuple[int, str], ...] = ()
    checks: tuple[tuple[int, str], ...] = ()
    status: str = ""
    reason: str = ""
    stamp: str = ""
    sha256: str = ""
    submitted: str = ""
    remarks: tuple[str, ...] = field(default=())

    @property
    def key(self) -> str:
        """What tells this submission from every other one."""
        parts = json.dumps([self.learner, self.exercise, self.sha256, self.submitted, self.status])
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def lesson_of(name: str) -> Lesson | None:
    """The exercise of that slug or number, if there is one."""
    number = f"{name:0>2}"
    return LESSONS.get(number) or next((lesson for lesson in LESSONS.values() if lesson.slug == name), None)


def named_lesson(name: str) -> Lesson:
    """The exercise that a teacher names: one of the kit's, or one whose checks stand beside its notebook.

    Raises
    ------
    StructureError
        If there is none of that name.
    """
    found = lesson_of(name) or custom.find(name)
    if found is None:
        known = ", ".join(lesson.slug for lesson in LESSONS.values())
        raise StructureError(
            f"There is no exercise {name!r}; there are {known}. One of your own is found by its checks: put the "
            f"folder with {name}_checks on PYTHONPATH."
        )
    return found


def collect(places: Sequence[Path], exercise: str = "") -> list[Submission]:
    """Read every submission in some places.

    Parameters
    ----------
    places : sequence of Path
        Notebooks, bundles, folders of them, folders with a folder for each learner.
    exercise : str, optional
        Slug or number of the exercise; by default each notebook's own metadata say it.

    Returns
    -------
    list of Submission
        One for each learner and exercise, in their order; where there are several, the one handed in last.

    Raises
    ------
    StructureError
        If the exercise is not known.
    FileError
        If a place does not exist.
    """
    if exercise:
        named_lesson(exercise)
    found = [read(path, learner, exercise) for learner, path in _named(places, exercise)]
    return _last_of_each(_with_copied_stamps(found))


def _named(places: Iterable[Path], exercise: str) -> Iterator[tuple[str, Path]]:
    """Every file that may be a submission, and whose it is."""
    for place in places:
        if not os.path.lexists(place):
            raise FileError(f"{place} does not exist. Name notebooks, bundles or folders of them.")
        if place.is_dir() and not place.is_symlink():
            for entry in sorted(place.iterdir()):
                yield from _in_folder(entry, exercise)
        else:
            yield _owner(place, exercise), place


def _in_folder(entry: Path, exercise: str) -> Iterator[tuple[str, Path]]:
    if entry.name.startswith("."):
        return
    if entry.is_symlink() or not entry.is_dir():
        if entry.suffix in KINDS:
            yield _owner(entry, exercise), entry
        return
    inner = sorted(path for path in _walk(entry) if path.suffix in KINDS)
    for path in inner:
        yield entry.name, path


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root, name) for name in files)


def _owner(path: Path, exercise: str) -> str:
    """The learner of a file: its own name, unless that is the exercise's; then its folder's."""
    stem = RECEIPT.sub("", path.stem) if path.suffix == ".zip" else path.stem
    of_exercise = not stem.isdigit() and (stem == exercise or lesson_of(stem) is not None)
    return path.absolute().parent.name if of_exercise else path.stem


def read(path: Path, learner: str, exercise: str = "") -> Submission:
    """Read one file; whatever is wrong with it becomes its status and reason.

    Parameters
    ----------
    path : Path
        A notebook or a bundle.
    learner : str
        Whose it is.
    exercise : str, optional
        Slug or number; by default what the notebook says.

    Returns
    -------
    Submission
        With cells if it can be run.
    """
    wanted = named_lesson(exercise) if exercise else None
    name = "".join(c if c.isprintable() else "?" for c in learner.encode("utf-8", "replace").decode())[:200]
    blank = Submission(name, wanted.slug if wanted else "", submitted=_time(path))
    remarks: tuple[str, ...] = ()
    try:
        data = contents(path)
        blank = replace(blank, sha256=hashlib.sha256(data).hexdigest())
        if path.suffix == ".zip":
            data, remarks = notebook_in(data)
        return _understood(replace(blank, remarks=remarks), _parsed(data), wanted)
    except Refused as refused:
        return replace(blank, status=refused.status, reason=refused.reason, remarks=remarks)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused("invalid", "Its text is not UTF-8. Save it from Jupyter again.") from error
    except (ValueError, RecursionError) as error:
        raise Refused("invalid", "It is not JSON, so it is no notebook. Save it from Jupyter again.") from error
    if type(found) is not dict or type(found.get("cells", found.get("worksheets"))) is not list:
        raise Refused("invalid", "It is JSON, but no notebook: it has no list of cells.")
    if found.get("nbformat") != 4:
        said = str(found.get("nbformat"))[:20]
        raise Refused("unsupported", f"Its nbformat is {said}; 4 is needed. Open it in Jupyter and save it.")
    return found


def _understood(blank: Submission, notebook: dict[str, Any], wanted: Lesson | None) -> Submission:
    about = _own(notebook)
    language = _dict(_dict(notebook.get("metadata")).get("language_info")).get("name", "python")
    if language not in ("python", "ipython"):
        raise Refused("unsupported", f"It is written in {str(language)[:40]}; Python is needed.")
    named = about.get("exercise") or about.get("slug")
    lesson = wanted or (lesson_of(named) if type(named) is str else None)
    if lesson is None:
        raise Refused("unsupported", _unknown(named))
    cells = notebook["cells"]
    _refuse_too_many(cells)
    asked = _questions(cells)
    ours = {question.id for question in lesson.questions}
    if wanted is not None and named not in (None, wanted.slug) and not ours & {id for _, id in asked}:
        raise Refused("invalid", f"It is another exercise's file: {str(named)[:80]}, not {wanted.slug}.")
    stamp = about.get("learner")
    found = replace(
        blank,
        exercise=lesson.slug,
        cells=tuple((place, _source(cell)) for place, cell in enumerate(cells) if _is_code(cell)),
        questions=asked,
        checks=tuple((place, id) for place, id in asked if _was_check(cells[place], id)),
        stamp=stamp[:80] if type(stamp) is str else "",
    )
    from .integrity import look

    return look(found, lesson, cells)


def _unknown(named: object) -> str:
    if named is None:
        return "It does not say which exercise it is: give --exercise, or hand in the notebook that was given out."
    return f"There is no exercise {str(named)[:80]!r} here."


def _refuse_too_many(cells: list[Any]) -> None:
    if len(cells) > MOST_CELLS:
        raise Refused("invalid", f"It has {len(cells)} cells; {MOST_CELLS} is the most.")
    if not all(type(cell) is dict for cell in cells):
        raise Refused("invalid", "It is JSON, but no notebook: one of its cells is none.")
    if any(len(_source(cell)) > LONGEST_CELL for cell in cells):
        raise Refused("invalid", f"One of its cells is longer than {LONGEST_CELL >> 20} MB.")


def _questions(cells: list[dict[str, Any]]) -> tuple[tuple[int, str], ...]:
    named = ((place, _own(cell).get("question")) for place, cell in enumerate(cells) if _is_code(cell))
    return tuple((place, name) for place, name in named if type(name) is str)


def _was_check(cell: dict[str, Any], question: str) -> bool:
    return _own(cell).get("part") == "check" or cell.get("id") == f"{question}-check"


def _own(thing: dict[str, Any]) -> dict[str, Any]:
    return _dict(_dict(thing.get("metadata")).get("autodiff_kit"))


def _dict(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _is_code(cell: dict[str, Any]) -> bool:
    return cell.get("cell_type") == "code"


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    text = "".join(part for part in source if type(part) is str) if type(source) is list else source
    return text.encode("utf-8", "replace").decode() if type(text) is str else ""


def _time(path: Path) -> str:
    """When it was handed in: the collecting tool's own note beside it, else the file's time."""
    try:
        noted = (path.parent / "timestamp.txt").read_text(encoding="utf-8")[:40].strip()
        return _moment(noted).isoformat(timespec="seconds")
    except (OSError, ValueError):
        pass
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime, UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, OverflowError):
        return ""


def _moment(text: str) -> datetime:
    """A time with its zone; "UTC" stands for +00:00, and a time without a zone is UTC."""
    found = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def _with_copied_stamps(found: list[Submission]) -> list[Submission]:
    """Remark on every random id that stands in the notebooks of several learners."""
    owners: dict[str, set[str]] = {}
    for one in found:
        if one.stamp:
            owners.setdefault(one.stamp, set()).add(one.learner)

    def marked(one: Submission) -> Submission:
        others = sorted(owners.get(one.stamp, set()) - {one.learner})
        if not others:
            return one
        words = f"The same notebook was begun as that of {', '.join(others[:5])}: both carry one random id."
        return replace(one, remarks=(*one.remarks, words))

    return [marked(one) for one in found]


def _last_of_each(found: list[Submission]) -> list[Submission]:
    groups: dict[tuple[str, str], list[Submission]] = {}
    for one in found:
        groups.setdefault((one.learner, one.exercise), []).append(one)
    chosen = []
    for group in groups.values():
        last = max(group, key=lambda one: (not one.status, one.submitted, one.sha256))
        if len(group) > 1:
            words = f"{len(group)} were handed in; the last one that can be read counts."
            last = replace(last, remarks=(*last.remarks, words))
        chosen.append(last)
    return sorted(chosen, key=lambda one: (one.learner, one.exercise))
