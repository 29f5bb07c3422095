"""The record of one submission, as it was read: cells, questions, status and remarks. Nothing in it was run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from .outside_text import clean_text

__all__ = ["CALLED_LATE", "CELL_WORDS", "Submission", "cell_name"]

CELL_WORDS = "The cell `"
"""What a sentence about a cell begins with."""
MAX_FIRST_LINE = 60
CALLED_LATE = "Canvas calls this file late; compare its time with that of the submission in Canvas."


def cell_name(source: str) -> str:
    """A cell in words, by its first line of code: learners see no numbers of cells.

    Examples
    --------
    >>> cell_name("x = 1 / 0")
    'the cell `x = 1 / 0`'
    """
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), lines[0] if lines else "")
    shown = clean_text(first, MAX_FIRST_LINE).replace("`", "'")
    return f"the cell `{shown}`"


@dataclass(frozen=True)
class Submission:
    """One submitted notebook, read but not run.

    Attributes
    ----------
    learner : str
        The name of the file or folder.
    exercise : str
        Slug of the exercise; empty if it is not known.
    cells : tuple of (int, str)
        Index and source of each code cell.
    questions : tuple of (int, str)
        Index and question id of each code cell of a question.
    checks : tuple of (int, str)
        Those question cells that were released as checks.
    status, reason : str
        Set if the notebook cannot be run or was tampered with.
    stamp, sha256, submitted : str
        The learner's random id, the hash of the notebook, and the time of the file.
    remarks : tuple of str
        Remarks for the teacher.
    order : tuple of int
        Which of a learner's files is the later one, where their times are equal.
    logins : tuple of str
        The learner's logins, for exercises whose numbers are drawn by them; the one that counts first.
    platform_id : str
        The number of Canvas or Moodle in the name of a download; empty for other names.
    answers : bool
        Whether it names the exercise, has cells of its questions, or names a function that one of them asks for. With
        ``--exercise`` any notebook can be run, also one that a learner keeps beside the exercise.
    """

    learner: str
    exercise: str = ""
    cells: tuple[tuple[int, str], ...] = ()
    questions: tuple[tuple[int, str], ...] = ()
    checks: tuple[tuple[int, str], ...] = ()
    status: str = ""
    reason: str = ""
    stamp: str = ""
    sha256: str = ""
    submitted: str = ""
    remarks: tuple[str, ...] = field(default=())
    order: tuple[int, ...] = ()
    logins: tuple[str, ...] = ()
    platform_id: str = ""
    answers: bool = False

    @property
    def can_be_run(self) -> bool:
        """Whether it is a notebook of a known exercise; one with a changed check is run as well."""
        return self.status in ("", "tampered")

    @property
    def key(self) -> str:
        """A hash that identifies this submission."""
        known = [self.learner, self.exercise, self.sha256, self.submitted, self.status, self.platform_id, *self.logins]
        parts = json.dumps(known)
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]
