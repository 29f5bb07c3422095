"""Error replies of the server: HTTP status, a code for the panel, a message, and what to do."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.progress_db import NewerProgressError
from autodiff_kit.lessons.workspace import WorkspaceError

FREE_SPACE: Final = "Free some space, then try again; no existing data is lost."
MAKE_WRITABLE: Final = "Make the folder writable, or start again with another one: autodiff-kit lab --dir FOLDER."


class RequestError(AutodiffError, RuntimeError):
    """A request that cannot be carried out.

    Parameters
    ----------
    status : int
        The HTTP status.
    code : str
        A short word that the panel recognizes.
    text, do : str
        The error, and what to do about it.
    **more : object
        Further facts for the response.
    """

    def __init__(self, status: int, code: str, text: str, do: str = "", **more: object) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.do, self.more = status, code, text, do, more

    def as_json(self) -> dict[str, object]:
        """Return the body of the response."""
        return {"error": {"code": self.code, "text": self.text, "do": self.do}, "message": self.text, **self.more}


# The first entry whose numbers include the error's number is used.
_OS_ERRORS: Final = (
    ((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), 507, "disk_full", FREE_SPACE),
    ((errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST), 403, "unwritable", MAKE_WRITABLE),
    ((errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ), 400, "bad_path", "Use a shorter, plainer name."),
    ((errno.ELOOP,), 403, "outside", "Remove the link."),
    ((errno.ENOENT, errno.ENOTDIR, errno.EISDIR), 404, "no_file", "Check whether the file still exists."),
)
_SQLITE_ERRORS: Final = (
    (("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"), 507, "disk_full", FREE_SPACE),  # the second: no room for the shared index
    (("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"), 423, "locked", "Wait a moment, then try again."),
    (("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR"), 403, "unwritable", MAKE_WRITABLE),
)


def as_request_error(error: BaseException) -> RequestError | None:
    """Convert an error of the system, of SQLite or of the kit to a reply; None for a bug of the kit."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, NewerProgressError):
        return RequestError(409, "newer_kit", f"Progress cannot be written: {error}.", "Update autodiff-kit.")
    if isinstance(error, WorkspaceError):
        return _from_workspace_error(error)
    if isinstance(error, sqlite3.Error):
        return _from_sqlite_error(error)
    return _from_os_error(error, "The file could not be read or written") if isinstance(error, OSError) else None


def _from_workspace_error(error: WorkspaceError) -> RequestError:
    cause = error.__cause__
    known = _from_os_error(cause, "") if isinstance(cause, OSError) else None
    if known is not None:
        return RequestError(known.status, known.code, str(error), known.do)
    # The text of these errors already says what to do.
    return RequestError(409, "folder", str(error), "Do that, then try again.")


def _from_os_error(error: OSError, what: str) -> RequestError | None:
    for numbers, status, code, do in _OS_ERRORS:
        if error.errno in numbers:
            return RequestError(status, code, f"{what} ({error.strerror}).", do)
    return None


def _from_sqlite_error(error: sqlite3.Error) -> RequestError | None:
    name = getattr(error, "sqlite_errorname", "") or ""
    for names, status, code, do in _SQLITE_ERRORS:
        if name.startswith(names):
            return RequestError(status, code, f"Progress cannot be written ({error}).", do)
    return None
