"""Which cell of a notebook some code stands in, and what that cell's source was when it ran."""

from __future__ import annotations

import linecache
import zlib
from typing import Any

__all__ = ["CellRegistry", "source_hash"]


def source_hash(text: str) -> str:
    """A hash that is quick here and short in TypeScript: CRC-32 of the UTF-8 text without newlines at its end.

    Examples
    --------
    >>> from autodiff_kit.lab.kernel.cells import source_hash
    >>> source_hash("x = 1")
    '475ba176'
    """
    return f"{zlib.crc32(text.rstrip(chr(10)).encode('utf-8', 'replace')):08x}"


class CellRegistry:
    """Names of cells.

    IPython gives each cell's code a file name made from its text, and counts the cells that ran. A front end knows its
    cells by ids, which come with the request to run them.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell, optional
        Without one, code is known by its file.
    """

    def __init__(self, shell: Any = None) -> None:
        self.shell = shell
        self._ids: dict[str, str] = {}

    def record_run(self, source: Any, cell_id: Any) -> None:
        """Note the id of the cell with this source; of two cells with the same text it is the one that ran last."""
        name = getattr(getattr(self.shell, "compile", None), "get_code_name", None)
        if name is not None and isinstance(source, str) and isinstance(cell_id, str):
            self._ids[name(source, source, 0)] = cell_id

    def execution_count(self, file: str) -> int | None:
        """The number under which the cell last ran; None for a file."""
        numbers = getattr(getattr(self.shell, "compile", None), "_filename_map", {})
        found = numbers.get(file)
        return found if isinstance(found, int) else None

    def cell_key(self, file: str) -> str | int:
        """What messages call a cell: its id; its count if it ran before anybody listened; a file by its name."""
        count = self.execution_count(file)
        return self._ids.get(file) or (file if count is None else count)

    def snapshot(self, file: str) -> dict[str, Any]:
        """Count and source hash of a cell, as it was when it ran."""
        count = self.execution_count(file)
        return {"count": count, "hash": source_hash(self._source(file, count))}

    def _source(self, file: str, count: int | None) -> str:
        history = getattr(getattr(self.shell, "history_manager", None), "input_hist_raw", [])
        if count is not None and count < len(history):
            return str(history[count])
        return "".join(linecache.getlines(file))
