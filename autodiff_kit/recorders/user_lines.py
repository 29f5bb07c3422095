"""The user's line of a call that came through a library: the innermost frame outside of libraries and of the kit."""

from __future__ import annotations

import inspect
import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

from autodiff_kit.core.source_location import SourceLocation, is_kit_file

__all__ = ["callers_of", "calling_frame", "is_users_file", "variables_of"]

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


def variables_of(frame: Any) -> dict[str, Any]:
    """The variables that a frame sees, local ones first.

    Until Python 3.13, asking a frame for its variables leaves a dict in it that holds them all, also those that the
    function deletes later. It is emptied again, unless the user has it, by a call of ``locals()``.
    """
    held = frame.f_locals
    found = {**held, **{name: value for name, value in frame.f_globals.items() if name not in held}}
    snapshot = sys.version_info < (3, 13) and getattr(frame, "f_code", None) is not None
    if (
        snapshot
        and getattr(frame.f_code, "co_flags", 0) & inspect.CO_OPTIMIZED
        and sys.getrefcount(held) <= _OWN_REFERENCES
    ):
        held.clear()
    return found


_OWN_REFERENCES = 3  # of the frame, of a variable, and of the call that counts them
