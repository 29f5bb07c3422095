"""What this platform can do. Modules that need threads, locked files or floating-point signals ask here.

In a browser the kit runs on WebAssembly (Pyodide, ``sys.platform == "emscripten"``): one thread, one process, a file
system in memory, and arithmetic that raises no floating-point signals.
"""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["HAS_FILE_LOCKS", "HAS_FLOATING_POINT_SIGNALS", "HAS_PROCESSES", "HAS_THREADS"]

_WEBASSEMBLY: Final = sys.platform == "emscripten"

HAS_THREADS: Final = not _WEBASSEMBLY
"""Whether a thread can be started; without threads nothing is compiled in the background, so nothing is compiled."""

HAS_PROCESSES: Final = not _WEBASSEMBLY
"""Whether another process can be started, or this one forked."""

HAS_FILE_LOCKS: Final = not _WEBASSEMBLY
"""Whether SQLite can lock a file; without locks a database is read whole and written whole."""

HAS_FLOATING_POINT_SIGNALS: Final = not _WEBASSEMBLY
"""Whether NumPy notices a division by zero, an overflow and an invalid value, as ``np.errstate`` expects."""
