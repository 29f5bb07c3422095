"""Export of grades to learning management systems: the CSV imports of Canvas and Moodle."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from autodiff_kit.errors import FileError

from .csv_table import csv_text, escape_formula
from .results import SubmissionResult

__all__ = ["canvas_csv", "moodle_csv", "read_canvas_export"]

# The first columns of Canvas' import file; Canvas identifies a student by the ID or the login.
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MAX_FEEDBACK_LENGTH = 2000  # characters per row


def canvas_csv(results: Iterable[SubmissionResult], roster: Sequence[dict[str, str]] = ()) -> str:
    """The text of a file for Canvas' "Import grades".

    Parameters
    ----------
    results : iterable of SubmissionResult
        Of one or more exercises; each becomes a column.
    roster : sequence of dict
        The rows of the course's own export (:func:`read_canvas_export`), for the IDs. A row belongs to the learner
        whose name equals its login, SIS ID, ID or name. Without a roster the learner's name is used as the login.

    Returns
    -------
    str
        The first line has the column names, the second the points possible.
    """
    found = list(results)
    exercises = sorted({result.exercise for result in found if result.exercise})
    most = dict.fromkeys(exercises, 0.0)
    for result in found:
        if result.exercise:
            most[result.exercise] = max(most[result.exercise], result.max_score)
    known = {row[key]: row for row in roster for key in CANVAS_COLUMNS[:4] if row.get(key)}
    rows = [
        [*CANVAS_COLUMNS, *exercises],
        ["    Points Possible", "", "", "", "", *(f"{most[name]:g}" for name in exercises)],
    ]
    for learner, own in sorted(_by_learner(found).items()):
        scores = {name: result.score for name, result in own.items() if result.marks}
        who = known.get(learner, {"Student": learner, "SIS Login ID": learner})
        points = [f"{scores[name]:g}" if name in scores else "" for name in exercises]
        rows.append([*(escape_formula(who.get(key, "")) for key in CANVAS_COLUMNS), *points])
    return csv_text(rows)


def read_canvas_export(path: Path) -> list[dict[str, str]]:
    """Read the students of a Canvas gradebook export.

    Parameters
    ----------
    path : Path
        The exported CSV.

    Returns
    -------
    list of dict
        One row per student, without the line of points possible.

    Raises
    ------
    FileError
        If the file cannot be read, or is not such an export.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} cannot be read ({error}). Export the gradebook from Canvas as CSV.") from error
    if not rows or not {"Student", "ID"} <= rows[0].keys():
        raise FileError(f"{path} is not an export from Canvas: it has no columns Student and ID.")
    return [row for row in rows if not row["Student"].strip().startswith("Points Possible")]


def moodle_csv(results: Iterable[SubmissionResult]) -> str:
    """The text of a file for Moodle's "Import grades".

    Parameters
    ----------
    results : iterable of SubmissionResult
        Of one or more exercises; each becomes a column of grades and one of feedback.

    Returns
    -------
    str
        Students are identified by ``Username``: choose "Map to: username" in the settings of the import.
    """
    found = list(results)
    exercises = sorted({result.exercise for result in found if result.exercise})
    rows = [["Username", *(title for name in exercises for title in (name, f"{name} feedback"))]]
    for learner, own in sorted(_by_learner(found).items()):
        rows.append(
            [escape_formula(learner), *(part for name in exercises for part in _grade_and_feedback(own.get(name)))]
        )
    return csv_text(rows)


def _by_learner(results: Iterable[SubmissionResult]) -> dict[str, dict[str, SubmissionResult]]:
    """Learner -> exercise -> result."""
    found: dict[str, dict[str, SubmissionResult]] = {}
    for result in results:
        found.setdefault(result.learner, {})[result.exercise] = result
    return found


def _grade_and_feedback(result: SubmissionResult | None) -> tuple[str, str]:
    if result is None:
        return "", ""
    told = [f"{mark.question}: {mark.points:g} of {mark.max_points:g}. {mark.message}" for mark in result.marks]
    text = "\n".join([*([result.reason] if result.reason else []), *told])
    return f"{result.score:g}" if result.marks else "", escape_formula(text[:MAX_FEEDBACK_LENGTH])
