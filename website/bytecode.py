"""Bytecode in wheels. A browser's kernel begins anew each time, and without bytecode it compiles every module that it
imports, which takes more time than running them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["compiler_of", "with_bytecode"]


def compiler_of(version: str) -> str | None:
    """The Python that compiles for a version such as ``"3.14"``: this one, or one on PATH; None where there is none."""
    own = ".".join(map(str, sys.version_info[:2]))
    return sys.executable if version == own else shutil.which(f"python{version}")


def with_bytecode(wheel: bytes, python: str) -> bytes:
    """Return a wheel that has the bytecode of its modules beside their sources.

    Parameters
    ----------
    wheel : bytes
        The file's contents.
    python : str
        The program that compiles: a Python of the version that will import the modules (:func:`compiler_of`).

    Returns
    -------
    bytes
        Equal for equal wheels. Modules that this Python cannot compile keep only their sources.
    """
    script = str(Path(__file__).with_name("compile_wheel.py"))
    # A set in the code is written in the order of its hashes, which is drawn at each start unless it is given.
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"}
    done = subprocess.run([python, "-sP", script], input=wheel, env=environment, capture_output=True, check=True)
    return done.stdout
