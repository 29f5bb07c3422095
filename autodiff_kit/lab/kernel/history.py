"""Which tapes the inspector knows, and for how long it holds their values.

Every tape is known by a short id and held weakly. While an inspector is open, the last few are held with the values
that they had when they closed, up to a number of bytes; a tape that is pinned is held until it is let go.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import place_of, source_text
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.lab.kernel.errors import Refusal

__all__ = ["ASKED", "NOTHING", "Entry", "Ring"]


@dataclass(eq=False, slots=True, weakref_slot=True)
class Entry:
    """What is known of a tape.

    Attributes
    ----------
    id : str
    ref : weak reference
    file, line, function : str, int, str
        Where it was entered.
    name : str
        What the user calls it, where nothing is known of the line that does.
    at : float
        When it closed last, in seconds since 1970.
    kept : list of tuple, or None
        What its nodes held when it closed.
    bytes : int
        Of the arrays in ``kept``.
    work : dict
        What was worked out for messages: dropped when the tape changes.
    """

    id: str
    ref: weakref.ref[GradientTape]
    file: str
    line: int
    function: str
    name: str = ""
    at: float = 0.0
    kept: list[tuple[Any, ...]] | None = None
    bytes: int = 0
    pinned: bool = False
    held: GradientTape | None = None
    work: dict[Any, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The function in which the tape was entered, or the name that the code gives it."""
        if self.name:
            return self.name
        if self.function not in ("<module>", ""):
            return f"{self.function}()"
        words = source_text(self.file, self.line).rstrip(":").split()
        return words[-1] if len(words) > 2 and words[-2] == "as" and words[-1].isidentifier() else "tape"

    def begin(self, tape: GradientTape) -> None:
        """Forget what was asked and kept: the tape is empty."""
        self.kept, self.bytes = None, 0
        setattr(tape, ASKED, NOTHING)
        self.work.clear()

    def keep(self, tape: GradientTape) -> None:
        """Take what the tape's nodes hold now; of those that let go already, what they held before stays."""
        nodes = tape._record.nodes
        before = self.kept or []
        fresh = [node.parts for node in nodes]
        if before and tape._record.released and len(before) <= len(fresh):
            fresh[: len(before)] = before
        self.kept, self.bytes = fresh, _nbytes(fresh) if tape._record.arrays else 0


def _nbytes(parts: list[tuple[Any, ...]]) -> int:
    arrays = {id(x): x.nbytes for part in parts for x in part if type(x) is np.ndarray}
    return sum(arrays.values())


_KEY = "_inspected"
ASKED = "_asked"
"""Where a tape notes of which nodes, with which weights and for which sources derivatives were asked last, and how many
times in all."""
NOTHING: tuple[Any, Any, Any, int] = ((), (), (), 0)
_NONE = (None, None)


class Ring:
    """The tapes of a process, by id.

    Parameters
    ----------
    limit : int
        Bytes that tapes which nobody pinned may hold together.
    most : int
        How many of them.
    """

    def __init__(self, limit: int = 64 << 20, most: int = 5) -> None:
        self.limit, self.most = limit, most
        self.lock = threading.RLock()  # a tape may end in any thread, and while another one is looked up
        self._by_id: weakref.WeakValueDictionary[str, Entry] = weakref.WeakValueDictionary()
        self._held: dict[str, Entry] = {}
        self._count = 0

    def enter(self, tape: GradientTape, code: Any, lasti: int) -> Entry:
        """The entry of a tape; a new one has the next id. It stands on the tape, and ends with it."""
        entry = self.of(tape)
        if entry is None:
            file, line, function = place_of(code, lasti)
            with self.lock:
                self._count += 1
                name = f"t{self._count}"
                entry = Entry(name, weakref.ref(tape), file, line, function)
                self._by_id[name] = entry
            setattr(tape, _KEY, (self, entry))
        return entry

    def of(self, tape: GradientTape) -> Entry | None:
        """The entry of a tape, if this ring has one."""
        owner, entry = getattr(tape, _KEY, _NONE)
        return entry if owner is self else None

    def find(self, name: Any) -> tuple[Entry, GradientTape]:
        """An entry and its tape, by its id.

        Raises
        ------
        Refusal
            "released" if the tape is gone, "tape" if there never was one.
        """
        with self.lock:
            entry = self._by_id.get(name) if isinstance(name, str) else None
            tape = entry.ref() if entry is not None else None
            if entry is not None and tape is not None:
                return entry, tape
            number = name[1:] if isinstance(name, str) and name[:1] == "t" else ""
            if number.isdecimal() and 0 < int(number) <= self._count:
                raise Refusal(
                    "released",
                    f"Tape {name} was let go: nothing in the notebook holds it any more.",
                    "Run its cell again; pin a tape to keep it.",
                )
            raise Refusal("tape", f"There is no tape {name!r}.", "Ask tape.list for those that there are.")

    def hold(self, entry: Entry, tape: GradientTape) -> None:
        """Keep a tape and what it holds, and let older ones go."""
        with self.lock:
            entry.keep(tape)
            entry.held, self._held[entry.id] = tape, entry
            self.shrink(entry)

    def shrink(self, last: Entry | None = None) -> None:
        """Let go of the oldest until the rest fits; the last is held even if it alone is too large for its values."""
        with self.lock:
            loose = sorted((e for e in self._held.values() if not e.pinned), key=lambda e: e.at)
            while loose and (len(loose) > self.most or sum(e.bytes for e in loose) > self.limit):
                oldest = loose.pop(0) if loose[0] is not last or len(loose) == 1 else loose.pop(1)
                self.drop(oldest, skeleton=oldest is last)

    def drop(self, entry: Entry, skeleton: bool = False) -> None:
        """Let go of a tape; the user may still hold it."""
        entry.kept, entry.bytes = None, 0
        entry.work.clear()
        if not skeleton:
            entry.held = None
            self._held.pop(entry.id, None)

    def clear(self) -> None:
        """Hold nothing but what is pinned."""
        with self.lock:
            for entry in self.entries():
                entry.work.clear()
            for entry in [entry for entry in self._held.values() if not entry.pinned]:
                self.drop(entry)

    def pin(self, entry: Entry, tape: GradientTape, on: bool) -> None:
        """Hold a tape until it is unpinned."""
        with self.lock:
            entry.pinned = on
            if on and entry.held is None:
                entry.keep(tape)
                entry.held, self._held[entry.id] = tape, entry
            self.shrink()

    def entries(self) -> Iterator[Entry]:
        """Those whose tape is still there, oldest first."""
        with self.lock:
            return iter([entry for entry in list(self._by_id.values()) if entry.ref() is not None])
