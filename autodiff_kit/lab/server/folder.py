"""Paths of the learner's working folder, checked so that no request can reach files outside of it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lessons.workspace import KIT_FOLDER

MAX_BYTES: Final = 10_000_000
MAX_NAME_BYTES: Final = 255
MAX_PATH_BYTES: Final = 4096


@dataclass(frozen=True)
class WorkingFolder:
    """The learner's working folder, and the folder that the server shows.

    Parameters
    ----------
    root : Path
        The working folder, links resolved.
    server_root : Path
        The folder that the server shows, links resolved; paths in requests are relative to it.
    """

    root: Path
    server_root: Path

    @property
    def exists(self) -> bool:
        """Whether the working folder already exists."""
        return (self.root / KIT_FOLDER).is_dir()

    def server_path(self, relative: str) -> str:
        """Return the path of a file of the working folder as in JupyterLab, relative to the server's folder.

        Raises
        ------
        RequestError
            If the server does not show the working folder.
        """
        target = self.root / relative
        if not target.is_relative_to(self.server_root):
            raise RequestError(
                403,
                "outside",
                f"The working folder {self.root} is not inside {self.server_root}, the folder that this server shows.",
                f"Start it with: autodiff-kit lab --dir {self.root}",
            )
        return target.relative_to(self.server_root).as_posix()

    def own_path(self, relative: str) -> Path:
        """Return the path of a file in the working folder; raise for links that lead out of it.

        Raises
        ------
        RequestError
            If the path is such a link; nothing is read or written there.
        """
        path = self.root / relative
        if not path.resolve().is_relative_to(self.root):
            raise RequestError(
                403, "outside", f"{relative} is a link to a place outside of the working folder.", "Remove the link."
            )
        return path

    def requested_file(self, path: object) -> Path:
        """Return the file that a request names, links resolved.

        Parameters
        ----------
        path : object
            The path in the request.

        Raises
        ------
        RequestError
            If it is not a path, or leads out of the working folder, or into the kit's own files.
        """
        name = _valid_relative_path(path)
        try:
            found = (self.server_root / name).resolve()
        except (OSError, RuntimeError, ValueError):
            raise RequestError(400, "bad_path", "The path cannot be resolved.", "Open the notebook again.") from None
        if not found.is_relative_to(self.root) or KIT_FOLDER in found.relative_to(self.root).parts:
            raise _outside_error(name)
        return found


def find_working_folder(server_root: Path) -> WorkingFolder:
    """Return the working folder for the folder that a server shows; nothing is created."""
    server_root = server_root.resolve()
    named = os.environ.get("AUTODIFF_KIT_DIR", "").strip()
    if named:
        return WorkingFolder(Path(named).expanduser().resolve(), server_root)
    known = next((folder for folder in (server_root, *server_root.parents) if (folder / KIT_FOLDER).is_dir()), None)
    return WorkingFolder((known or server_root / "work").resolve(), server_root)


def read_file(path: Path) -> bytes:
    """Read a file of the learner completely.

    Raises
    ------
    RequestError
        If there is none, if it is not a regular file, or if it is over 10 MB.
    OSError
        If it cannot be read.
    """
    # No link is followed here, as it may have come after the check; a pipe would keep the thread waiting.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)  # a file object would not close that of a folder
        raise RequestError(404, "no_file", f"{path.name} is not a regular file.", "Choose a notebook.")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RequestError(413, "too_large", f"{path.name} is over 10 MB.", "Clear its outputs, save, and try again.")
    return data


def _valid_relative_path(path: object) -> str:
    """Return a path if it is a relative one with valid names; otherwise raise."""
    if not isinstance(path, str) or not path or "\0" in path:
        raise RequestError(400, "bad_path", "The path must be a file name as a string.", "Open the notebook again.")
    long = len(os.fsencode(path)) > MAX_PATH_BYTES if _encodable(path) else True
    parts = PurePosixPath(path).parts
    if long or any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        raise RequestError(400, "bad_path", "The path is too long, or has invalid characters.", "Use a shorter name.")
    windows = PureWindowsPath(path)
    if path.startswith(("/", "\\", "~")) or windows.drive or ".." in windows.parts:
        raise _outside_error(path)
    return path


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def _outside_error(path: str) -> RequestError:
    return RequestError(
        403, "outside", f"{path[:80]!r} is not in the working folder.", "Open a notebook of the working folder."
    )
