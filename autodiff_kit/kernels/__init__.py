"""Compiled loops for eager operations and for ``ak.compile``, where measurements showed a gain.

``import autodiff_kit`` and a first gradient do not need numba. Operations call :func:`compiled_loop`. After some
requests a background thread compiles all loops, most of them with numba, which are then returned.
``AUTODIFF_KIT_NUMBA=0`` disables the loops. Results agree with NumPy to the printed digit; loops that update state
agree to the last bit.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from autodiff_kit import extras
from autodiff_kit.kernels import shutdown
from autodiff_kit.platform import HAS_THREADS

__all__ = ["compile_all_loops", "compiled_loop", "enabled"]

COMPILE_AFTER_REQUESTS = 200
"""Requests for a loop before compilation starts, so that short scripts never wait for it."""

_loops: dict[str, Callable[..., Any]] = {}
_requests_without_loop = 0
_thread: threading.Thread | None = None


def enabled() -> bool:
    """Whether compiled loops may be used: numba is there, threads can compile, ``AUTODIFF_KIT_NUMBA`` is not 0."""
    return HAS_THREADS and os.environ.get("AUTODIFF_KIT_NUMBA", "1") != "0" and extras.installed("numba")


def compiled_loop(name: str) -> Callable[..., Any] | None:
    """The compiled loop of a name, or None while it is not compiled."""
    loop = _loops.get(name)
    if loop is None:
        _count_request()
    return loop


def _count_request() -> None:
    global _requests_without_loop, _thread
    _requests_without_loop += 1
    if _requests_without_loop == COMPILE_AFTER_REQUESTS and enabled():
        _thread = threading.Thread(target=_compile_quietly, name="autodiff_kit kernels", daemon=True)
        _thread.start()
        atexit.register(shutdown.wait_for, _thread)


def _compile_quietly() -> None:
    """Compile in the background; without numba, or with a broken cache, NumPy remains in use."""
    with suppress(Exception):  # whatever numba has, the learner must not hear of it
        compile_all_loops()


def compile_all_loops() -> list[str]:
    """Compile all loops now, for both floating dtypes, and return their names; empty if they are disabled."""
    if not enabled():
        return []
    from autodiff_kit.kernels.eager_loops import LOOPS  # compiled when the module is loaded

    _loops.update(LOOPS)
    return sorted(_loops)
