"""Who is enrolled: the export of Canvas' gradebook, or the grading worksheet of a Moodle assignment.

A submission belongs to an enrolled learner by the name of its file or folder. That is the login or an id where learners
are collected by hand, and the platform's own name where the teacher downloads all submissions at once:

=======  ==============================================  ==============================================
Canvas   ``adalovelace_LATE_1017_90001_exercise.ipynb``  1017 is the column ``ID`` of the export
Moodle   ``Ada Lovelace_1017_assignsubmission_file_``    1017 ends the worksheet's ``Participant 1017``
=======  ==============================================  ==============================================
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from autodiff_kit.errors import FileError
from autodiff_kit.exercises.parameters import normal_login

from .outside_text import clean_name

__all__ = ["Roster", "canvas_facts", "decimal_number", "is_platform_name", "platform_learner", "read_roster"]

MAX_ROSTER_BYTES: Final = 32 << 20
CANVAS_COLUMNS: Final = ("Student", "ID", "SIS User ID", "SIS Login ID")
LOGIN_COLUMNS: Final = ("SIS Login ID", "Username", "Email address", "SIS User ID", "ID number", "ID")
POINTS_POSSIBLE: Final = "Points Possible"
CANVAS_FILE: Final = re.compile(
    r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d{1,18})_(?P<file>\d{1,18})_.+?(?:-(?P<again>\d{1,6}))?", re.DOTALL
)
MOODLE_FOLDER: Final = re.compile(r"(?P<name>.+)_(?P<id>\d{1,18})_assignsubmission_(?:file|onlinetext)_?", re.DOTALL)
LAST_NUMBER: Final = re.compile(r"(\d{1,18})\s*$")


def platform_learner(name: str) -> tuple[str, str]:
    """The learner in a name that Canvas or Moodle gives to a downloaded file or folder, and the platform's number.

    Other names stay, and have no number.

    Examples
    --------
    >>> platform_learner("adalovelace_LATE_1017_90001_15_adam_slots")
    ('adalovelace_1017', '1017')
    >>> platform_learner("Ada Lovelace_1017_assignsubmission_file_")
    ('Ada Lovelace_1017', '1017')
    >>> platform_learner("ada_1017")
    ('ada_1017', '')
    """
    found = MOODLE_FOLDER.fullmatch(name) or CANVAS_FILE.fullmatch(name)
    return (f"{found['name']}_{found['id']}", found["id"]) if found else (name, "")


def is_platform_name(name: str) -> bool:
    """Whether a name is one that Canvas or Moodle gives to a download."""
    return bool(platform_learner(name)[1])


def canvas_facts(name: str) -> tuple[bool, tuple[int, int]]:
    """Whether Canvas calls a file late, and the numbers by which its files are ordered: repeats, then uploads."""
    found = CANVAS_FILE.fullmatch(name)
    if found is None:
        return False, (0, 0)
    return bool(found["late"]), (int(found["again"] or 0), int(found["file"]))


@dataclass(frozen=True)
class Roster:
    """The enrolled learners, as their platform exported them.

    Attributes
    ----------
    platform : str
        ``canvas`` or ``moodle``.
    columns : list of str
        Names of all columns, in the file's order.
    rows : list of dict
        One for each learner.
    possible : dict
        Canvas' points possible by column.
    """

    platform: str
    columns: list[str]
    rows: list[dict[str, str]]
    possible: dict[str, float] = field(default_factory=dict)
    _by_name: dict[str, int | None] = field(default_factory=dict, repr=False)
    _by_number: dict[str, int | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for place, row in enumerate(self.rows):
            number = self._number(row)
            for name in {*map(_shown_login, self._names(row)), number} - {""}:
                _add_place(self._by_name, name, place)
            _add_place(self._by_number, number, place)

    def place_of(self, learner: str, platform_id: str = "") -> int | None:
        """Index of a learner's row, by the whole name or by the number in the platform's name of a download.

        A number that merely ends a name is no such number: whoever names a file could write any. A name that fits
        several rows, such as one learner's login and another's student number, fits none.
        """
        if platform_id:
            return self._by_number.get(platform_id)
        return self._by_name.get(normal_login(learner))

    def logins_at(self, place: int) -> tuple[str, ...]:
        """The learner's logins and ids; the first is the one by which numbers are drawn."""
        found = tuple(self.rows[place][key] for key in LOGIN_COLUMNS if self.rows[place].get(key))
        return found or (self.rows[place][self.columns[0]],)

    def name_at(self, place: int) -> str:
        """The learner's name as the platform shows it."""
        row = self.rows[place]
        return row["Student"] if self.platform == "canvas" else row.get("Full name") or row[self.columns[0]]

    def _names(self, row: Mapping[str, str]) -> list[str]:
        """What a file or folder of this learner may be called."""
        moodles = (self.columns[0], "Full name", "Email address", "Username", "ID number")
        return [row.get(key, "") for key in (CANVAS_COLUMNS if self.platform == "canvas" else moodles)]

    def _number(self, row: Mapping[str, str]) -> str:
        """The number that the platform writes into the name of this learner's download."""
        if self.platform == "canvas":
            return row["ID"].strip()
        found = LAST_NUMBER.search(row[self.columns[0]])
        return found[1] if found else ""


def _shown_login(name: str) -> str:
    """A name as that of a file is shown, in which joiners of Persian letters and marks of direction are spelled."""
    return normal_login(clean_name(name.strip()))


def _add_place(places: dict[str, int | None], key: str, place: int) -> None:
    """Add a row under a key; a key of several rows leads to none of them."""
    places[key] = None if key in places else place


def decimal_number(text: str) -> float:
    """A number as a platform writes it: with a point or a comma before its decimals, and marks between thousands.

    Raises
    ------
    ValueError
        If the text is no number.

    Examples
    --------
    >>> [decimal_number(text) for text in ("10.5", "10,50", "1,000.50", "1.000,50", "1,000")]
    [10.5, 10.5, 1000.5, 1000.5, 1000.0]
    """
    if re.search(r",\d{3}(?!\d)", text):
        return float(text.replace(",", ""))
    return float(text.replace(".", "").replace(",", ".") if "," in text else text)


def read_roster(path: Path) -> Roster:
    """Read an export of Canvas' gradebook, or the grading worksheet of a Moodle assignment.

    Parameters
    ----------
    path : Path
        The CSV as it was downloaded.

    Returns
    -------
    Roster

    Raises
    ------
    FileError
        If the file cannot be read, or is neither of the two.
    """
    try:
        if path.stat().st_size > MAX_ROSTER_BYTES:
            raise FileError(f"{path} is larger than {MAX_ROSTER_BYTES >> 20} MB, so it is no list of learners.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, delimiter=_delimiter(file))
            read = [{key: value or "" for key, value in row.items() if key} for row in table]
            rows = [row for row in read if any(value.strip() for value in row.values())]
            columns = list(table.fieldnames or ())
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not in UTF-8, as Canvas and Moodle write it; a spreadsheet has saved it, it seems. Give the "
            "file as it was downloaded, or save it anew as CSV UTF-8."
        ) from error
    except (OSError, csv.Error) as error:
        raise FileError(
            f"{path} cannot be read ({error}). Export Canvas' gradebook as CSV, or download the grading worksheet of a "
            "Moodle assignment."
        ) from error
    if {"Student", "ID"} <= set(columns):
        students = [row for row in rows if _is_student(row["Student"].strip())]
        return Roster("canvas", columns, students, _points_possible(rows))
    if len(columns) > 1 and rows and all(LAST_NUMBER.search(row[columns[0]]) for row in rows):
        return Roster("moodle", columns, rows)
    raise FileError(
        f"{path} is neither an export of Canvas' gradebook, which has columns Student and ID, nor a Moodle grading "
        "worksheet, whose first column has entries such as Participant 1234. If it is an export of Canvas with "
        "translated columns, set the language of your account to English (US), and export again."
    )


def _delimiter(file: TextIO) -> str:
    """What separates the cells of a table: Canvas and spreadsheets also write semicolons."""
    found = re.search("[,;]", file.readline())
    file.seek(0)
    return found[0] if found else ","


def _points_possible(rows: list[dict[str, str]]) -> dict[str, float]:
    """Canvas' line of points possible, of the columns that have a number there."""
    found = {}
    for row in rows:
        if row["Student"].strip().startswith(POINTS_POSSIBLE):
            for column, text in row.items():
                with suppress(ValueError):
                    found[column] = decimal_number(text)
    return found


def _is_student(name: str) -> bool:
    """Whether a line of Canvas' export is a student's, and not that of the points possible."""
    return bool(name) and not name.startswith(POINTS_POSSIBLE)
