"""The record of one submission, as it was read: cells, questions, status and remarks. Nothing in it was run.

The batch's process has *facts* of a submission only: what is not in a learner's cells, each of a bounded size.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from autodiff_kit.lessons.timestamps import parse_timestamp

from .outside_text import clean_text

__all__ = ["CALLED_LATE", "CELL_WORDS", "Submission", "cell_name"]

CELL_WORDS = "The cell `"
"""What a sentence about a cell begins with."""
MAX_FIRST_LINE = 60
STATUSES_BEFORE_RUN: Final = ("", "invalid", "tampered", "unsupported")
MAX_PATH: Final = 4096
MAX_NAMES: Final = 80
MAX_REASON: Final = 2000
MAX_REMARKS: Final = 20
MAX_REMARK: Final = 1000
MAX_QUESTIONS: Final = 50
MAX_FINGERPRINT: Final = 256
SHA256: Final = re.compile(r"[0-9a-f]{64}")
LEADING_TEXT = re.compile(r'\A(?:\s+|#[^\n]*|"""[^"]*"""|\'\'\'[^\']*\'\'\')*+')
"""Comments and a docstring, which say less than the first line of code."""
CALLED_LATE = "Canvas calls this file late; compare its time with that of the submission in Canvas."


def cell_name(source: str, label: str = "") -> str:
    r"""A cell in words, by its first line of code and its question: learners see no numbers of cells.

    Examples
    --------
    >>> cell_name("x = 1 / 0")
    'the cell `x = 1 / 0`'
    >>> cell_name("# mine\ndef push(x): ...", "q1")
    'the cell `def push(x): ...` of q1'
    """
    text = LEADING_TEXT.sub("", source) or source
    shown = clean_text(text.strip().partition("\n")[0].strip(), MAX_FIRST_LINE).replace("`", "'")
    return f"the cell `{shown}`{label and f' of {label}'}"


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
        Those question cells that were released as checks or for hints, and hold no answer.
    status, reason : str
        Set if the notebook cannot be run.
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
    path : str
        The file.
    fingerprints : tuple of (str, frozenset of int)
        Question id and fingerprint of each answer (see :mod:`.similarity`).
    begun : int
        The number of its questions for which there is more than the starter.
    file : str
        The name of its file.
    modules : tuple of (str, str)
        Name and text of the Python files beside it, which its cells may import.
    modules_sha256 : str
        A hash of these; empty where there are none.
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
    path: str = ""
    fingerprints: tuple[tuple[str, frozenset[int]], ...] = ()
    begun: int = 0
    file: str = ""
    modules: tuple[tuple[str, str], ...] = ()
    modules_sha256: str = ""

    @property
    def can_be_run(self) -> bool:
        """Whether it is a notebook of a known exercise."""
        return not self.status

    @property
    def precedence(self) -> tuple[object, ...]:
        """By which one of a learner's submissions counts: what can be run and has answers in it, then the last one."""
        return self.can_be_run, self.answers, self.begun > 0, self.submitted, self.order, self.begun, self.sha256

    @property
    def key(self) -> str:
        """A hash that identifies this submission."""
        known = [self.learner, self.exercise, self.sha256, self.submitted, self.status, self.platform_id, *self.logins]
        parts = json.dumps([*known, self.modules_sha256])
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def as_facts(self) -> dict[str, Any]:
        """The JSON object of what a grader's process tells the batch."""
        names = (
            "exercise",
            "status",
            "reason",
            "stamp",
            "sha256",
            "modules_sha256",
            "submitted",
            "answers",
            "begun",
            "path",
        )
        prints = [[id, [f"{one:x}" for one in hashes]] for id, hashes in self.fingerprints]
        return {name: getattr(self, name) for name in names} | {"remarks": self.remarks, "fingerprints": prints}

    @classmethod
    def from_facts(cls, found: Mapping[str, Any], learner: str, platform_id: str = "") -> Submission:
        """The reverse of :meth:`as_facts`, without cells. Everything is of its type and of a bounded size.

        Raises
        ------
        LookupError, TypeError, ValueError
            If the facts have another form.
        """
        status, submitted, path = found["status"], found["submitted"], found["path"]
        if status not in STATUSES_BEFORE_RUN or not (type(path) is str and len(path) <= MAX_PATH):
            raise ValueError("a status or path has no known form")
        if not (type(found["begun"]) is int and 0 <= found["begun"] <= MAX_QUESTIONS):
            raise ValueError("a count is out of range")
        if submitted:
            parse_timestamp(submitted)
        prints = [
            (clean_text(id, MAX_NAMES), frozenset(int(one, 16) for one in hashes[:MAX_FINGERPRINT]))
            for id, hashes in found["fingerprints"][:MAX_QUESTIONS]
        ]
        return cls(
            learner, clean_text(found["exercise"], MAX_NAMES), status=status, platform_id=platform_id,
            reason=clean_text(found["reason"], MAX_REASON), stamp=clean_text(found["stamp"], MAX_NAMES),
            sha256=_clean_hash(found["sha256"]), modules_sha256=_clean_hash(found["modules_sha256"]),
            submitted=clean_text(submitted, 40),
            remarks=clean_remarks(found["remarks"]), answers=found["answers"] is True, begun=found["begun"], path=path,
            fingerprints=tuple(prints),
        )  # fmt: skip


def _clean_hash(found: str) -> str:
    return found if SHA256.fullmatch(found) else ""


def clean_remarks(found: Any) -> tuple[str, ...]:
    """Remarks of a bounded number and size."""
    return tuple(clean_text(one, MAX_REMARK) for one in found[:MAX_REMARKS])
