"""The output folder of a batch: its secret, a lock, and the result of each submission as soon as it is graded."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically

from .inside.limits import ResourceLimits
from .results import SubmissionResult
from .submission import Submission

__all__ = ["ResultStore"]

NEVER_BY_A_LIMIT: Final = ("graded", "invalid", "unsupported")
"""Statuses that no limit can cause. Others can: the first failure names the status, and a limit may be the second."""


class ResultStore:
    """Stores the results of a batch, so that grading can continue after a crash; a context manager that locks the
    folder.

    Parameters
    ----------
    out : Path
        The folder; created if it does not exist.
    seed : int, optional
        Replaces the secret, so that the random draws can be repeated elsewhere.

    Raises
    ------
    FileError
        If the folder cannot be written.
    """

    def __init__(self, out: Path, seed: int | None = None) -> None:
        self.out, self._folder = out, out / ".grading"
        self._lock: IO[str] | None = None
        self.secret = "" if seed is None else f"seed {seed}"
        try:
            (self._folder / "results").mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
        except OSError as error:
            raise FileError(f"{out} cannot be written ({error.strerror}). Choose another folder with --out.") from error

    def __enter__(self) -> ResultStore:
        self._lock = (self._folder / "lock").open("w")
        try:
            import fcntl

            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - Windows has no fcntl
            pass
        except BlockingIOError as error:
            self._lock.close()
            raise FileError(
                f"another run is writing grades to {self.out} at this moment. Wait for it, or choose another --out."
            ) from error
        except OSError:  # a file system without locks
            pass
        self.secret = self.secret or self._read_or_create_secret()  # under the lock: two runs would make two
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def load(self, submission: Submission, limits: ResourceLimits) -> SubmissionResult | None:
        """Return the result of a submission; None if it was not graded with this secret, or ended by other limits.

        What is remarked about the notebook as it was read comes from the submission: other submissions may have come or
        gone since.
        """
        try:
            found = json.loads(self._path_of(submission).read_text(encoding="utf-8"))
            result = SubmissionResult.from_dict(found)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if result.status not in NEVER_BY_A_LIMIT and found.get("limits") != asdict(limits):
            return None
        return replace(result, remarks=(*submission.remarks, *_remarks_of_run(result, submission)))

    def save(self, submission: Submission, result: SubmissionResult, limits: ResourceLimits) -> None:
        """Write a result atomically."""
        kept = replace(result, remarks=_remarks_of_run(result, submission))
        found = {**kept.as_dict(), "limits": asdict(limits)}
        text = json.dumps(found, ensure_ascii=False, sort_keys=True)
        write_atomically(self._path_of(submission), text.encode("utf-8", "replace"))

    def _path_of(self, submission: Submission) -> Path:
        name = hashlib.sha256(f"{self.secret}\0{submission.key}".encode()).hexdigest()[:40]
        return self._folder / "results" / f"{name}.json"

    def _read_or_create_secret(self) -> str:
        """The secret of this folder; created at random on first use."""
        path = self._folder / "secret"
        if not path.exists() or not path.stat().st_size:  # an empty one would be known to everybody
            write_atomically(path, secrets.token_hex(32).encode())
            os.chmod(path, 0o600)  # noqa: PTH101
        return path.read_text(encoding="utf-8", errors="replace")


def _remarks_of_run(result: SubmissionResult, submission: Submission) -> tuple[str, ...]:
    """The remarks of a result that are not those of the notebook as it was read."""
    return tuple(remark for remark in result.remarks if remark not in submission.remarks)
