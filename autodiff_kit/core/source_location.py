"""Lines of the user's code in which operations ran, computed on demand."""

from __future__ import annotations

import linecache
import os
import sys
from bisect import bisect_right
from functools import cache, lru_cache
from typing import Any, NamedTuple

__all__ = [
    "UNKNOWN_LOCATION",
    "SourceLocation",
    "cells_in_order",
    "display_name",
    "is_kit_file",
    "is_library_module",
    "location_of",
    "own_frame",
    "user_frame",
]


_HOME = __file__.rpartition("core")[0]
# These modules use the kit as a user does, so their lines count as user code.
_USER_CODE = tuple(f"{_HOME}{part}{os.sep}" for part in ("widgets", "exercises", "lessons", "lab"))
# Every recorded operation asks whether a file belongs to the kit.
is_kit_file = cache(lambda filename: filename.startswith(_HOME) and not filename.startswith(_USER_CODE))


def user_frame(frame: Any) -> Any:
    """The innermost frame outside of the kit, at or above ``frame``."""
    while is_kit_file(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def own_frame(frame: Any) -> Any:
    """The innermost frame of the user's own code at or above ``frame``: no library's, which converts what it is given.

    Where all code is a library's, the innermost outside of the kit.
    """
    own = first = user_frame(frame)
    while own is not None and (is_kit_file(own.f_code.co_filename) or _is_library_space(own.f_globals.get("__name__"))):
        own = own.f_back
    return first if own is None else own


def _is_library_space(module: Any) -> bool:
    return is_library_module(module) and not str(module).startswith("autodiff_kit.")


@cache
def is_library_module(module: Any) -> bool:
    """Whether a module belongs to this package, the standard library or an installed package."""
    first = str(module).partition(".")[0]
    if first == "__main__":
        return False
    place = getattr(sys.modules.get(first), "__file__", None) or ""
    installed = "site-packages" in place or "dist-packages" in place
    return installed or first in sys.stdlib_module_names or first in ("autodiff_kit", "numpy")


class SourceLocation(NamedTuple):
    """A line of the user's code.

    Attributes
    ----------
    cell : str
        The file, or the name that IPython gives a cell's code.
    line : int
        Counted from 1; 0 if unknown.
    code : str
        Name of the function, ``<module>`` outside of one.
    """

    cell: str
    line: int
    code: str

    @property
    def text(self) -> str:
        """The source line without its indentation; empty if it cannot be found."""
        return linecache.getline(self.cell, self.line).strip() if self.line else ""

    def __str__(self) -> str:
        return f"{display_name(self.cell)}, line {self.line}" if self.line else "an unknown place"


UNKNOWN_LOCATION = SourceLocation("", 0, "")


def location_of(code: Any, lasti: int) -> SourceLocation:
    """The line of an instruction of a code object; a record saves only these two, because that is fast."""
    if code is None:
        return UNKNOWN_LOCATION
    starts, lines = _lines(code)
    return SourceLocation(code.co_filename, lines[bisect_right(starts, lasti) - 1], code.co_name)


@lru_cache(maxsize=256)
def _lines(code: Any) -> tuple[list[int], list[int]]:
    """Where each run of instructions of a code object begins, and its line."""
    runs = [(start, line or code.co_firstlineno) for start, _, line in code.co_lines()]
    return [start for start, _ in runs], [line for _, line in runs]


def display_name(cell: str) -> str:
    """The name of a file for a reader: the file's name, or in a notebook the cell's number."""
    from pathlib import Path  # slow to import, and rarely needed

    number = _cell_numbers().get(cell)
    return f"cell [{number}]" if number is not None else Path(cell).name


def _cell_numbers() -> dict[str, int]:
    ipython = sys.modules.get("IPython")  # without it there are no cells
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(getattr(shell, "compile", None), "_filename_map", {})


def cells_in_order(cell: str) -> list[str]:
    """A notebook's cells in the order in which they ran; for a file, the file alone."""
    numbers = _cell_numbers()
    return sorted(numbers, key=lambda name: numbers[name]) if cell in numbers else [cell]
