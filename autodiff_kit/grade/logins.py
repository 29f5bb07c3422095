"""Logins, by which the numbers of some questions are drawn: whose they are, and notebooks that give another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from autodiff_kit.errors import ArgumentError
from autodiff_kit.exercises.parameters import normal_login

from .exercise_lookup import find_exercise
from .results import SubmissionResult
from .roster import Roster, is_platform_name
from .submission import Submission

__all__ = ["remark_logins", "with_logins"]


def with_logins(submissions: Iterable[Submission], roster: Roster | None, *, platform_names: bool) -> list[Submission]:
    """The submissions with their learners' logins, where their exercise has parameters.

    Parameters
    ----------
    submissions : iterable of Submission
        As they were collected.
    roster : Roster, optional
        Without one the name of a file or folder is the login.
    platform_names : bool
        Whether names are those of a download, which are no logins.

    Raises
    ------
    ArgumentError
        If logins are needed, and there is nothing to know them from.
    """

    def known(one: Submission) -> Submission:
        if not _has_parameters(one.exercise):
            return one
        if roster is None and (platform_names or is_platform_name(one.learner)):
            raise ArgumentError(
                f"The numbers of {one.exercise} are drawn by login, and {one.learner!r} is the name of a download. Add "
                "--roster: Canvas' exported gradebook or Moodle's grading worksheet, which have the logins."
            )
        place = roster.place_of(one.learner) if roster else None
        return replace(one, logins=(one.learner,) if roster is None or place is None else roster.logins_at(place))

    return [known(one) for one in submissions]


def remark_logins(
    results: Iterable[SubmissionResult], submissions: Sequence[Submission], roster: Roster | None
) -> list[SubmissionResult]:
    """The results with a remark where a notebook gives a login that is not its learner's."""
    own = {(one.learner, one.exercise): set(map(normal_login, one.logins)) for one in submissions if one.logins}
    owners = _owners(submissions, roster) if own else {}

    def remarked(one: SubmissionResult) -> SubmissionResult:
        stated = normal_login(one.login)
        if not stated or stated in own.get((one.learner, one.exercise), {stated}):
            return one
        nobody = "which is not in the roster" if roster else "under which nothing was handed in"
        whose = f"which is that of {owners[stated]}" if stated in owners else nobody
        words = (
            f"The notebook was written with the login {one.login!r}, {whose}; it was graded with the numbers of its "
            "own learner."
        )
        return replace(one, remarks=(*one.remarks, words))

    return [remarked(one) for one in results]


def _owners(submissions: Iterable[Submission], roster: Roster | None) -> dict[str, str]:
    """Login -> the learner whose it is."""
    if roster is None:
        return {normal_login(login): one.learner for one in submissions for login in one.logins}
    return {
        normal_login(login): roster.name_at(place)
        for place in range(len(roster.rows))
        for login in roster.logins_at(place)
    }


def _has_parameters(exercise: str) -> bool:
    return bool(exercise) and any(question.parameters for question in find_exercise(exercise).questions)
