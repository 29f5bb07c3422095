"""What a grader's process is asked to do: read what a learner handed in, or grade one submission.

A job goes to a process as it is. What comes back is JSON of a bounded size, of which everything is checked here: its
form, its types, and the length of each text.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from .exercise_lookup import find_exercise, find_known_exercise, use_checks
from .grading import grade_submission
from .inside.limits import ResourceLimits
from .results import TRY_AGAIN, SubmissionResult
from .sandbox import SubmissionRunner
from .submission import Submission
from .submission_discovery import HandIn, read_hand_in
from .submission_reader import read_submission

__all__ = ["GradeJob", "GraderLimits", "Job", "ReadJob"]

MEGABYTE: Final = 1 << 20
CHANGED: Final = "The file was changed while it was graded."
LIMIT_WORDS: Final = {
    "cpu": "took more than {0.cpu:g} s of computing",
    "wall": "took more than {0.wall:g} s",
    "memory": "took more than {0.megabytes} MB of memory",
    "output": "said more than the batch takes",
}
"""How a process ended by a limit."""
STATUS_OF_LIMIT: Final = {"cpu": "timeout", "wall": "timeout", "memory": "memory", "output": "crashed"}


@dataclass(frozen=True)
class GraderLimits:
    """Limits of a grader's process for one job.

    Attributes
    ----------
    cpu, wall : float
        Seconds of computing, and by the clock.
    memory : int
        Bytes of address space beyond those that it begins with.
    """

    cpu: float = 30.0
    wall: float = 60.0
    memory: int = 512 * MEGABYTE

    def exceeded(self, limit: str) -> str:
        """What happened at a limit, in words that follow a subject."""
        return LIMIT_WORDS[limit].format(self)

    @property
    def megabytes(self) -> int:
        """The memory in megabytes."""
        return self.memory // MEGABYTE


@dataclass(frozen=True)
class ReadJob:
    """Read what one learner handed in.

    Attributes
    ----------
    hand_in : HandIn
        Files and folders of the learner.
    exercise : str
        Slug or number of the exercise; if empty, as each notebook's metadata says.
    noted_times : bool
        See :func:`~.submission_discovery.read_hand_in`.
    checks : str
        Folder with the checks of a teacher's own exercises, or empty.
    seen : set of str
        Exercises of the hand-ins that were read before, one set for all jobs of a batch.
    limits : GraderLimits
        Limits of the process.
    """

    hand_in: HandIn
    exercise: str = ""
    noted_times: bool = False
    checks: str = ""
    seen: set[str] = field(default_factory=set)
    limits: GraderLimits = field(default_factory=GraderLimits)

    def prepare(self) -> None:
        """Load the checks; in the process from which that of the job is forked."""
        _load_checks(self.checks, {self.exercise, *self.seen})

    def work(self, _: SubmissionRunner | None) -> Any:
        """Read; in the grader's process."""
        found = read_hand_in(self.hand_in, self.exercise, noted_times=self.noted_times)
        return [one.as_facts() for one in found]

    def parse(self, answer: Any) -> list[Submission]:
        """The submissions in what the process answered."""
        found = [Submission.from_facts(one, self.hand_in.learner, self.hand_in.platform_id) for one in answer]
        for one in found:
            if one.exercise and find_known_exercise(one.exercise) is None:
                raise ValueError("an exercise is not known")
        self.seen.update(one.exercise for one in found)
        return found

    def exceeded(self, limit: str) -> list[Submission]:
        """The submission of a learner whose files took more than a limit."""
        return self.failed(
            f"Reading it {self.limits.exceeded(limit)}. Hand in the notebook alone, without its outputs."
        )

    def failed(self, why: str) -> list[Submission]:
        """The submission that could not be read."""
        own, slug = self.hand_in, find_exercise(self.exercise).slug if self.exercise else ""
        path = own.entries[0].path
        return [Submission(own.learner, slug, status="invalid", reason=why, platform_id=own.platform_id, path=path)]


@dataclass(frozen=True)
class GradeJob:
    """Grade one submission.

    Attributes
    ----------
    submission : Submission
        Its facts.
    secret : str
        The secret of the batch.
    runner_limits : ResourceLimits
        Limits of the process in the sandbox.
    sandbox : bool
        Whether a sandbox is required.
    only : str
        The only question to grade; all if empty.
    checks : str
        Folder with the checks of a teacher's own exercises, or empty.
    other_user : bool
        Run it as another user where no sandbox can be started (see :class:`~.sandbox.OtherUserRunner`).
    """

    submission: Submission
    secret: str
    runner_limits: ResourceLimits = field(default_factory=ResourceLimits)
    sandbox: bool = True
    only: str = ""
    checks: str = ""
    other_user: bool = False

    @property
    def limits(self) -> GraderLimits:
        """Limits of the process: as long as the runs of the notebook may take, and some seconds."""
        longest = 6 * self.runner_limits.wall + 60
        return GraderLimits(longest, longest, 512 * MEGABYTE)

    def prepare(self) -> None:
        """Load the checks; in the process from which that of the job is forked."""
        _load_checks(self.checks, {self.submission.exercise})

    def work(self, runner: SubmissionRunner | None) -> Any:
        """Read the file again, run it and check it; in the grader's process."""
        assert runner is not None, "a submission is graded by what runs it"
        facts = self.submission
        if facts.can_be_run:
            own_folder = bool(facts.modules_sha256)
            found = read_submission(Path(facts.path), facts.learner, own_folder=own_folder)
            if found.exercise != facts.exercise:  # the teacher named it, and not the notebook
                found = read_submission(Path(facts.path), facts.learner, facts.exercise, own_folder=own_folder)
            if (found.sha256, found.modules_sha256) != (facts.sha256, facts.modules_sha256):
                return {"changed": True}
            read = {name: getattr(found, name) for name in ("cells", "questions", "checks", "modules")}
            facts = replace(facts, **read)
        result = grade_submission(facts, runner, self.secret, (self.only,) if self.only else ())
        return {
            "status": result.status, "reason": result.reason, "login": result.login, "remarks": result.remarks,
            "marks": [asdict(mark) for mark in result.marks],
        }  # fmt: skip

    def parse(self, answer: Any) -> SubmissionResult:
        """The result in what the process answered; whose it is and what a question is worth, the batch knows."""
        if "changed" in answer:
            return self.failed(CHANGED)
        return SubmissionResult.from_answer(answer, self.submission, self._questions())

    def exceeded(self, limit: str) -> SubmissionResult:
        """The result of a submission whose answers took more than a limit to be checked: no points, and it is kept."""
        why = f"Checking what the notebook returned {self.limits.exceeded(limit)}."
        return SubmissionResult.without_points(self.submission, self._questions(), STATUS_OF_LIMIT[limit], why)

    def failed(self, why: str) -> SubmissionResult:
        """The result of a submission that the grader failed to grade."""
        return SubmissionResult.without_points(self.submission, self._questions(), "crashed", f"{why} {TRY_AGAIN}")

    def _questions(self) -> dict[str, float]:
        """The questions that are graded, with their points."""
        if not self.submission.exercise:
            return {}
        found = find_exercise(self.submission.exercise).questions
        return {one.id: one.points for one in found if self.only in ("", one.id) or not self.submission.can_be_run}


def _load_checks(folder: str, exercises: set[str]) -> None:
    use_checks(Path(folder) if folder else None)
    for name in exercises - {""}:
        find_known_exercise(name)


Job: TypeAlias = ReadJob | GradeJob
