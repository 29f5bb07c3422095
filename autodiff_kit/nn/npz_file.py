"""Named arrays in one file: written complete or not at all, read in full or not at all, and nothing in it runs.

The files are NumPy's archives, ``.npz``. Modules and optimizers keep their state in them.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from autodiff_kit.errors import DtypeError, FileError

__all__ = ["read", "write"]

Array = np.ndarray[Any, Any]

_DAMAGE = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, OverflowError, SyntaxError, TypeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What zipfile and NumPy raise, each for its own kind of damage."""


def write(path: Any, entries: dict[str, Array]) -> None:
    """Put arrays into a file; what stood there before stays until the new one is complete.

    Raises
    ------
    FileError
        If the file cannot be written.
    DtypeError
        If the path is none.
    """
    target = _path(path)
    try:
        _replace(target.resolve(), entries)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot save to {str(target)!r}: {error}") from error


def read(path: Any, saver: str) -> dict[str, Array]:
    """All arrays of a file, checked before any is used; ``saver`` says in an error what should have written it.

    Raises
    ------
    FileError
        If the file is missing, damaged, or holds something else than arrays.
    DtypeError
        If the path is none.
    """
    source = _path(path)
    try:
        with zipfile.ZipFile(source) as archive:
            return {name.removesuffix(".npy"): _array(archive.read(name)) for name in archive.namelist()}
    except FileNotFoundError as error:
        raise FileError(f"there is no file {str(source)!r}") from error
    except _DAMAGE as error:
        raise FileError(f"{str(source)!r} is damaged, or no file of a saved {saver}: {error}") from error


def _path(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError as error:
        raise DtypeError(f"a path is text or a pathlib.Path, got a {type(path).__name__}") from error


def _replace(target: Path, entries: dict[str, Array]) -> None:
    """Write beside the target and move into its place, so that no reader ever sees half a file."""
    part = target.with_name(f".{target.name}.{uuid4().hex[:8]}.part")
    try:
        with part.open("xb") as file:
            _write(file, entries)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _write(file: Any, entries: dict[str, Array]) -> None:
    """As np.savez would, which cannot take an entry called ``file``."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in entries.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)


def _array(data: bytes) -> Array:
    array: Array = np.lib.format.read_array(BytesIO(data), allow_pickle=False)
    return array
