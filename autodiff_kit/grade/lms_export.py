"""Grades in the forms that learning platforms take in: Canvas and Moodle."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from autodiff_kit.errors import FileError

from .csv_table import cell
from .results import Result

__all__ = ["canvas_csv", "moodle_csv", "read_canvas"]

# A file that Canvas imports begins with these, whatever they hold; a student is known by the ID or the login.
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE_TEXT = 2000  # letters of feedback a row


def canvas_csv(results: Iterable[Result], roster: Sequence[dict[str, str]] = ()) -> str:
    """The text of a file for Canvas' "Import grades".

    Parameters
    ----------
    results : iterable of Result
        Of one or more exercises; each becomes a column.
    roster : sequence of dict
        The rows of the course's own export (:func:`read_canvas`): they bring the IDs. A learner is the one whose
        login, SIS ID, ID or name is the submission's. Without it a learner's name stands as the login.

    Returns
    -------
    str
        With a line of names, and a line of points possible.
    """
    found = list(results)
    exercises = sorted({result.exercise for result in found if result.exercise})
    most = {name: max(r.max_score for r in found if r.exercise == name) for name in exercises}
    known = {row[key]: row for row in roster for key in CANVAS[:4] if row.get(key)}
    rows = [[*CANVAS, *exercises], ["    Points Possible", "", "", "", "", *(f"{most[name]:g}" for name in exercises)]]
    for learner in sorted({result.learner for result in found}):
        scores = {r.exercise: r.score for r in found if r.learner == learner and r.marks}
        who = known.get(learner, {"Student": learner, "SIS Login ID": learner})
        points = [f"{scores[name]:g}" if name in scores else "" for name in exercises]
        rows.append([*(cell(who.get(key, "")) for key in CANVAS), *points])
    return _table(rows)


def read_canvas(path: Path) -> list[dict[str, str]]:
    """Read the file that Canvas' gradebook exports, for the IDs in it.

    Parameters
    ----------
    path : Path
        The exported CSV.

    Returns
    -------
    list of dict
        A row a student; the line of points possible is left out.

    Raises
    ------
    FileError
        If it cannot be read, or is not such a file.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} cannot be read ({error}). Export the gradebook from Canvas as CSV.") from error
    if not rows or not {"Student", "ID"} <= rows[0].keys():
        raise FileError(f"{path} is not an export of Canvas: it has no columns Student and ID.")
    return [row for row in rows if not row["Student"].strip().startswith("Points Possible")]


def moodle_csv(results: Iterable[Result]) -> str:
    """The text of a file for Moodle's "Import grades".

    Parameters
    ----------
    results : iterable of Result
        Of one or more exercises; each becomes a column of grades and one of feedback.

    Returns
    -------
    str
        Known by ``Username``; in the import's settings, choose "Map to: username".
    """
    found = list(results)
    exercises = sorted({result.exercise for result in found if result.exercise})
    rows = [["Username", *(title for name in exercises for title in (name, f"{name} feedback"))]]
    for learner in sorted({result.learner for result in found}):
        mine = {result.exercise: result for result in found if result.learner == learner}
        rows.append([cell(learner), *(part for name in exercises for part in _graded(mine.get(name)))])
    return _table(rows)


def _graded(result: Result | None) -> tuple[str, str]:
    if result is None:
        return "", ""
    told = [f"{mark.question}: {mark.points:g} of {mark.max_points:g}. {mark.message}" for mark in result.marks]
    text = "\n".join([*([result.reason] if result.reason else []), *told])
    return f"{result.score:g}" if result.marks else "", cell(text[:MOODLE_TEXT])


def _table(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
