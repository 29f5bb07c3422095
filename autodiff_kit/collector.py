"""Python's garbage collector while a tape records.

A record holds all its nodes, so the collector finds nothing among them; with its usual thresholds it looks through them
so often that a long program takes several times as long. Looking only once costs an operation on numbers 110 ns of 610
(a thousand operations; 350 ns of 1030 for a million). So the collector waits while a tape is open, for more objects
than a million operations make; and what a record of numbers leaves counts as old without having been looked at.
"""

from __future__ import annotations

import gc
import threading

__all__ = ["relax_collector", "restore_collector"]

_THRESHOLDS = (2_500_000, 50, 50)

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


def restore_collector(only_numbers: bool = True) -> None:
    """Give the thresholds back when the last tape closes, unless the user has changed them meanwhile.

    After a record of numbers, or the kit's own import, that would set the collector to work, all young objects move to
    the oldest generation. Garbage in cycles among them waits for the full collection that a tape runs after some
    millions of objects; so after a record of arrays, which garbage may hold, nothing moves. What others have frozen
    stays frozen.
    """
    global _recording, _unseen
    with _lock:
        _recording -= 1
        if _recording == 0 and gc.get_threshold() == _relaxed:
            if only_numbers and gc.get_count()[0] > _before[0] > 0 and not gc.get_freeze_count():
                _unseen += gc.get_count()[0]
                gc.freeze()  # all generations become one that is never looked at, without a look at any object
                gc.unfreeze()  # and this one the oldest
            gc.set_threshold(*_before)
