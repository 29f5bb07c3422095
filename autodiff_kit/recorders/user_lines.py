"""The user's line of a call that came through a library: the innermost frame outside of libraries and of the kit."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

from autodiff_kit.core.source_location import SourceLocation, is_kit_file

__all__ = ["callers_of", "calling_frame", "is_users_file"]

_MAX_CALLERS = 20
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@cache
def is_users_file(filename: str) -> bool:
    """Whether a file is the user's: a script, a cell or a package of their own, but no installed library."""
    if filename.startswith(("<frozen", "<string", "<eval_with", "<autodiff_kit", "<torch_package")):
        return False
    if is_kit_file(filename) or "site-packages" in filename or "dist-packages" in filename:
        return False
    return not any(Path(filename).is_relative_to(library) for library in _LIBRARIES)


def calling_frame(depth: int = 1) -> Any:
    """The innermost frame of the user's at or above the caller; without one, the outermost frame there is."""
    frame: Any = sys._getframe(depth + 1)
    while not is_users_file(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def callers_of(frame: Any) -> list[SourceLocation]:
    """The user's lines that are running, from a frame outwards."""
    found: list[SourceLocation] = []
    while frame is not None and len(found) < _MAX_CALLERS:
        if is_users_file(frame.f_code.co_filename):
            found.append(SourceLocation(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return found
