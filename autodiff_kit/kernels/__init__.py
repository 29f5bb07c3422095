"""Compiled loops, where the measurements showed a gain: everything but matrix products.

``import autodiff_kit`` and a first gradient do without numba. Operations ask :func:`ready` for their loop; after some
calls that would have profited, a thread in the background imports numba, compiles, and from then on the loops are
handed out. ``AUTODIFF_KIT_NUMBA=0`` turns them off; the results agree to the printed digit, and those that update state
agree to the last bit.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["enabled", "ready", "warm"]

PATIENCE = 200
"""Calls that had to do without before the compiler is started: a short script never pays for it."""

_loops: dict[str, Callable[..., Any]] = {}
_lock = threading.Lock()
_waited = 0
_thread: threading.Thread | None = None


def enabled() -> bool:
    """Whether kernels may be used: unless ``AUTODIFF_KIT_NUMBA`` is 0."""
    return os.environ.get("AUTODIFF_KIT_NUMBA", "1") != "0"


def ready(name: str) -> Callable[..., Any] | None:
    """The compiled loop of that name, or None while there is none."""
    loop = _loops.get(name)
    if loop is None:
        _count()
    return loop


def _count() -> None:
    global _waited, _thread
    _waited += 1
    if _waited == PATIENCE and enabled():
        _thread = threading.Thread(target=_compile_quietly, name="autodiff_kit kernels", daemon=True)
        _thread.start()


def _compile_quietly() -> None:
    """In the background nothing may disturb: without numba, or with a broken cache, NumPy goes on."""
    try:
        warm()
    except Exception:  # noqa: BLE001 - whatever numba has, the learner must not hear of it
        _loops.clear()


def warm() -> list[str]:
    """Compile every kernel now, for all floating dtypes, and return their names; empty where they are turned off."""
    if not enabled():
        return []
    from autodiff_kit.kernels import loops

    with _lock:
        compiled = loops.compile_all()
        _loops.update(compiled)
    return sorted(compiled)
