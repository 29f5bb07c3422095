"""What handing in late costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from autodiff_kit.errors import StructureError

from .results import Result

__all__ = ["LateRule"]


@dataclass(frozen=True)
class LateRule:
    """When work is due, and what each day after that costs.

    Attributes
    ----------
    due : str
        ISO 8601; a time without a zone is UTC. Empty: nothing is ever late.
    grace : float
        Minutes that are not counted.
    per_day : float
        Per cent of the points earned, for each day that has begun.
    most : float
        Per cent that is taken off at most.
    """

    due: str = ""
    grace: float = 0.0
    per_day: float = 0.0
    most: float = 100.0

    def __post_init__(self) -> None:
        if self.due:
            _moment(self.due)
        if not (self.grace >= 0 and 0 <= self.per_day <= 100 and 0 <= self.most <= 100):
            raise StructureError(
                f"A late rule takes minutes of grace from 0 and percentages from 0 to 100; got {self.grace:g} minutes, "
                f"{self.per_day:g} % a day, {self.most:g} % at most."
            )

    def on(self, result: Result) -> Result:
        """The result with ``late`` and ``penalty`` set.

        Parameters
        ----------
        result : Result
            Of one submission; without a time it is never late.

        Returns
        -------
        Result
        """
        if not self.due or not result.submitted:
            return replace(result, late=False, penalty=0.0)
        behind = (_moment(result.submitted) - _moment(self.due)).total_seconds() - 60 * self.grace
        if behind <= 0:
            return replace(result, late=False, penalty=0.0)
        share = min(self.most, self.per_day * math.ceil(behind / 86400)) / 100
        return replace(result, late=True, penalty=round(result.raw_score * share, 6))


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise StructureError(f"{text!r} is no time. Write it as 2026-11-30T23:59+01:00.") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
