"""The late policy: due time, grace period, and the penalty for each day."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from autodiff_kit.errors import StructureError
from autodiff_kit.lessons.timestamps import parse_timestamp

from .results import SubmissionResult
from .submission import Submission

__all__ = ["LatePolicy"]

ONE_DOWNLOAD = timedelta(minutes=1)
"""Files of a class that are all this near in time have the time at which they were unpacked."""


@dataclass(frozen=True)
class LatePolicy:
    """The due time of submissions, and the penalty for each day after it.

    Attributes
    ----------
    due : str
        ISO 8601; a time without a zone is UTC. If empty, nothing is late.
    grace : float
        Minutes after the due time that do not count as late.
    per_day : float
        Percentage of the points earned that is subtracted for each day begun.
    most : float
        Largest percentage that is subtracted.
    """

    due: str = ""
    grace: float = 0.0
    per_day: float = 0.0
    most: float = 100.0

    def __post_init__(self) -> None:
        if self.due:
            _require_time_of_day(self.due)
            _parse(self.due)
        if not (self.grace >= 0 and 0 <= self.per_day <= 100 and 0 <= self.most <= 100):
            raise StructureError(
                f"A late policy needs minutes of grace of 0 or more and percentages from 0 to 100; got "
                f"{self.grace:g} minutes, {self.per_day:g} % a day, {self.most:g} % at most."
            )
        if not self.due and (self.grace or self.per_day):
            raise StructureError("Nothing is late without a due time, so nothing would be subtracted. Add --due TIME.")

    def require_different_times(self, submissions: Sequence[Submission]) -> None:
        """Raise a :class:`StructureError` if all files would be late, by one time: that of a download."""
        times = [_parse(one.submitted) for one in submissions if one.submitted]
        if not self.due or len(times) < 3 or max(times) - min(times) > ONE_DOWNLOAD:
            return
        if (min(times) - _parse(self.due)).total_seconds() > 60 * self.grace:
            raise StructureError(
                f"All {len(times)} files have the time {min(times):%Y-%m-%d %H:%M} UTC, to a minute: when they were "
                "downloaded, it seems, and by it everybody is late. Leave out --due, and let your platform subtract "
                "points for late work; or unpack with a program that keeps the files' times."
            )

    def apply_to(self, result: SubmissionResult) -> SubmissionResult:
        """Return the result with ``late`` and ``penalty`` set.

        Parameters
        ----------
        result : SubmissionResult
            The result of one submission; without a submission time it is not late.

        Returns
        -------
        Result
        """
        if not self.due or not result.submitted:
            return replace(result, late=False, penalty=0.0)
        behind = (_parse(result.submitted) - _parse(self.due)).total_seconds() - 60 * self.grace
        if behind <= 0:
            return replace(result, late=False, penalty=0.0)
        share = min(self.most, self.per_day * math.ceil(behind / 86400)) / 100
        return replace(result, late=True, penalty=round(result.raw_score * share, 6))


def _parse(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except (OverflowError, ValueError) as error:
        raise StructureError(f"{text!r} is not a time. Write it as 2026-11-30T23:59+01:00.") from error


def _require_time_of_day(due: str) -> None:
    """Raise if the due time is a day: it would begin at midnight, and who hands in on that day would be late."""
    try:
        day = date.fromisoformat(due)
    except ValueError:
        return
    raise StructureError(f"{due!r} has no time of day. Write it as {day}T23:59+01:00.")
