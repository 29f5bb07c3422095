"""Notebook files: parsing, removing outputs, and a hash of what a learner may have changed."""

from __future__ import annotations

import json
from typing import Any

from autodiff_kit.lessons.atomic_files import sha256


def read_notebook(data: bytes) -> dict[str, Any]:
    """Parse a notebook.

    Raises
    ------
    ValueError
        If the bytes are not JSON, or have no list of cells.
    """
    notebook = json.loads(data)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ValueError("no list of cells")
    return dict(notebook)


def is_notebook(data: bytes) -> bool:
    """Whether the bytes can be read as a notebook."""
    try:
        read_notebook(data)
    except ValueError:
        return False
    return True


def strip_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """Remove outputs and execution data from a notebook, in place; return it."""
    notebook.get("metadata", {}).pop("widgets", None)
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell.get("metadata", {}).pop("execution", None)
    return notebook


def fingerprint(data: bytes) -> str:
    """Return a hash of those parts of a file that a person may have changed.

    Parameters
    ----------
    data : bytes
        The file's contents.

    Returns
    -------
    str
        For a notebook, of its cells, their outputs and the kit's own metadata. JupyterLab also writes its layout
        and the kernel's name into a file that was only opened; these do not count as a change. For any other file,
        of all its bytes.
    """
    if not is_notebook(data):
        return sha256(data)
    notebook = read_notebook(data)
    metadata = notebook.get("metadata")
    about = metadata.get("autodiff_kit") if isinstance(metadata, dict) else None
    cells = [
        [cell.get("cell_type"), cell_source(cell.get("source", "")), cell.get("outputs", [])]
        for cell in notebook["cells"]
    ]
    return sha256(json.dumps([about, cells], sort_keys=True).encode())


def cell_source(source: object) -> str:
    """Return a cell's source, which nbformat stores as one string or as a list of lines."""
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
