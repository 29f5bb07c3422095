"""Which results count for one assignment of a learning platform, and remarks where that is not plain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .results import SubmissionResult
from .roster import Roster

__all__ = ["counted_exercise", "named_places", "remark_other_exercises", "remark_shared_rows"]

MAX_NAMES_SHOWN = 5


def remark_shared_rows(results: Sequence[SubmissionResult], roster: Roster) -> list[SubmissionResult]:
    """The results with a remark where one enrolled learner has submissions under several names.

    What has another's number in its name is remarked alone: the other's result is as if it were not there.
    """
    sharing: dict[int, set[str]] = {}
    named = named_places({one.learner for one in results if not one.platform_id}, roster)
    places = [roster.place_of(one.learner, one.platform_id) for one in results]
    for one, place in zip(results, places, strict=True):
        if place is not None and not (one.platform_id and place in named):
            sharing.setdefault(place, set()).add(one.learner)

    def remarked(one: SubmissionResult, place: int | None) -> SubmissionResult:
        if place is not None and one.platform_id and place in named:
            words = f"It has the number of {roster.name_at(place)}, who handed in under their own name; it has no line."
            return replace(one, remarks=(*one.remarks, words))
        others = sorted(sharing[place] - {one.learner}) if place is not None else []
        if place is None or not others:
            return one
        shown = ", ".join(others[:MAX_NAMES_SHOWN])
        words = (
            f"{roster.name_at(place)} is in the roster once, and {shown} was handed in for the same line; the one with "
            "more points counts. Look whose they are."
        )
        return replace(one, remarks=(*one.remarks, words))

    return [remarked(one, place) for one, place in zip(results, places, strict=True)]


def named_places(learners: Iterable[str], roster: Roster) -> frozenset[int]:
    """The lines of the roster that belong to somebody by the whole name."""
    return frozenset(place for one in learners if (place := roster.place_of(one)) is not None)


def counted_exercise(results: Iterable[SubmissionResult]) -> str:
    """The exercise that most learners handed in, of equally many the first by name; empty if there is none.

    A file for one assignment has the grades of this exercise, so that one learner's notebook of another one does not
    keep everybody's grades from it. ``--exercise`` leaves no other.
    """
    counts = Counter(result.exercise for result in results if result.exercise)
    return min(counts, key=lambda name: (-counts[name], name), default="")


def remark_other_exercises(results: Sequence[SubmissionResult]) -> list[SubmissionResult]:
    """The results with a remark where they are of another exercise than the one that counts for the assignment."""
    counted = counted_exercise(results)
    words = (
        f"It is of another exercise than {counted}, which most handed in, so it has no grade in the assignment's file."
    )
    return [
        replace(one, remarks=(*one.remarks, words)) if one.exercise not in ("", counted) else one for one in results
    ]
