"""The result of a graded submission, and ``results.jsonl``, which has one result per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically

from .outside_text import clean_text
from .submission import MAX_REASON, Submission, clean_remarks

__all__ = ["STATUSES", "TRY_AGAIN", "QuestionGrade", "SubmissionResult", "read_results", "write_results"]

TRY_AGAIN: Final = "Run the same command again to grade it."
"""How the reason of a result ends that is the grader's failure."""
STATUSES: Final = ("graded", "timeout", "memory", "crashed", "invalid", "tampered", "unsupported")
OUTCOMES: Final = ("passed", "partial", "not yet", "error", "not attempted")
MAX_MESSAGE: Final = 5000
MAX_NAME: Final = 200


@dataclass(frozen=True)
class QuestionGrade:
    """The grade of one question of a submission.

    Attributes
    ----------
    question : str
        Stored id, such as ``jvp-1``.
    points, max_points : float
        Points earned, and points that the question is worth.
    outcome : str
        passed, partial, not yet, error or not attempted.
    message : str
        The message for the learner.
    misconception : str
        The misconception that explains every failing case; empty if there is none.
    seed : int
        Seed of the random draw; ``q1.check(seed=...)`` repeats it.
    """

    question: str
    points: float
    max_points: float
    outcome: str
    message: str = ""
    misconception: str = ""
    seed: int = 0


@dataclass(frozen=True)
class SubmissionResult:
    """The result of one submission. It is reproducible from the submissions and the secret of the batch.

    Attributes
    ----------
    learner : str
        The name of the file or folder that was handed in.
    exercise : str
        The exercise's slug; empty if it is not known.
    status : str
        graded, timeout, memory, crashed, invalid, tampered or unsupported.
    reason : str
        The reason for the status, in a sentence or two; may be empty.
    marks : tuple of QuestionGrade
        One for each question, in the exercise's order.
    submitted : str
        Time of the submission, as ISO 8601 in UTC; empty if unknown.
    late : bool
        Whether it was handed in after the due time.
    penalty : float
        Points subtracted for being late.
    stamp : str
        The learner's random id from the notebook's metadata, which determines the example values.
    sha256 : str
        Hash of the notebook as it was handed in.
    remarks : tuple of str
        Remarks for the teacher: changed cells, copied ids.
    login : str
        The login that the notebook gives, where numbers are drawn by logins; it is the learner's claim.
    platform_id : str
        The number of Canvas or Moodle in the name of a download; empty for other names.
    """

    learner: str
    exercise: str
    status: str
    reason: str = ""
    marks: tuple[QuestionGrade, ...] = ()
    submitted: str = ""
    late: bool = False
    penalty: float = 0.0
    stamp: str = ""
    sha256: str = ""
    remarks: tuple[str, ...] = ()
    login: str = ""
    platform_id: str = ""

    @property
    def points(self) -> dict[str, float]:
        """Points by question, before any penalty."""
        return {mark.question: mark.points for mark in self.marks}

    @property
    def max_points(self) -> dict[str, float]:
        """Points that each question is worth."""
        return {mark.question: mark.max_points for mark in self.marks}

    @property
    def was_lost(self) -> bool:
        """Whether the grader failed to grade it; such a result is not kept."""
        return self.status == "crashed" and self.reason.endswith(TRY_AGAIN)

    @property
    def could_be_run(self) -> bool:
        """Whether it is a notebook of a known exercise, and was graded. Others get no grade on platforms: a teacher
        decides.
        """
        return self.status not in ("invalid", "unsupported") and not self.was_lost

    @property
    def raw_score(self) -> float:
        """Sum of the points, before any penalty."""
        return float(sum(mark.points for mark in self.marks))

    @property
    def score(self) -> float:
        """Sum of the points minus the penalty, never below 0; rounded like the penalty, so that 4.5 − 2.7 is 1.8."""
        return max(0.0, round(self.raw_score - self.penalty, 6))

    @property
    def max_score(self) -> float:
        """Points that the exercise is worth."""
        return float(sum(mark.max_points for mark in self.marks))

    def as_dict(self) -> dict[str, Any]:
        """The JSON object for ``results.jsonl``."""
        plain = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "marks"}
        questions = [vars(mark) for mark in self.marks]
        totals = {"points": self.points, "score": self.score, "raw_score": self.raw_score, "max_score": self.max_score}
        return {**plain, "remarks": list(self.remarks), **totals, "questions": questions}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> SubmissionResult:
        """The reverse of :meth:`as_dict`; totals are recomputed."""
        names = {field.name for field in fields(cls)} - {"marks", "remarks"}
        marks = tuple(QuestionGrade(**mark) for mark in found["questions"])
        return cls(**{name: found[name] for name in names}, marks=marks, remarks=tuple(found["remarks"]))

    @classmethod
    def of_submission(cls, one: Submission) -> SubmissionResult:
        """What is known of a submission before it is graded."""
        return cls(
            one.learner, one.exercise, one.status, one.reason, submitted=one.submitted, stamp=one.stamp,
            sha256=one.sha256, remarks=one.remarks, platform_id=one.platform_id,
        )  # fmt: skip

    @classmethod
    def without_points(cls, one: Submission, worth: Mapping[str, float], status: str, reason: str) -> SubmissionResult:
        """The result of a submission for which there are no answers, with the reason at each question."""
        marks = tuple(QuestionGrade(id, 0.0, points, "error", reason) for id, points in worth.items())
        return replace(cls.of_submission(one), status=status, reason=reason, marks=marks)

    @classmethod
    def from_answer(cls, found: Mapping[str, Any], one: Submission, worth: Mapping[str, float]) -> SubmissionResult:
        """The result in the answer of a grader's process; everything is of its type, in its range, of a bounded size.

        Parameters
        ----------
        found : mapping
            Status, reason, marks, remarks and login.
        one : Submission
            Whose result it is.
        worth : mapping
            Question id -> points, of the questions that were graded.

        Raises
        ------
        LookupError, TypeError, ValueError
            If the answer has another form.
        """
        if found["status"] not in STATUSES or [mark["question"] for mark in found["marks"]] != list(worth):
            raise ValueError("a result has no known status, or other questions")
        marks = (_checked_grade(mark, worth[mark["question"]]) for mark in found["marks"])
        return replace(
            cls.of_submission(one), status=found["status"], reason=clean_text(found["reason"], MAX_REASON),
            marks=tuple(marks), remarks=clean_remarks(found["remarks"]), login=clean_text(found["login"], MAX_NAME),
        )  # fmt: skip


def _checked_grade(found: Mapping[str, Any], worth: float) -> QuestionGrade:
    points, seed = float(found["points"]), int(found["seed"])
    if not 0 <= points <= worth or found["outcome"] not in OUTCOMES:
        raise ValueError("a question has points or an outcome that there are not")
    message, misconception = clean_text(found["message"], MAX_MESSAGE), clean_text(found["misconception"], MAX_NAME)
    return QuestionGrade(found["question"], points, worth, found["outcome"], message, misconception, seed)


def write_results(path: Path, results: Iterable[SubmissionResult]) -> None:
    """Write ``results.jsonl``: one object per line, sorted by learner and exercise."""
    ordered = sorted(results, key=lambda result: (result.learner, result.exercise))
    lines = (json.dumps(result.as_dict(), ensure_ascii=False, sort_keys=True) + "\n" for result in ordered)
    write_atomically(path, "".join(lines).encode())


def read_results(path: Path) -> list[SubmissionResult]:
    """Read ``results.jsonl``.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of SubmissionResult
        In the file's order.

    Raises
    ------
    FileError
        If the file is missing or damaged.
    """
    try:
        with path.open(encoding="utf-8", newline="\n") as file:  # str.splitlines would also split at U+2028
            return [SubmissionResult.from_dict(json.loads(line)) for line in file]
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror}). `autodiff-kit grade` writes it.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is not a file of results ({error!r}). Grade again to write a new one.") from error
