"""The learner's working folder as a server sees it, and the rule that no request leaves it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lessons.workspace import KIT_FOLDER

MOST_BYTES: Final = 10_000_000
LONGEST_NAME: Final = 255
LONGEST_PATH: Final = 4096


@dataclass(frozen=True)
class Folder:
    """Where the learner's files are.

    Parameters
    ----------
    root : Path
        The working folder, links resolved.
    shown : Path
        The folder that the server shows, links resolved; paths of requests begin there.
    """

    root: Path
    shown: Path

    @property
    def begun(self) -> bool:
        """Whether there is a working folder yet."""
        return (self.root / KIT_FOLDER).is_dir()

    def path(self, relative: str) -> str:
        """Return what JupyterLab calls a file of the working folder.

        Raises
        ------
        RequestError
            If the server does not show the working folder.
        """
        target = self.root / relative
        if not target.is_relative_to(self.shown):
            raise RequestError(
                403,
                "outside",
                f"The working folder {self.root} is not inside {self.shown}, which is what this server shows.",
                f"Start it with: autodiff-kit lab --dir {self.root}",
            )
        return target.relative_to(self.shown).as_posix()

    def own(self, relative: str) -> Path:
        """Return a path of the working folder that no link may lead out of it.

        Raises
        ------
        RequestError
            If one does; nothing is read or written there.
        """
        path = self.root / relative
        if not path.resolve().is_relative_to(self.root):
            raise RequestError(
                403, "outside", f"{relative} is a link that leads out of the working folder.", "Remove the link."
            )
        return path

    def inside(self, path: object) -> Path:
        """Return the file that a request names, links resolved.

        Parameters
        ----------
        path : object
            As the request gave it.

        Raises
        ------
        RequestError
            If it is no path, or leads out of the working folder, or into what the kit keeps for itself.
        """
        name = _plain(path)
        try:
            found = (self.shown / name).resolve()
        except (OSError, RuntimeError, ValueError):
            raise RequestError(400, "bad_path", "The path cannot be followed.", "Open the notebook again.") from None
        if not found.is_relative_to(self.root) or KIT_FOLDER in found.relative_to(self.root).parts:
            raise _outside(name)
        return found


def working_folder(shown: Path) -> Folder:
    """Return the working folder that belongs to the folder that a server shows; nothing is made."""
    shown = shown.resolve()
    named = os.environ.get("AUTODIFF_KIT_DIR", "").strip()
    if named:
        return Folder(Path(named).expanduser().resolve(), shown)
    known = next((folder for folder in (shown, *shown.parents) if (folder / KIT_FOLDER).is_dir()), None)
    return Folder((known or shown / "work").resolve(), shown)


def read_file(path: Path) -> bytes:
    """Read a file of the learner's whole.

    Raises
    ------
    RequestError
        If there is none, if it is no ordinary file, or if it is over 10 MB.
    OSError
        If it cannot be read.
    """
    # No link is followed here, as it may have come after the check; a pipe would keep the thread waiting.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise RequestError(404, "no_file", f"{path.name} is no ordinary file.", "Choose a notebook.")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RequestError(413, "too_large", f"{path.name} is over 10 MB.", "Clear its outputs, save, and try again.")
    return data


def _plain(path: object) -> str:
    """Return a path that is a relative one, of usable names."""
    if not isinstance(path, str) or not path or "\0" in path:
        raise RequestError(400, "bad_path", "The path must be a name of a file, as text.", "Open the notebook again.")
    long = len(os.fsencode(path)) > LONGEST_PATH if _encodable(path) else True
    parts = PurePosixPath(path).parts
    if long or any(len(os.fsencode(part)) > LONGEST_NAME for part in parts):
        raise RequestError(
            400, "bad_path", "The path is too long, or has letters no file can have.", "Use a shorter name."
        )
    windows = PureWindowsPath(path)
    if path.startswith(("/", "\\", "~")) or windows.drive or ".." in windows.parts:
        raise _outside(path)
    return path


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def _outside(path: str) -> RequestError:
    return RequestError(
        403, "outside", f"{path[:80]!r} is not in the working folder.", "Open a notebook of the working folder."
    )
