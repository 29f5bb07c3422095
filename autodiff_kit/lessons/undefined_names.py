"""What a NameError adds in a lesson: the cell that makes the name, where cells were run out of order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autodiff_kit.lessons.ipython_shell import ipython_shell
from autodiff_kit.lessons.notebook_file import cell_source, read_notebook
from autodiff_kit.lessons.translation import translate
from autodiff_kit.lessons.workspace import originals_folder

__all__ = ["explain_undefined_names", "making_cell_hint", "show_with_hint"]

HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class CodeCell:
    """A code cell of an original notebook: its id and source, the heading above it, and the names that it makes."""

    id: str
    source: str
    heading: str
    makes: frozenset[str]


def explain_undefined_names(folder: str, slug: str) -> None:
    """From now on, let a NameError in this notebook say which of its cells makes the name.

    Outside of IPython, and where another handler of exceptions is in place, nothing changes.

    Parameters
    ----------
    folder, slug : str
        The folder (``notebooks`` or ``exercises``) and the name of the original notebook.
    """
    shell = ipython_shell()
    if shell is None:
        return
    handlers = getattr(shell, "custom_exceptions", None)
    if handlers == () or (handlers == (NameError,) and getattr(shell, "_autodiff_kit_explains", False)):
        shell.set_custom_exc((NameError,), partial(show_with_hint, place=f"{folder}/{slug}.ipynb"))
        shell._autodiff_kit_explains = True


def show_with_hint(shell: Any, kind: type, error: Any, trace: Any, tb_offset: Any = None, *, place: str) -> Any:
    """Show the usual traceback, with the hint as its last line. IPython calls this for every NameError.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    kind, error, trace, tb_offset
        What IPython tells of the exception.
    place : str
        The original notebook, such as ``notebooks/02_unconnected.ipynb``.
    """
    name = getattr(error, "name", None)
    if name and not isinstance(error, UnboundLocalError):
        try:
            hint = making_cell_hint(originals_folder() / place, name, *_running_cell(shell))
        except Exception:  # noqa: BLE001 - the learner's own error is what has to be seen
            hint = ""
        if hint:
            error.add_note(hint)
    return shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def _running_cell(shell: Any) -> tuple[str, str]:
    """Id and source of the cell that is running; empty where the front end sends no ids."""
    kernel = getattr(shell, "kernel", None)
    parent = kernel.get_parent() if kernel is not None else {}
    return parent.get("metadata", {}).get("cellId") or "", parent.get("content", {}).get("code") or ""


def making_cell_hint(path: Path, name: str, id: str = "", source: str = "") -> str:
    """Which cell of a notebook makes a name.

    Parameters
    ----------
    path : Path
        The notebook.
    name : str
        The name.
    id, source : str
        The cell that reads the name, if known: of several cells that make it, the last one before this is told.

    Returns
    -------
    str
        One sentence or two; empty if no other cell makes the name, or there is no such notebook.
    """
    if not path.is_file():
        return ""
    cells = list(_code_cells(read_notebook(path.read_bytes())))
    here = next((k for k, cell in enumerate(cells) if cell.id == id or cell.source == source.strip()), None)
    making = [k for k, cell in enumerate(cells) if name in cell.makes and k != here]
    if not making:
        return ""
    before = [k for k in making if here is not None and k < here]
    cell = cells[before[-1] if before else making[0]]
    text = translate("`{name}` is made in the cell under “{heading}” that begins with `{line}`. Run that cell first.")
    return text.format(name=name, heading=cell.heading, line=cell.source.splitlines()[0])


def _code_cells(notebook: dict[str, Any]) -> Iterator[CodeCell]:
    heading = ""
    for cell in notebook["cells"]:
        source = cell_source(cell.get("source", "")).strip()
        if cell.get("cell_type") == "markdown":
            heading = (HEADING.findall(source) or [heading])[-1]
        elif cell.get("cell_type") == "code" and source:
            yield CodeCell(str(cell.get("id", "")), source, heading, frozenset(_names_made(source)))


def _names_made(source: str) -> Iterator[str]:
    """Names that a cell's source binds at its top level."""
    try:
        waiting: list[ast.AST] = [ast.parse(source)]
    except SyntaxError:  # a cell with a magic command
        return
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, OWN_SCOPE):
            waiting += ast.iter_child_nodes(node)
