"""The tapes that the inspector knows by id, and which of them it keeps in memory.

Every tape has a short id and a weak reference. While an inspector is open, the last few tapes are kept with the values
that they had when they closed, up to a number of bytes; while a page may open one, the last tape. A pinned tape is kept
until it is unpinned.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import SourceLocation, location_of
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.lab.kernel.errors import InspectorError

__all__ = ["GRADIENT_REQUEST", "NO_REQUEST", "TapeEntry", "TapeHistory"]


@dataclass(eq=False, slots=True, weakref_slot=True)
class TapeEntry:
    """A known tape: its id, the place where it was entered, and the values that were saved when it closed.

    Attributes
    ----------
    id : str
    ref : weak reference
    file, line, function : str, int, str
        The place where it was entered.
    name : str
        The user's name for it, if the line that names it is unknown.
    at : float
        The time when it closed last, in seconds since 1970.
    saved_parts : list of tuple, or None
        The parts of its nodes when it closed.
    bytes : int
        Bytes of the arrays in ``saved_parts``.
    released_because : {"unheard", "older", "large", ""}
        Why the values are not saved: nobody listened when the tape closed, newer tapes took its place, or they exceed
        the limit. Empty if they are saved.
    cache : dict
        Computed parts of messages; dropped when the tape changes.
    """

    id: str
    ref: weakref.ref[GradientTape]
    file: str
    line: int
    function: str
    name: str = ""
    at: float = 0.0
    saved_parts: list[tuple[Any, ...]] | None = None
    bytes: int = 0
    released_because: str = "unheard"
    pinned: bool = False
    strong_ref: GradientTape | None = None
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The function in which the tape was entered, or the name that the code gives it."""
        if self.name:
            return self.name
        if self.function not in ("<module>", ""):
            return f"{self.function}()"
        words = SourceLocation(self.file, self.line, "").text.rstrip(":").split()
        return words[-1] if len(words) > 2 and words[-2] == "as" and words[-1].isidentifier() else "tape"

    def reset(self, tape: GradientTape) -> None:
        """Drop saved values and requested gradients, because the tape starts again."""
        self.saved_parts, self.bytes, self.released_because = None, 0, "unheard"
        setattr(tape, GRADIENT_REQUEST, NO_REQUEST)
        self.cache.clear()

    def save_values(self, tape: GradientTape) -> None:
        """Save the current values of the nodes; for nodes that released theirs, keep the values saved before."""
        nodes = tape._record.nodes
        before = self.saved_parts or []
        fresh = [node.parts for node in nodes]
        if before and tape._record.released and len(before) <= len(fresh):
            fresh[: len(before)] = before
        self.saved_parts, self.bytes = fresh, _total_bytes(fresh) if tape._record.has_arrays else 0
        self.released_because = ""


def _total_bytes(parts: list[tuple[Any, ...]]) -> int:
    arrays = {id(x): x.nbytes for part in parts for x in part if type(x) is np.ndarray}
    return sum(arrays.values())


_ENTRY = "_inspected"
GRADIENT_REQUEST = "_asked"
"""Where a tape notes of which nodes, with which weights and for which sources derivatives were asked last, and how many
times in all."""
NO_REQUEST: tuple[Any, Any, Any, int] = ((), (), (), 0)
_NO_ENTRY = (None, None)


class TapeHistory:
    """The tapes of a process by id; keeps the last few in memory, and those that are pinned.

    Parameters
    ----------
    max_bytes : int
        Largest number of bytes of all tapes that are not pinned.
    max_tapes : int
        Largest number of such tapes.

    Attributes
    ----------
    latest_only : bool
        Whether to keep only the last tape, because no inspector is open yet.
    """

    def __init__(self, max_bytes: int = 64 << 20, max_tapes: int = 5) -> None:
        self.max_bytes, self.max_tapes = max_bytes, max_tapes
        self.latest_only = True
        self.lock = threading.RLock()  # a tape may end in any thread, and while another one is looked up
        self._by_id: weakref.WeakValueDictionary[str, TapeEntry] = weakref.WeakValueDictionary()
        self._retained: dict[str, TapeEntry] = {}
        self._count = 0

    def register(self, tape: GradientTape, code: Any, lasti: int) -> TapeEntry:
        """The entry of a tape, created with the next id if there is none; the tape holds it."""
        entry = self.entry_of(tape)
        if entry is None:
            file, line, function = location_of(code, lasti)
            with self.lock:
                self._count += 1
                name = f"t{self._count}"
                entry = TapeEntry(name, weakref.ref(tape), file, line, function)
                self._by_id[name] = entry
            setattr(tape, _ENTRY, (self, entry))
        return entry

    def entry_of(self, tape: GradientTape) -> TapeEntry | None:
        """The entry of a tape, if this history has one."""
        owner, entry = getattr(tape, _ENTRY, _NO_ENTRY)
        return entry if owner is self else None

    def find(self, name: Any) -> tuple[TapeEntry, GradientTape]:
        """An entry and its tape, by its id.

        Raises
        ------
        InspectorError
            "released" if the tape no longer exists, "tape" if there never was one.
        """
        with self.lock:
            entry = self._by_id.get(name) if isinstance(name, str) else None
            tape = entry.ref() if entry is not None else None
            if entry is not None and tape is not None:
                return entry, tape
            number = name[1:] if isinstance(name, str) and name[:1] == "t" else ""
            if number.isdecimal() and 0 < int(number) <= self._count:
                raise InspectorError(
                    "released",
                    f"Tape {name} no longer exists: no variable of the notebook refers to it.",
                    "Run its cell again; pin a tape to keep it.",
                )
            raise InspectorError("tape", f"There is no tape {name!r}.", "Request tape.list for the existing tapes.")

    def retain(self, entry: TapeEntry, tape: GradientTape) -> None:
        """Keep a tape and its values in memory, and evict older ones."""
        with self.lock:
            entry.save_values(tape)
            entry.strong_ref, self._retained[entry.id] = tape, entry
            self.evict(entry)

    def evict(self, last: TapeEntry | None = None) -> None:
        """Evict the oldest tapes until the rest fits; the last one stays, without values if these exceed the limit."""
        with self.lock:
            loose = sorted(self._loose(), key=lambda e: e.at)
            most = 1 if self.latest_only else self.max_tapes
            while loose and (len(loose) > most or sum(e.bytes for e in loose) > self.max_bytes):
                oldest = loose.pop(0) if loose[0] is not last or len(loose) == 1 else loose.pop(1)
                self.release(oldest, skeleton=oldest is last)

    def release(self, entry: TapeEntry, skeleton: bool = False) -> None:
        """Drop the reference to a tape and its saved values; the user may still refer to the tape."""
        if entry.saved_parts is not None:
            entry.saved_parts, entry.bytes, entry.released_because = None, 0, "large" if skeleton else "older"
        entry.cache.clear()
        if not skeleton:
            entry.strong_ref = None
            self._retained.pop(entry.id, None)

    def release_unpinned(self) -> None:
        """Release every tape that is not pinned."""
        with self.lock:
            for entry in self.entries():
                entry.cache.clear()
            self.release_retained()

    def release_retained(self) -> None:
        """Drop what is kept of every tape that is not pinned."""
        with self.lock:
            for entry in self._loose():
                self.release(entry)

    def _loose(self) -> list[TapeEntry]:
        return [entry for entry in self._retained.values() if not entry.pinned]

    def pin(self, entry: TapeEntry, tape: GradientTape, on: bool) -> None:
        """Keep a tape in memory until it is unpinned, or unpin it."""
        with self.lock:
            entry.pinned = on
            if on and entry.strong_ref is None:
                entry.save_values(tape)
                entry.strong_ref, self._retained[entry.id] = tape, entry
            self.evict()

    def entries(self) -> Iterator[TapeEntry]:
        """The entries whose tape still exists, oldest first."""
        with self.lock:
            return iter([entry for entry in list(self._by_id.values()) if entry.ref() is not None])
