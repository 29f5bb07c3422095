"""Reading submitted files safely: size limits, no symbolic links or devices, zip bundles without unpacking."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from .outside_text import clean_text

__all__ = [
    "MAX_FILE_BYTES",
    "RejectedSubmission",
    "has_suffix",
    "hash_of_modules",
    "is_ignored_file",
    "is_ignored_folder",
    "modules_beside",
    "notebook_from_zip",
    "read_file_bytes",
    "read_short_text",
]

MAX_FILE_BYTES: Final = 32 << 20
MAX_ENTRIES: Final = 1000
MAX_MODULES: Final = 20
MAX_MODULE_BYTES: Final = 100_000
ENTRY_MARK: Final = b"PK\1\2"  # begins each line of a zip file's list


class RejectedSubmission(Exception):  # noqa: N818 - caught where the file is read
    """The file cannot be graded: the status of the submission, and the reason in a sentence."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def has_suffix(name: str, *suffixes: str) -> bool:
    """Whether a file's name ends in one of these suffixes, in small letters or capitals."""
    return name.lower().endswith(suffixes)


def is_ignored_folder(name: str) -> bool:
    """Whether a folder is none of the learner's own: a hidden one, or what macOS adds to an archive."""
    return name.startswith(".") or name == "__MACOSX"


def is_ignored_file(name: str) -> bool:
    """Whether a file holds what macOS knows of another one, under that file's name."""
    return name.startswith("._")


def read_file_bytes(path: Path) -> bytes:
    """The bytes of a regular file below the size limit; symbolic links and devices are rejected."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RejectedSubmission("invalid", "It is not a regular file.")
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        what = "It is a symbolic link." if path.is_symlink() else f"It cannot be read ({error.strerror})."
        raise RejectedSubmission("invalid", what) from error
    if len(data) > MAX_FILE_BYTES:
        raise RejectedSubmission(
            "invalid", f"It is larger than {MAX_FILE_BYTES >> 20} MB. Clear the outputs and hand it in again."
        )
    if not data.strip():
        raise RejectedSubmission("invalid", "It is empty.")
    return data


def read_short_text(path: Path, most: int) -> str:
    """The beginning of a regular file as text; empty if there is none. It waits for no pipe and follows no link."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(most).decode("utf-8", "replace") if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else ""
    except OSError:
        return ""


def modules_beside(path: Path) -> tuple[tuple[str, str], ...]:
    """Name and text of the Python files in a notebook's folder, as many as somebody writes for an exercise."""
    try:
        with os.scandir(path.parent) as folder:
            names = sorted(entry.name for entry in islice(folder, MAX_ENTRIES))
    except OSError:
        return ()
    modules = [name for name in names if name.endswith(".py") and name[:-3].isidentifier()][:MAX_MODULES]
    return tuple((name, read_short_text(path.parent / name, MAX_MODULE_BYTES)) for name in modules)


def hash_of_modules(modules: Sequence[tuple[str, str]]) -> str:
    """SHA-256 over names and texts; empty where there are none."""
    return hashlib.sha256(json.dumps(modules).encode("utf-8", "surrogatepass")).hexdigest() if modules else ""


def notebook_from_zip(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The notebook of a zip bundle, with remarks. Nothing is unpacked, so entry names are never used as paths."""
    count = data.count(ENTRY_MARK)  # reading a list of half a million takes seconds
    if count > MAX_ENTRIES:
        raise RejectedSubmission("invalid", f"The bundle holds {count} files; it must contain only notebook.ipynb.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            entries = bundle.infolist()
            odd = [entry for entry in entries if _leads_outside(entry)]
            return _read_entry(bundle, _only_notebook(entries)), _remark_on_names(odd)
    except RejectedSubmission:
        raise
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, LookupError) as error:
        raise RejectedSubmission("invalid", f"The bundle is damaged ({type(error).__name__}).") from error
    except Exception as error:  # zlib and lzma raise their own exceptions
        if type(error).__module__ not in ("zlib", "_lzma", "lzma"):
            raise
        raise RejectedSubmission("invalid", "The bundle is damaged.") from error


def _remark_on_names(odd: list[zipfile.ZipInfo]) -> tuple[str, ...]:
    if not odd:
        return ()
    first = clean_text(odd[0].filename, 80)
    return (f"The bundle holds {len(odd)} links or names that point outside of it ({first}); ignored.",)


def _only_notebook(entries: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    named = [entry for entry in entries if entry.filename == "notebook.ipynb"]
    found = named or [entry for entry in entries if _may_be_the_notebook(entry)]
    if len(found) != 1:
        raise RejectedSubmission(
            "invalid",
            f"The bundle holds {len(found)} notebooks; it must contain one, notebook.ipynb. If it is a platform's "
            "archive of all submissions, unpack it and give the folder.",
        )
    if _is_link(found[0]):
        raise RejectedSubmission("invalid", "The bundle's notebook is a symbolic link.")
    return found[0]


def _may_be_the_notebook(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)  # without the parts that are a single point
    ignored = is_ignored_file(path.name) or any(map(is_ignored_folder, path.parts[:-1]))
    return has_suffix(entry.filename, ".ipynb") and not ignored and not _leads_outside(entry)


def _read_entry(bundle: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with bundle.open(entry) as file:
        data = file.read(MAX_FILE_BYTES + 1)  # the size in the header may be wrong
    if len(data) > MAX_FILE_BYTES:
        raise RejectedSubmission(
            "invalid", f"The bundle's notebook is larger than {MAX_FILE_BYTES >> 20} MB when unpacked."
        )
    return data


def _leads_outside(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename.replace("\\", "/")
    return name.startswith("/") or ".." in name.split("/") or ":" in name[:3] or _is_link(entry)


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)
