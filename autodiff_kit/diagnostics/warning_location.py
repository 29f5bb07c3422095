"""Where NumPy's floating-point warnings point: to the user's line, and not to the kit's line that called NumPy.

NumPy names the line that called it, which for ``ak.log(x)`` is one of the kit. Python hands a warning that is to be
shown to ``warnings.showwarning``, which a program may replace. Nothing runs, and nothing is slower, until then.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import is_kit_file

__all__ = ["point_warnings_at_user_code"]

_NUMPY = os.path.dirname(np.__file__) + os.sep  # noqa: PTH120 - pathlib is slow to import


def point_warnings_at_user_code() -> None:
    """Let RuntimeWarnings from inside the kit name the user's line. What showed warnings before still shows them."""
    show = warnings.showwarning
    if getattr(show, "__module__", "") == __name__:
        return

    def showwarning(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        if line is None and issubclass(category, RuntimeWarning) and _is_inside(filename):
            moved = _user_location(str(message), category, filename, lineno)
            if moved is None:
                return
            filename, lineno = moved
        show(message, category, filename, lineno, file, line)

    warnings.showwarning = showwarning


def _is_inside(filename: str) -> bool:
    """Whether a file is one of the kit's or of NumPy's, or code that the kit generated."""
    return is_kit_file(filename) or filename.startswith((_NUMPY, "<autodiff_kit "))


def _user_location(text: str, category: Any, filename: str, lineno: int) -> tuple[str, int] | None:
    """File and line of the user's code that a warning came from; None if it was shown for this line before."""
    frame: Any = sys._getframe(2)
    while frame is not None and (frame.f_code.co_filename != filename or frame.f_lineno != lineno):
        frame = frame.f_back
    raised, through_the_kit = frame, False
    while frame is not None and _is_inside(frame.f_code.co_filename):
        through_the_kit = through_the_kit or not frame.f_code.co_filename.startswith(_NUMPY)
        frame = frame.f_back
    if frame is None or not through_the_kit:
        return filename, lineno
    # Python shows a warning once for each line, and has just noted this for the kit's; it is to be the user's.
    if raised.f_globals.get("__warningregistry__", {}).pop((text, category, lineno), None):
        shown, key = frame.f_globals.setdefault("__warningregistry__", {}), (text, category, frame.f_lineno)
        if key in shown:
            return None
        shown[key] = True
    return frame.f_code.co_filename, frame.f_lineno
