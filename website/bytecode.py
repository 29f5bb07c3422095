"""Bytecode in wheels. A browser's kernel begins anew each time, and without bytecode it compiles every module that it
imports, which takes more time than running them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["compiler_of", "with_bytecode"]


def compiler_of(version: str) -> str | None:
    """The Python that compiles for a version such as ``"3.14"``: this one, or one on PATH; None where there is none."""
    own = ".".join(map(str, sys.version_info[:2]))
    return sys.executable if version == own else shutil.which(f"python{version}")


def with_bytecode(
    wheel: bytes,
    python: str,
    modules: Iterable[str] | None = None,
    *,
    keep_sources: bool = True,
    optimize: int = 0,
    folder: str = "",
) -> bytes:
    """Return a wheel that has the bytecode of its modules beside their sources, or in their place.

    Parameters
    ----------
    wheel : bytes
        The file's contents.
    python : str
        The program that compiles: a Python of the version that will import the modules (:func:`compiler_of`).
    modules : iterable of str, optional
        Those that are compiled; by default all.
    keep_sources : bool, optional
        Whether the sources of what is compiled stay, for tracebacks and for whoever reads them.
    optimize : int, optional
        Python's level of optimization; 2 leaves out assertions and docstrings.
    folder : str, optional
        Where the wheel is unpacked, which a module says of its code; importing puts in the real place of a module that
        has its source beside it.

    Returns
    -------
    bytes
        Equal for equal wheels. Modules that this Python cannot compile keep only their sources.
    """
    script = str(Path(__file__).with_name("compile_wheel.py"))
    # A set in the code is written in the order of its hashes, which is drawn at each start unless it is given.
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"}
    chosen = None if modules is None else sorted(modules)
    asked = {"modules": chosen, "keep_sources": keep_sources, "optimize": optimize, "folder": folder}
    # Columns, a quarter of the bytes, would underline a part of a source line that does not travel.
    command = [python, "-sP", *([] if keep_sources else ["-X", "no_debug_ranges"]), script, json.dumps(asked)]
    done = subprocess.run(command, input=wheel, env=environment, capture_output=True, check=True)
    return done.stdout
