"""The bytes of what was handed in: plain files and bundles of a sensible size, read without unpacking or following."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path
from typing import Final

__all__ = ["LARGEST", "Refused", "contents", "notebook_in"]

LARGEST: Final = 32 << 20
MOST_ENTRIES: Final = 1000


class Refused(Exception):  # noqa: N818 - a verdict on a file, caught where the file is read
    """What was handed in cannot be graded: the status, and the reason in a sentence."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def contents(path: Path) -> bytes:
    """The bytes of a plain file of a sensible size; links and devices are not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused("invalid", "It is not a plain file.")
            data = file.read(LARGEST + 1)
    except OSError as error:
        what = "It is a symbolic link." if path.is_symlink() else f"It cannot be read ({error.strerror})."
        raise Refused("invalid", what) from error
    if len(data) > LARGEST:
        raise Refused("invalid", f"It is larger than {LARGEST >> 20} MB. Clear the outputs and hand it in again.")
    if not data.strip():
        raise Refused("invalid", "It is empty.")
    return data


def notebook_in(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The notebook of a bundle, read straight from it: nothing is written, so no name in it can lead astray."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            entries = bundle.infolist()
            if len(entries) > MOST_ENTRIES:
                raise Refused("invalid", f"The bundle holds {len(entries)} files; it needs notebook.ipynb alone.")
            odd = [entry for entry in entries if _astray(entry)]
            return _entry(bundle, _only_notebook(entries)), _odd_names(odd)
    except Refused:
        raise
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, LookupError) as error:
        raise Refused("invalid", f"The bundle is damaged ({type(error).__name__}).") from error
    except Exception as error:  # zlib and lzma have errors of their own
        if type(error).__module__ not in ("zlib", "_lzma", "lzma"):
            raise
        raise Refused("invalid", "The bundle is damaged.") from error


def _odd_names(odd: list[zipfile.ZipInfo]) -> tuple[str, ...]:
    if not odd:
        return ()
    return (
        f"The bundle holds {len(odd)} links or names that lead out of it ({odd[0].filename[:80]!r}); not followed.",
    )


def _only_notebook(entries: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    named = [entry for entry in entries if entry.filename == "notebook.ipynb"]
    found = named or [entry for entry in entries if entry.filename.endswith(".ipynb") and not _astray(entry)]
    if len(found) != 1:
        raise Refused("invalid", f"The bundle holds {len(found)} notebooks; one is needed, notebook.ipynb.")
    if _is_link(found[0]):
        raise Refused("invalid", "The bundle's notebook is a symbolic link.")
    return found[0]


def _entry(bundle: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with bundle.open(entry) as file:
        data = file.read(LARGEST + 1)  # whatever size it claims
    if len(data) > LARGEST:
        raise Refused("invalid", f"The bundle's notebook is larger than {LARGEST >> 20} MB when unpacked.")
    return data


def _astray(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename.replace("\\", "/")
    return name.startswith("/") or ".." in name.split("/") or ":" in name[:3] or _is_link(entry)


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)
