"""What is known of one submission once it has been graded: one line of ``results.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically

__all__ = ["STATUSES", "Mark", "Result", "read_results", "write_results"]

STATUSES: Final = ("graded", "timeout", "memory", "crashed", "invalid", "tampered", "unsupported")


@dataclass(frozen=True)
class Mark:
    """One question of one submission.

    Attributes
    ----------
    question : str
        Stored id, such as ``jvp-1``.
    points, max_points : float
        What was earned, and what the question is worth.
    outcome : str
        passed, partial, not yet, error or not attempted.
    message : str
        What the learner is told.
    misconception : str
        The name that explains every failing case, or nothing.
    seed : int
        Repeats the draw: ``q1.check(seed=...)``.
    """

    question: str
    points: float
    max_points: float
    outcome: str
    message: str = ""
    misconception: str = ""
    seed: int = 0


@dataclass(frozen=True)
class Result:
    """One submission; everything in it is the same on every run over the same submissions with the same secret.

    Attributes
    ----------
    learner : str
        The name of the file or folder that was handed in.
    exercise : str
        The exercise's slug; empty if it is not known.
    status : str
        graded, timeout, memory, crashed, invalid, tampered or unsupported.
    reason : str
        Why, in a sentence or two; empty where there is nothing to say.
    marks : tuple of Mark
        One for each question, in the exercise's order.
    submitted : str
        When it was handed in, as ISO 8601 in UTC; empty if that is not known.
    late : bool
        Whether that was after the due time.
    penalty : float
        Points taken off for it.
    stamp : str
        The learner's random id from the notebook's metadata: the questions' own numbers follow from it.
    sha256 : str
        Of the notebook as it was handed in.
    remarks : tuple of str
        What a teacher may want to look at: cells changed, ids that do not match.
    """

    learner: str
    exercise: str
    status: str
    reason: str = ""
    marks: tuple[Mark, ...] = ()
    submitted: str = ""
    late: bool = False
    penalty: float = 0.0
    stamp: str = ""
    sha256: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def points(self) -> dict[str, float]:
        """Points by question, before any penalty."""
        return {mark.question: mark.points for mark in self.marks}

    @property
    def max_points(self) -> dict[str, float]:
        """What each question is worth."""
        return {mark.question: mark.max_points for mark in self.marks}

    @property
    def raw_score(self) -> float:
        """All points together, before any penalty."""
        return float(sum(mark.points for mark in self.marks))

    @property
    def score(self) -> float:
        """All points together, less the penalty; never below 0."""
        return max(0.0, self.raw_score - self.penalty)

    @property
    def max_score(self) -> float:
        """What the exercise is worth."""
        return float(sum(mark.max_points for mark in self.marks))

    def as_dict(self) -> dict[str, Any]:
        """The object that stands in ``results.jsonl``."""
        plain = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "marks"}
        questions = [vars(mark) for mark in self.marks]
        totals = {"points": self.points, "score": self.score, "raw_score": self.raw_score, "max_score": self.max_score}
        return {**plain, "remarks": list(self.remarks), **totals, "questions": questions}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Result:
        """The reverse of :meth:`as_dict`; totals are computed anew."""
        names = {field.name for field in fields(cls)} - {"marks", "remarks"}
        marks = tuple(Mark(**mark) for mark in found["questions"])
        return cls(**{name: found[name] for name in names}, marks=marks, remarks=tuple(found["remarks"]))


def write_results(path: Path, results: Iterable[Result]) -> None:
    """Write ``results.jsonl``: one object a line, in the order of learners and exercises."""
    ordered = sorted(results, key=lambda result: (result.learner, result.exercise))
    lines = (json.dumps(result.as_dict(), ensure_ascii=False, sort_keys=True) + "\n" for result in ordered)
    write_atomically(path, "".join(lines).encode())


def read_results(path: Path) -> list[Result]:
    """Read ``results.jsonl``.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of Result
        In the file's order.

    Raises
    ------
    FileError
        If it is missing or damaged.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [Result.from_dict(json.loads(line)) for line in lines]
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror}). `autodiff-kit grade` writes it.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is not a file of results ({error!r}). Grade again to write it anew.") from error
