"""Run lessons and save them with their results: `python tests/notebooks/save_executed.py notebooks/01_*.ipynb`.

Each runs in a kernel of its own, in an empty folder, so that nobody's progress is read or written.
"""

from __future__ import annotations

import os
import sys
import tempfile

import nbformat
from nbclient import NotebookClient

SECONDS = 180


def save_executed(path: str) -> None:
    """Run a notebook and write it back with its outputs, without times of execution."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"AUTODIFF_KIT_DIR": folder, "IPYTHONDIR": folder, "JUPYTER_CONFIG_DIR": folder}
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=where).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        save_executed(name)
        print("saved", name)
