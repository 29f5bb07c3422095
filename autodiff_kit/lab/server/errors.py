"""What can go wrong with a request, as a status, a code for the panel, a sentence, and what to do about it."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.progress_db import NewerProgressError
from autodiff_kit.lessons.workspace import WorkspaceError

SPACE: Final = "Free some space, then try again; nothing that was there is lost."
RIGHTS: Final = "Make the folder writable, or start again with another one: autodiff-kit lab --dir FOLDER."


class RequestError(AutodiffError, RuntimeError):
    """A request that cannot be answered as it was meant.

    Parameters
    ----------
    status : int
        The HTTP status.
    code : str
        A short word that the panel recognises.
    text, do : str
        What happened, and what to do about it.
    **more : object
        Further facts that the answer carries.
    """

    def __init__(self, status: int, code: str, text: str, do: str = "", **more: object) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.do, self.more = status, code, text, do, more

    def as_json(self) -> dict[str, object]:
        """Return the body of the answer."""
        return {"error": {"code": self.code, "text": self.text, "do": self.do}, "message": self.text, **self.more}


# The first entry whose numbers hold the error's own.
_SYSTEM: Final = (
    ((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), 507, "disk_full", SPACE),
    ((errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST), 403, "unwritable", RIGHTS),
    ((errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ), 400, "bad_path", "Use a shorter, plainer name."),
    ((errno.ELOOP,), 403, "outside", "Remove the link."),
    ((errno.ENOENT, errno.ENOTDIR, errno.EISDIR), 404, "no_file", "Look whether the file is still there."),
)
_SQLITE: Final = (
    (("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"), 507, "disk_full", SPACE),  # the second: no room for the shared index
    (("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"), 423, "locked", "Wait a moment, then try again."),
    (("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR"), 403, "unwritable", RIGHTS),
)


def as_request_error(error: BaseException) -> RequestError | None:
    """Return what an error of the system, of SQLite or of the kit means for a learner; None for a fault of ours."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, NewerProgressError):
        return RequestError(409, "newer_kit", f"Progress cannot be written: {error}.", "Update autodiff-kit.")
    if isinstance(error, WorkspaceError):
        return _of_folder(error)
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error)
    return _of_system(error, "The file could not be read or written") if isinstance(error, OSError) else None


def _of_folder(error: WorkspaceError) -> RequestError:
    cause = error.__cause__
    known = _of_system(cause, "") if isinstance(cause, OSError) else None
    if known is not None:
        return RequestError(known.status, known.code, str(error), known.do)
    # The text of these says itself what to do.
    return RequestError(409, "folder", str(error), "Do that, then try again.")


def _of_system(error: OSError, what: str) -> RequestError | None:
    for numbers, status, code, do in _SYSTEM:
        if error.errno in numbers:
            return RequestError(status, code, f"{what} ({error.strerror}).", do)
    return None


def _of_sqlite(error: sqlite3.Error) -> RequestError | None:
    name = getattr(error, "sqlite_errorname", "") or ""
    for names, status, code, do in _SQLITE:
        if name.startswith(names):
            return RequestError(status, code, f"Progress cannot be written ({error}).", do)
    return None
