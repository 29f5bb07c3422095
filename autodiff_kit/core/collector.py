"""Python's garbage collector while a tape records.

A record holds all its nodes, so the collector finds nothing among them; with its usual thresholds it looks through them
so often that a long program takes several times as long.
"""

from __future__ import annotations

import gc
import threading

__all__ = ["relax_collector", "restore_collector"]

_THRESHOLDS = (100_000, 50, 50)

_lock = threading.RLock()  # a finalizer may open a tape
_recording = 0  # open tapes, in all threads
_before = _relaxed = gc.get_threshold()


def relax_collector() -> None:
    """Raise the collector's thresholds for as long as a tape is open; never below the user's own."""
    global _recording, _before, _relaxed
    with _lock:
        _recording += 1
        if _recording == 1:
            _before = _relaxed = gc.get_threshold()
            if gc.isenabled() and _before[0]:  # a threshold of 0 switches the collector off
                gc.set_threshold(*map(max, _before, _THRESHOLDS))
                _relaxed = gc.get_threshold()  # some Pythons ignore the third


def restore_collector() -> None:
    """Give the thresholds back when the last tape closes, unless the user has changed them meanwhile."""
    global _recording
    with _lock:
        _recording -= 1
        if _recording == 0 and gc.get_threshold() == _relaxed:
            gc.set_threshold(*_before)
