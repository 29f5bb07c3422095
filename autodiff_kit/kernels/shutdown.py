"""The end of the process: nothing more is compiled, and what is being compiled is waited for.

If the process ends while LLVM works, LLVM stops it with an error.
"""

from __future__ import annotations

import threading

__all__ = ["check_running", "ends", "wait_for"]

_ending = threading.Event()


def ends() -> bool:
    """Whether the process ends."""
    return _ending.is_set()


def check_running() -> None:
    """Raise an error if the process ends."""
    if ends():
        raise RuntimeError("nothing is compiled while the process ends")


def wait_for(thread: threading.Thread) -> None:
    """Wait, as the process ends, until a thread has compiled what it is at; it begins nothing else."""
    _ending.set()
    thread.join()
