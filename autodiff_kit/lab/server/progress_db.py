"""The server's access to the progress file: opened for each request, with an error if it cannot be written.

A kernel that cannot write continues in memory and says so once. A server runs for days and serves several pages, so it
does not: it answers a failed change with an error, and the page keeps the change.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from autodiff_kit.lab.server.errors import as_request_error
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.progress_db import ProgressDatabase
from autodiff_kit.lessons.workspace import KIT_FOLDER

T = TypeVar("T")

PROGRESS_FILE: Final = f"{KIT_FOLDER}/progress.db"


class WriteRefusedError(Exception):
    """The disk refused a change; ``__cause__`` is the reason."""


class DiskStore(ProgressDatabase):
    """A store for changes: each reaches the disk or raises."""

    def _fall_back_to_memory(self, error: Exception) -> None:
        raise WriteRefusedError from error


class ReadingStore(ProgressDatabase):
    """A store for reading: falls back to memory if the file cannot be written; raises if it is locked."""

    def _fall_back_to_memory(self, error: Exception) -> None:
        told = as_request_error(error)
        if told is not None and told.code in ("locked", "newer_kit"):
            raise WriteRefusedError from error
        self._open_memory()


def write_progress_db(folder: WorkingFolder, work: Callable[[Progress], T]) -> T:
    """Change the progress of a working folder.

    Raises
    ------
    RequestError
        If the disk is full, the folder cannot be written, or another process writes for too long.
    """
    found = Progress(folder.root)
    found.store = DiskStore(folder.own_path(PROGRESS_FILE))
    return _translate_refusal(lambda: work(found))


def read_progress_db(folder: WorkingFolder, work: Callable[[sqlite3.Connection], T]) -> tuple[T, bool]:
    """Read the progress of a working folder; also return whether changes to it would be saved.

    Reading creates no file: without a working folder the result is that of a learner who has not begun.
    """
    if not folder.exists:
        return ProgressDatabase(None).run(work), True
    store = ReadingStore(folder.own_path(PROGRESS_FILE))
    return _translate_refusal(lambda: store.run(work)), not store.in_memory


def _translate_refusal(work: Callable[[], T]) -> T:
    try:
        return work()
    except WriteRefusedError as refused:
        cause = refused.__cause__
        assert cause is not None
        raise as_request_error(cause) or cause from cause


def notices(folder: WorkingFolder, *, saved: bool) -> list[dict[str, Any]]:
    """Return notices about the progress file: that it cannot be written, or that a damaged one was renamed."""
    said = []
    if not saved:
        said.append(
            _notice_json(
                "not_saved",
                f"Progress cannot be written to {PROGRESS_FILE}.",
                "Make the folder writable, or free some space.",
            )
        )
    for path in damaged_files(folder)[-1:]:
        text = (
            f"The progress file was damaged; it is kept as {KIT_FOLDER}/{path.name}. Its readable rows, your "
            "notebooks and the newest backup were used to recover your progress."
        )
        said.append(_notice_json("damaged", text, "Check whether anything is missing; then you may delete that file."))
    return said


def damaged_files(folder: WorkingFolder) -> list[Path]:
    """Return the progress files that were renamed as damaged, the oldest first."""
    return sorted((folder.root / KIT_FOLDER).glob("progress.damaged-*.db")) if folder.exists else []


def _notice_json(code: str, text: str, do: str) -> dict[str, Any]:
    return {"code": code, "text": text, "do": do}
