"""Files: atomic writes, unused names, and damaged files that are renamed instead of deleted."""

from __future__ import annotations

import hashlib
import secrets
import stat
from pathlib import Path

from autodiff_kit.lessons.timestamps import timestamp_for_file_name

__all__ = ["rename_as_damaged", "sha256", "unused_path", "write_atomically"]


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees either the old contents or the new ones, never a part.

    Parameters
    ----------
    path : Path
        The file; missing parent folders are created.
    data : bytes
        The complete contents.

    Raises
    ------
    OSError
        If the folder cannot be written or the disk is full; the old file is then unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A part of the name: the draft's name may not be longer than a file's name may be. The draft is opened and not made
    # by tempfile, which makes files private: a learner's notebook gets the usual rights of a new file.
    draft = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.chmod(0o600 | stat.S_IMODE(draft.stat().st_mode))  # a browser's umask leaves no rights
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def unused_path(path: Path, word: str) -> Path:
    """Return an unused name next to ``path``: ``a.ipynb`` gives ``a.WORD-<time>.ipynb``.

    Parameters
    ----------
    path : Path
        The file from which the new name is derived.
    word : str
        The reason for the new name, such as ``damaged``.

    Returns
    -------
    Path
        A path in the same folder that does not exist yet.
    """
    when, count = timestamp_for_file_name(), 1
    found = path.with_name(f"{path.stem}.{word}-{when}{path.suffix}")
    while found.exists():
        count += 1
        found = path.with_name(f"{path.stem}.{word}-{when}-{count}{path.suffix}")
    return found


def rename_as_damaged(path: Path) -> Path:
    """Rename a damaged file, so that its contents are kept, and return its new path."""
    aside = unused_path(path, "damaged")
    path.rename(aside)
    return aside
