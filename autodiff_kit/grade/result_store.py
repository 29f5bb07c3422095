"""The folder that a batch is graded into: its secret, and each result as soon as it is there."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import IO

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically

from .results import Result
from .submission import Submission

__all__ = ["Store"]


class Store:
    """Results of a batch that outlive a kill; a context that no second grader can enter.

    Parameters
    ----------
    out : Path
        The folder; made if it is not there.
    seed : int, optional
        Takes the place of the secret, so that draws can be repeated elsewhere.

    Raises
    ------
    FileError
        If the folder cannot be written.
    """

    def __init__(self, out: Path, seed: int | None = None) -> None:
        self.out, self._home = out, out / ".grading"
        self._lock: IO[str] | None = None
        try:
            (self._home / "results").mkdir(parents=True, exist_ok=True)
            self._home.chmod(0o700)
            self.secret = self._drawn() if seed is None else f"seed {seed}"
        except OSError as error:
            raise FileError(f"{out} cannot be written ({error.strerror}). Name another folder with --out.") from error

    def __enter__(self) -> Store:
        self._lock = (self._home / "lock").open("w")
        try:
            import fcntl

            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - Windows has no such locks
            pass
        except OSError as error:
            self._lock.close()
            raise FileError(
                f"{self.out} is being graded into at this moment. Wait for it, or name another --out."
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def found(self, submission: Submission) -> Result | None:
        """The result of a submission, if it has been graded with this secret before."""
        try:
            return Result.from_dict(json.loads(self._place(submission).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, submission: Submission, result: Result) -> None:
        """Write a result, whole or not at all."""
        text = json.dumps(result.as_dict(), ensure_ascii=False, sort_keys=True)
        write_atomically(self._place(submission), text.encode("utf-8", "replace"))

    def _place(self, submission: Submission) -> Path:
        name = hashlib.sha256(f"{self.secret}\0{submission.key}".encode()).hexdigest()[:40]
        return self._home / "results" / f"{name}.json"

    def _drawn(self) -> str:
        """The secret of this folder, drawn once."""
        place = self._home / "secret"
        if not place.exists():
            write_atomically(place, secrets.token_hex(32).encode())
            os.chmod(place, 0o600)  # noqa: PTH101
        return place.read_text(encoding="utf-8")
