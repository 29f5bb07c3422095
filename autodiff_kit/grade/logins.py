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


def with_logins(submissions: Sequence[Submission], roster: Roster | None) -> list[Submission]:
    """The submissions with their learners' logins, where their exercise has parameters.

    One that is named like a download, among others that are not, is that learner's own invalid submission.

    Parameters
    ----------
    submissions : sequence of Submission
        As they were collected.
    roster : Roster, optional
        Without one the name of a file or folder is the login.

    Raises
    ------
    ArgumentError
        If logins are needed, and all names are those of a download, from which no login is known.
    """
    needing = [one for one in submissions if _has_parameters(one.exercise)]
    if needing and roster is None and all(map(_is_download, submissions)):
        raise ArgumentError(
            f"The numbers of {needing[0].exercise} are drawn by login, and {needing[0].learner!r} is the name of a "
            "download. Add --roster: Canvas' exported gradebook or Moodle's grading worksheet, which have the logins."
        )

    def known(one: Submission) -> Submission:
        if not _has_parameters(one.exercise):
            return one
        if roster is None:
            return _without_login(one) if _is_download(one) else replace(one, logins=(one.learner,))
        place = roster.place_of(one.learner, one.platform_id)
        return replace(one, logins=(one.learner,) if place is None else roster.logins_at(place))

    return [known(one) for one in submissions]


def _is_download(one: Submission) -> bool:
    return bool(one.platform_id) or is_platform_name(one.learner)


def _without_login(one: Submission) -> Submission:
    """The submission that cannot be graded, because nothing tells whose numbers it should have."""
    if not one.can_be_run:
        return one
    words = (
        f"The numbers of {one.exercise} are drawn by login, and this name is one that Canvas or Moodle gives to a "
        "download. Name the file by the learner's login, or give --roster for a download."
    )
    return replace(one, status="invalid", reason=" ".join(filter(None, (one.reason, words))))


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
