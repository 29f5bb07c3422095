"""Named arrays in ``.npz`` files: replaced atomically, read without pickled code.

Modules and optimizers save their state in such files.
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

__all__ = ["read_arrays", "write_arrays"]

Array = np.ndarray[Any, Any]

_READ_ERRORS = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, OverflowError, SyntaxError, TypeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Errors that zipfile and NumPy raise for damaged files."""


def write_arrays(path: Any, entries: dict[str, Array]) -> None:
    """Write arrays to a file; an existing file is replaced once the new one is complete.

    Raises
    ------
    FileError
        If the file cannot be written.
    DtypeError
        If the path is not a path.
    """
    target = _as_path(path)
    try:
        _replace_file(target.resolve(), entries)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot save to {str(target)!r}: {error}") from error


def read_arrays(path: Any, saver: str) -> dict[str, Array]:
    """Read all arrays of a file; ``saver`` names the expected writer in error messages.

    Raises
    ------
    FileError
        If the file is missing, damaged, or contains objects that are not arrays.
    DtypeError
        If the path is not a path.
    """
    source = _as_path(path)
    try:
        with zipfile.ZipFile(source) as archive:
            return {name.removesuffix(".npy"): _parse_array(archive.read(name)) for name in archive.namelist()}
    except FileNotFoundError as error:
        raise FileError(f"there is no file {str(source)!r}") from error
    except _READ_ERRORS as error:
        raise FileError(f"{str(source)!r} is damaged, or is not the file of a saved {saver}: {error}") from error


def _as_path(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError as error:
        raise DtypeError(f"a path must be a string or a pathlib.Path, got {type(path).__name__}") from error


def _replace_file(target: Path, entries: dict[str, Array]) -> None:
    """Write a temporary file and rename it to the target, so that readers never see a partial file."""
    part = target.with_name(f".{target.name}.{uuid4().hex[:8]}.part")
    try:
        with part.open("xb") as file:
            _write_npz(file, entries)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _write_npz(file: Any, entries: dict[str, Array]) -> None:
    """Write entries like ``np.savez``, which does not accept an entry named ``file``."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in entries.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)


def _parse_array(data: bytes) -> Array:
    array: Array = np.lib.format.read_array(BytesIO(data), allow_pickle=False)
    return array
