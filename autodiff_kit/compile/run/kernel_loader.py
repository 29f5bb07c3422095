"""Sources of kernels as files, which numba compiles once for all processes.

A file is named after its content, so that equal kernels share it and nothing has to be thrown away. The folder belongs
to the user and nobody else may write to it, since what lies there is executed; where that cannot be had, or the disk
refuses, the process keeps its kernels for itself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_kit.compile.passes.kernel_source import Kernel

__all__ = ["folder", "load", "text_of"]

_TYPES = {"f": "float32", "d": "float64", "?": "bool_", "l": "int64", "q": "int64", "i": "int32"}
_loaded: dict[str, int] = {}
_kept: list[Any] = []  # what the addresses belong to
_lock = threading.RLock()
_private: list[Any] = []  # a temporary folder of this process


def text_of(kernel: Kernel) -> str:
    """The whole file of a kernel: what it computes, and the entry that reads from a table what it computes with."""
    given, place = [], 0
    for n in kernel.arrays:
        given.append(f"array(t, {place}, np.{_TYPES[n.dtype.char]})")
        place += 2
    for _ in kernel.numbers:
        given.append(f"number(t, {place})")
        place += 1
    if kernel.scratch:
        given.append(f"array(t, {place}, R)")
        place += 2
    called = f"kernel({', '.join(given)})"
    if kernel.totals:
        names = [f"z{k}" for k in range(len(kernel.totals))]
        puts = [f"    put(t, {place + k}, R({name}))" for k, name in enumerate(names)]
        body = "\n".join([f"    {', '.join(names)} = {called}", *puts])
    else:
        body = f"    {called}"
    return (
        "import math\n\nimport numpy as np\nfrom numba import cfunc, njit\n\n"
        "from autodiff_kit.kernels.noalias import Apart\n"
        "from autodiff_kit.kernels.native_calls import array, number, put\n"
        "from autodiff_kit.kernels.vector_math import *\n\n"
        f"abreast({kernel.abreast})\n"
        f"R = np.{_TYPES[kernel.dtype.char]}\n\n\n"
        '@njit(pipeline_class=Apart, fastmath={"nsz"}, error_model="numpy", no_cpython_wrapper=True)\n'
        f"{kernel.source}\n\n\n"
        f'@cfunc("void(int64)", cache=True, error_model="numpy")\ndef entry(t):\n{body}\n'
    )


def load(text: str) -> int:
    """The address of the compiled entry of a source; whatever is wrong with the folder, there is one."""
    name = f"autodiff_kit_{hashlib.sha256((_stamp() + text).encode()).hexdigest()[:24]}"
    with _lock:
        if name not in _loaded:
            try:
                _loaded[name] = _from(folder(), name, text)
            except Exception:  # noqa: BLE001 - a damaged cache, a full disk: numba and the system raise what they like
                sys.modules.pop(name, None)
                _loaded[name] = _from(_own_folder(), name, text)
        return _loaded[name]


def _from(place: Path, name: str, text: str) -> int:
    path = place / f"{name}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        part = place / f"{name}.{os.getpid()}.{threading.get_ident()}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    from autodiff_kit.kernels.vector_math import abreast

    sys.modules[name] = module  # numba finds the function again by its module's name
    try:
        spec.loader.exec_module(module)
    finally:
        abreast(0)
    _kept.append(module.entry)
    address: int = module.entry.address
    return address


def _stamp() -> str:
    """What a kernel depends on besides its text."""
    import numba

    from autodiff_kit.kernels import native_calls, noalias, vector_math

    texts = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (noalias, native_calls, vector_math)]
    return " ".join([numba.__version__, np.__version__, *texts])


def folder() -> Path:
    """Where sources lie: ``AUTODIFF_KIT_CACHE``, or a folder in the user's cache that nobody else may write to."""
    named = os.environ.get("AUTODIFF_KIT_CACHE")
    home = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff_kit"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _private_to_me(home) or not os.access(home, os.W_OK):
            return _own_folder()
    except (OSError, RuntimeError):
        return _own_folder()
    return home


def _private_to_me(place: Path) -> bool:
    """Whether only this user may write here."""
    if os.name != "posix":
        return True
    found = place.stat()
    mine = found.st_uid == os.getuid()
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _own_folder() -> Path:
    """A folder for this process alone."""
    if not _private:
        _private.append(tempfile.TemporaryDirectory(prefix="autodiff_kit_"))
    return Path(_private[0].name)
