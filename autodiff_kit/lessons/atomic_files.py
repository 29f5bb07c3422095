"""Small helpers for files that must never be half written and never be thrown away."""

from __future__ import annotations

import hashlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path


def stamp() -> str:
    """Return the present moment for use in a file's name, such as ``20261121-134501`` (UTC)."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def now() -> str:
    """Return the present moment as ISO 8601 text in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old contents or the new ones, never a part.

    Parameters
    ----------
    path : Path
        Where to write; missing parents are made.
    data : bytes
        The whole contents.

    Raises
    ------
    OSError
        If the folder cannot be written or the disk is full; the old file is then untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files private; a learner's notebook has the rights of any new file.
        Path(draft).chmod(0o666 & ~_umask())
        Path(draft).replace(path)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def free_name(path: Path, word: str) -> Path:
    """Return an unused name beside ``path``: ``a.ipynb`` gives ``a.WORD-<time>.ipynb``.

    Parameters
    ----------
    path : Path
        The file that the new name is derived from.
    word : str
        What happened to it, such as ``damaged``.

    Returns
    -------
    Path
        A path in the same folder at which nothing stands yet.
    """
    when, count = stamp(), 1
    found = path.with_name(f"{path.stem}.{word}-{when}{path.suffix}")
    while found.exists():
        count += 1
        found = path.with_name(f"{path.stem}.{word}-{when}-{count}{path.suffix}")
    return found


def put_aside(path: Path) -> Path:
    """Rename a damaged file, so that nothing of it is lost, and return its new path."""
    aside = free_name(path, "damaged")
    path.rename(aside)
    return aside
