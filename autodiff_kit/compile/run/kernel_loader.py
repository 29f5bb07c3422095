"""Compile kernel sources with numba and cache them on disk for all processes.

A source file is named by the hash of its content, so that equal kernels share it and no entry becomes stale. The cache
folder must belong to the user and be writable by nobody else, since its files are executed. If there is no such folder,
or the disk fails, a temporary folder of this process is used.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_kit.compile.passes.kernel_source import KernelSource
from autodiff_kit.compile.passes.vector_loop_partition import MAX_UNROLLED

__all__ = ["cache_folder", "kernel_module_source", "load_kernel", "module_source"]

_TYPES = {"f": "float32", "d": "float64", "?": "bool_", "l": "int64", "q": "int64", "i": "int32"}
_entry_addresses: dict[str, int] = {}
_loaded_entries: list[Any] = []  # keeps the code at the addresses alive
_lock = threading.RLock()
_temporary_folders: list[Any] = []  # the temporary folder of this process, once it exists


def kernel_module_source(kernel: KernelSource) -> str:
    """The source of the module of a kernel: the kernel, and an entry that loads its arguments from a table."""
    given, place = [], 0
    for n in kernel.arrays:
        given.append(f"load_array(table, {place}, np.{_TYPES[n.dtype.char]})")
        place += 2
    for _ in kernel.scalar_inputs:
        given.append(f"load_number(table, {place})")
        place += 1
    for _ in kernel.scratch:
        given.append(f"load_array(table, {place}, real)")
        place += 2
    called = f"kernel({', '.join(given)})"
    if kernel.totals:
        called = f"{', '.join(f'total{k}' for k in range(len(kernel.totals)))} = {called}"
    puts = [f"store_number(table, {place + k}, real(total{k}))" for k in range(len(kernel.totals))]
    return module_source(kernel.source, "\n    ".join([called, *puts]), kernel.dtype, kernel.interleave_count)


def module_source(kernel: str, entry: str, dtype: np.dtype[Any], interleave_count: int = 0) -> str:
    """The source of a module with a function ``kernel`` and an entry that calls it for a table of arguments."""
    return (
        "import math\n\nimport numpy as np\nfrom numba import cfunc\n\n"
        "from autodiff_kit.kernels.inlining import kernel_function\n"
        "from autodiff_kit.kernels.native_calls import load_array, load_number, store_number\n"
        "from autodiff_kit.kernels.vector_math import *\n\n"
        f"set_loop_options({interleave_count}, {MAX_UNROLLED})\nreal = np.{_TYPES[dtype.char]}\n\n\n"
        f"@kernel_function\n{kernel}\n\n\n"
        f'@cfunc("void(int64)", cache=True, error_model="numpy")\ndef entry(table):\n    {entry}\n'
    )


def load_kernel(text: str) -> int:
    """The address of the compiled entry of a module source; falls back to a temporary folder if the cache fails."""
    name = f"autodiff_kit_{hashlib.sha256((_environment_key() + text).encode()).hexdigest()[:24]}"
    with _lock:
        if name not in _entry_addresses:
            try:
                _entry_addresses[name] = _load_from(cache_folder(), name, text)
            except Exception:  # noqa: BLE001 - a damaged cache, a full disk: numba and the system raise what they like
                sys.modules.pop(name, None)
                _entry_addresses[name] = _load_from(_temporary_folder(), name, text)
        return _entry_addresses[name]


def _load_from(place: Path, name: str, text: str) -> int:
    """Write the module into a folder unless it is there, import it, and return the address of its entry."""
    path = place / f"{name}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        part = place / f"{name}.{os.getpid()}.{threading.get_ident()}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    from autodiff_kit.kernels.vector_math import set_loop_options

    sys.modules[name] = module  # numba's cache looks the module up by name
    try:
        spec.loader.exec_module(module)
    finally:
        set_loop_options()
    _loaded_entries.append(module.entry)
    address: int = module.entry.address
    return address


def _environment_key() -> str:
    """All properties except the source on which a compiled kernel depends."""
    import numba

    from autodiff_kit.kernels import inlining, native_calls, vector_math

    texts = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (inlining, native_calls, vector_math)]
    return " ".join([numba.__version__, np.__version__, *texts])


def cache_folder() -> Path:
    """``AUTODIFF_KIT_CACHE``, or a folder in the user's cache folder; a temporary one if others may write to it."""
    named = os.environ.get("AUTODIFF_KIT_CACHE")
    home = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff_kit"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_writable_only_by_user(home) or not os.access(home, os.W_OK):
            if not _temporary_folders:  # said once
                warnings.warn(
                    f"compiled kernels are not kept in {home}: other users may write to it, or this one may not. "
                    "This process compiles them anew; set AUTODIFF_KIT_CACHE to a folder of your own (chmod 700).",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return _temporary_folder()
    except (OSError, RuntimeError):
        return _temporary_folder()
    return home


def _is_writable_only_by_user(place: Path) -> bool:
    """Whether no other user may write to a folder."""
    if os.name != "posix":
        return True
    found = place.stat()
    mine = found.st_uid == os.getuid()
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _temporary_folder() -> Path:
    """A folder that only this process uses."""
    if not _temporary_folders:
        _temporary_folders.append(tempfile.TemporaryDirectory(prefix="autodiff_kit_"))
    return Path(_temporary_folders[0].name)
