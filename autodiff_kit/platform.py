"""What this platform can do: threads, processes, locked files, floating-point signals, still pictures.

In a browser the kit runs on WebAssembly (Pyodide, ``sys.platform == "emscripten"``): one thread, one process, a file
system in memory, and arithmetic that raises no floating-point signals.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any, Final

import numpy as np

__all__ = [
    "DRAWS_STILL_PICTURES",
    "HAS_64_BIT_INTEGERS",
    "HAS_FILE_LOCKS",
    "HAS_FLOATING_POINT_SIGNALS",
    "HAS_SUBPROCESSES",
    "HAS_THREADS",
    "HAS_TIMER_SIGNALS",
    "PLAIN",
    "as_dtype",
    "in_int64",
    "keep_freed_memory",
]

_WEBASSEMBLY: Final = sys.platform == "emscripten"

PLAIN: Final = os.environ.get("AUTODIFF_KIT_PLAIN", "0") != "0"
"""Whether the engine runs without its fast paths, so that a reader's breakpoint in the plain functions is reached."""

HAS_THREADS: Final = not _WEBASSEMBLY
"""Whether a thread can be started; without threads nothing is compiled in the background, so nothing is compiled."""

HAS_FILE_LOCKS: Final = not _WEBASSEMBLY
"""Whether SQLite can lock a file; without locks a database is read whole and written whole."""

HAS_FLOATING_POINT_SIGNALS: Final = not _WEBASSEMBLY
"""Whether NumPy notices a division by zero, an overflow and an invalid value, as ``np.errstate`` expects."""

HAS_SUBPROCESSES: Final = not _WEBASSEMBLY
"""Whether another process can be started; without one no server extension answers JupyterLab's panels."""

HAS_64_BIT_INTEGERS: Final = sys.maxsize > 2**32
"""Whether NumPy's default integer has 64 bits; where it has 32, the kit makes int64 of Python's integers itself."""

HAS_TIMER_SIGNALS: Final = hasattr(signal, "setitimer")
"""Whether a timer can interrupt running code; Windows has none either."""

DRAWS_STILL_PICTURES: Final = not _WEBASSEMBLY
"""Whether a widget's output has a still picture too; in a browser each would wait for Matplotlib to be loaded."""


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """``np.dtype``, in which Python's int is int64 on every platform."""
    return np.dtype(np.int64 if dtype is int else dtype)


def in_int64(value: Any) -> Any:
    """An array or NumPy scalar of NumPy's default integers as int64, which they are not on every platform."""
    return value if HAS_64_BIT_INTEGERS or value.dtype != np.int_ else value.astype(np.int64)


def keep_freed_memory() -> None:
    """Let the C library keep up to 64 MiB of freed memory for the arrays that come next.

    A step of training allocates the same arrays again and again. What went back to the system in between comes as new
    pages, which take longer than computing on them. The allocator of Linux keeps twice as much as the largest block
    that was ever freed, as long as that has at most 32 MiB.
    """
    if sys.platform == "linux":
        with suppress(MemoryError):  # under a limit on memory
            np.empty(_LARGEST_BLOCK, np.uint8)


_LARGEST_BLOCK = (32 << 20) - (64 << 10)  # bytes: 32 MiB with what the allocator adds; nothing is written to them
