"""Notebook cells by the code that ran: a cell's id, its execution count and a hash of its source."""

from __future__ import annotations

import linecache
import zlib
from typing import Any

__all__ = ["CellRegistry", "source_hash"]


def source_hash(text: str) -> str:
    """CRC-32 of a cell's UTF-8 source without trailing newlines, as the front end computes it too.

    Examples
    --------
    >>> from autodiff_kit.lab.kernel.cells import source_hash
    >>> source_hash("x = 1")
    '475ba176'
    """
    return f"{zlib.crc32(text.rstrip(chr(10)).encode('utf-8', 'replace')):08x}"


class CellRegistry:
    """Ids, execution counts and sources of the cells that ran, found by the file name of their code.

    IPython gives each cell's code a file name made from its text, and counts the cells that ran. A front end knows its
    cells by ids, which come with the request to run them.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell, optional
        Without a shell, code is identified by its file.
    """

    def __init__(self, shell: Any = None) -> None:
        self.shell = shell
        self._ids: dict[str, str] = {}

    def record_run(self, source: Any, cell_id: Any) -> None:
        """Record the id of the cell with this source; of two cells with equal source, the last one that ran."""
        name = getattr(getattr(self.shell, "compile", None), "get_code_name", None)
        if name is not None and isinstance(source, str) and isinstance(cell_id, str):
            self._ids[name(source, source, 0)] = cell_id

    def execution_count(self, file: str) -> int | None:
        """The execution count of the cell's last run; None for a file."""
        numbers = getattr(getattr(self.shell, "compile", None), "_filename_map", {})
        found = numbers.get(file)
        return found if isinstance(found, int) else None

    def cell_key(self, file: str) -> str | int:
        """A cell's key in messages: its id, or its execution count if the id is unknown; otherwise the file's name."""
        count = self.execution_count(file)
        return self._ids.get(file) or (file if count is None else count)

    def snapshot(self, file: str) -> dict[str, Any]:
        """Execution count and source hash of a cell at the time of its run."""
        count = self.execution_count(file)
        return {"count": count, "hash": source_hash(self._source(file, count))}

    def _source(self, file: str, count: int | None) -> str:
        history = getattr(getattr(self.shell, "history_manager", None), "input_hist_raw", [])
        if count is not None and count < len(history):
            return str(history[count])
        return "".join(linecache.getlines(file))
