"""Python's garbage collector while a tape records.

A record holds all its nodes, so the collector finds nothing among them; with its usual thresholds it looks through them
so often that a long program takes several times as long. Looking once costs 50 to 120 ns for each operation on a number.
While a tape is open the collector therefore waits for more objects than a million operations make. Afterwards the
objects of a long record count as old without having been looked at (:func:`_age_young_objects`).
"""

from __future__ import annotations

import gc
import threading

__all__ = ["relax_collector", "restore_collector"]

_THRESHOLDS = (2_500_000, 50, 50)
_LONG = 50_000  # young objects of a long record; the collector looks through fewer in some milliseconds

_lock = threading.RLock()  # a finalizer may open a tape
_recording = 0  # open tapes, in all threads
_before = _relaxed = gc.get_threshold()
_unseen = 0  # objects that count as old, and that the collector has never looked at


def relax_collector() -> None:
    """Raise the collector's thresholds for as long as a tape is open; never below the user's own."""
    global _recording, _before, _relaxed, _unseen
    with _lock:
        _recording += 1
        if _recording == 1:
            if _unseen > _THRESHOLDS[0]:  # few of them are left, among them perhaps garbage
                gc.collect()
                _unseen = 0
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
            _age_young_objects()
            gc.set_threshold(*_before)


def _age_young_objects() -> None:
    """Let all young objects count as old where a long record has made them; what others have frozen stays frozen.

    Garbage in cycles among them waits for a full collection, which the next tape runs after some millions of objects.
    """
    global _unseen
    young = gc.get_count()[0]
    if young > _LONG and gc.isenabled() and not gc.get_freeze_count():
        gc.freeze()  # all generations into one that is never looked at, without a look at any object
        gc.unfreeze()  # and from there into the oldest
        _unseen += young
