"""Grades for learning platforms: the CSV imports of Canvas and Moodle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.messages import round_points

from .assignment import counted_exercise, named_places
from .csv_table import csv_text, escape_formula
from .exercise_lookup import question_names
from .results import SubmissionResult
from .roster import Roster, decimal_number

__all__ = ["Enrolment", "canvas_csv", "match_roster", "moodle_csv"]

# The first columns of Canvas' import file; Canvas identifies a student by the ID or the login.
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
TEST_STUDENT = "Student, Test"
"""Canvas' name for the teacher's view of the course as a student, a line of its export."""
MAX_FEEDBACK_LENGTH = 2000  # characters per row
MOODLE_GRADE, MOODLE_FEEDBACK, MOODLE_MOST = "Grade", "Feedback comments", "Maximum Grade"


@dataclass(frozen=True)
class Enrolment:
    """The results beside the roster.

    Attributes
    ----------
    rows : dict
        Index of a row of the roster -> results by exercise.
    missing : list of str
        Enrolled learners without a submission.
    strangers : list of str
        Learners of submissions that are not enrolled, or whose name fits nobody.
    names : dict
        Learner of a submission -> the name in the roster.
    """

    rows: dict[int, dict[str, SubmissionResult]]
    missing: list[str]
    strangers: list[str]
    names: dict[str, str]

    @property
    def parted_names(self) -> dict[str, tuple[str, str]]:
        """Learner -> last name and first name, where the roster parts them by a comma; else the whole name."""
        return {
            learner: (last, first) for learner, name in self.names.items() for last, _, first in [name.partition(", ")]
        }


def match_roster(results: Iterable[SubmissionResult], roster: Roster) -> Enrolment:
    """Find the enrolled learner of each result.

    Two submissions of one learner under different names count as one: one that could be run, then the one with more
    points. Where a name is the learner's own, one that has the learner's number in a name like a download's is none of
    theirs: whoever names a file can write any number.
    """
    rows: dict[int, dict[str, SubmissionResult]] = {}
    strangers = set()
    names = {}
    by_learner = _by_learner(results)
    numbers = {learner: next(iter(own.values())).platform_id for learner, own in by_learner.items()}
    named = named_places((learner for learner, number in numbers.items() if not number), roster)
    for learner, own in by_learner.items():
        number = numbers[learner]
        place = roster.place_of(learner, number)
        if place is None or (number and place in named):
            strangers.add(learner)
            continue
        names[learner] = roster.name_at(place)
        mine = rows.setdefault(place, {})
        for name, result in own.items():
            if name not in mine or _is_better(result, mine[name]):
                mine[name] = result
    names_of_rows = map(roster.name_at, range(len(roster.rows)))
    missing = [name for place, name in enumerate(names_of_rows) if place not in rows and name != TEST_STUDENT]
    return Enrolment(rows, missing, sorted(strangers), names)


def _is_better(one: SubmissionResult, other: SubmissionResult) -> bool:
    return (one.could_be_run, one.score) > (other.could_be_run, other.score)


def canvas_csv(results: Iterable[SubmissionResult], roster: Roster | None = None, column: str = "") -> str:
    """The text of a file for Canvas' "Import grades".

    Parameters
    ----------
    results : iterable of SubmissionResult
        Of one or more exercises; each becomes a column.
    roster : Roster, optional
        The course's own export: every enrolled learner has a line, an empty one without a submission, and strangers
        have none. Without a roster each learner's name is used as the login.
    column : str, optional
        Title of the assignment in Canvas, such as ``Adam's slots (81234)``, for the exercise that most handed in. Its
        points possible stay, scores are given on their scale, and a grade stays where nothing was handed in that could
        be run. By default the exercise's name, for which Canvas offers to make an assignment.

    Returns
    -------
    str
        The first line has the column names, the second the points possible.
    """
    found = list(results)
    exercises = [counted_exercise(found)] if column else _exercises(found)
    most = dict.fromkeys(exercises, 0.0)
    for result in found:
        if result.exercise in most:
            most[result.exercise] = max(most[result.exercise], result.max_score)
    titles = [column] if column else exercises
    if column and roster and column not in roster.columns:
        raise StructureError(f"The roster has no column {column!r}; it has {', '.join(roster.columns[5:])}.")
    possible = {
        title: (roster.possible.get(title, 0.0) if roster else 0.0) or most[name]
        for name, title in zip(exercises, titles, strict=True)
    }
    rows = [
        [*CANVAS_COLUMNS, *titles],
        ["    Points Possible", "", "", "", "", *(_as_text(possible[title]) for title in titles)],
    ]
    for who, own in _canvas_learners(found, roster):
        points = (
            _canvas_points(own.get(name), most[name], possible[title]) or who.get(title, "")
            for name, title in zip(exercises, titles, strict=True)
        )
        rows.append([*(escape_formula(who.get(key, "")) for key in CANVAS_COLUMNS), *points])
    return csv_text(rows)


def _as_text(points: float) -> str:
    """Points with two decimals at most, and with all digits before them."""
    return f"{round_points(points):.15g}"


def _canvas_points(result: SubmissionResult | None, most: float, possible: float) -> str:
    """A score on the scale of the assignment in Canvas; empty without a grade."""
    graded = result is not None and result.marks and result.could_be_run and most
    return _as_text(result.score * possible / most) if result and graded else ""


def _canvas_learners(
    found: list[SubmissionResult], roster: Roster | None
) -> Iterable[tuple[Mapping[str, str], dict[str, SubmissionResult]]]:
    if roster is None:
        for learner, own in sorted(_by_learner(found).items()):
            yield {"Student": learner, "SIS Login ID": learner}, own
        return
    enrolled = match_roster(found, roster)
    for place, row in enumerate(roster.rows):
        yield row, enrolled.rows.get(place, {})


def moodle_csv(results: Iterable[SubmissionResult], worksheet: Roster | None = None, column: str = "") -> str:
    """The text of a file for Moodle: its own grading worksheet with grades, or a file for "Import grades".

    Parameters
    ----------
    results : iterable of SubmissionResult
        Of one or more exercises.
    worksheet : Roster, optional
        The assignment's grading worksheet. Every line of it is kept; grade and feedback are filled in, for the exercise
        that most handed in. What could not be run keeps the grade that it has there.
    column : str, optional
        The worksheet's column for grades, in the site's language; by default ``Grade``.

    Returns
    -------
    str
        Without a worksheet students are identified by ``Username``: choose "Map to: username" in the import's settings.

    Raises
    ------
    StructureError
        If the worksheet has no such column.
    """
    found = list(results)
    if worksheet is not None:
        return _filled_worksheet(found, worksheet, column or MOODLE_GRADE)
    exercises = _exercises(found)
    rows = [["Username", *(title for name in exercises for title in (name, f"{name} feedback"))]]
    for learner, own in sorted(_by_learner(found).items()):
        rows.append(
            [escape_formula(learner), *(part for name in exercises for part in _grade_and_feedback(own.get(name)))]
        )
    return csv_text(rows)


def _filled_worksheet(found: list[SubmissionResult], worksheet: Roster, column: str) -> str:
    if column not in worksheet.columns:
        raise StructureError(
            f"The grading worksheet has no column {column!r}; it has {', '.join(worksheet.columns)}. --column names it."
        )
    counted = counted_exercise(found)
    enrolled = match_roster(found, worksheet)
    most = _column_of_the_most(worksheet, column)
    rows = [list(worksheet.columns)]
    for place, row in enumerate(worksheet.rows):
        own = enrolled.rows.get(place, {})
        result = own.get(counted) or own.get("")  # a file whose exercise is not known has its reason as feedback
        filled = row
        if result:
            grade, feedback = _grade_and_feedback(result)
            points = _scaled(grade, result, row.get(most, ""))
            filled = {**row, column: points or row[column], MOODLE_FEEDBACK: feedback}
        rows.append([filled.get(name, "") for name in worksheet.columns])  # Moodle's own cells stay as they are
    return csv_text(rows)


def _column_of_the_most(worksheet: Roster, column: str) -> str:
    """The column of the most points; its name is in the site's language, and it stands behind that of the grade."""
    if MOODLE_MOST in worksheet.columns:
        return MOODLE_MOST
    following = worksheet.columns[worksheet.columns.index(column) + 1 :]
    return following[0] if following else ""


def _scaled(grade: str, result: SubmissionResult, most: str) -> str:
    """The grade on the scale of Moodle's assignment, which is of 100 points unless a teacher changed it."""
    if not grade or not result.max_score:
        return grade
    try:
        return _as_text(result.score * decimal_number(most) / result.max_score)
    except ValueError:
        return grade


def _exercises(results: Iterable[SubmissionResult]) -> list[str]:
    return sorted({result.exercise for result in results if result.exercise})


def _by_learner(results: Iterable[SubmissionResult]) -> dict[str, dict[str, SubmissionResult]]:
    """Learner -> exercise -> result; a result of an unknown exercise stands under the empty name."""
    found: dict[str, dict[str, SubmissionResult]] = {}
    for result in results:
        found.setdefault(result.learner, {})[result.exercise] = result
    return found


def _grade_and_feedback(result: SubmissionResult | None) -> tuple[str, str]:
    if result is None:
        return "", ""
    names = question_names(result.exercise)
    told = [
        f"{names.get(mark.question, mark.question)}: {mark.points:g} of {mark.max_points:g}. {mark.message}"
        for mark in result.marks
    ]
    text = "\n".join([*([result.reason] if result.reason else []), *told])
    grade = f"{result.score:g}" if result.marks and result.could_be_run else ""
    return grade, escape_formula(text[:MAX_FEEDBACK_LENGTH])
