"""A tape under the inspector: its rows, and what was worked out of them for messages."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.lab.kernel.cells import Cells
from autodiff_kit.lab.kernel.errors import Refusal, asked_int
from autodiff_kit.lab.kernel.history import ASKED, NOTHING, Entry, Ring
from autodiff_kit.lab.kernel.serialize import Facts, bad_at
from autodiff_kit.lab.kernel.stepping import Forward, Reverse, Sweep, seed_for
from autodiff_kit.lab.kernel.table_model import Sheet
from autodiff_kit.lab.kernel.value_summary import kind

__all__ = ["WHATS", "Desk", "View"]

Message = dict[str, Any]

WHATS = ("value", "tangent", "cotangent")
SLICE = 0.008
"""Seconds that a request may take where it can go on later: messages are answered in turn, and so is the next cell."""
SMALL = 250  # rows that are worked on in any case
_WORKED = 3  # tapes of which sheets and sweeps are kept
_TITLE = 32  # letters of a title in a notice
_CELL = 40  # and of a file's name


class View:
    """A tape with what was worked out of it for messages."""

    def __init__(self, desk: Desk, entry: Entry, tape: GradientTape) -> None:
        self.entry = entry
        self.noted = getattr(tape, ASKED, NOTHING)
        self.sources: list[Any] = list(self.noted[2])
        self.sheet = Sheet(tape, entry.kept, self.sources, (entry.file, entry.line))
        self._aim()
        self.facts = Facts(self.sheet, desk.cells, self.targets)
        self.frozen = [row for row, flags in self.sheet.flags.items() if "f" in flags]
        self.kinds = bytearray(b"?" * len(self.sheet))
        self.scanned = 0
        self.bad: Message | None = None
        self.sweeps: dict[str, tuple[Any, Sweep]] = {}

    def _aim(self) -> None:
        targets, weights, _, asked = self.noted
        self.asked: int = asked
        known = [
            (row, w) for node, w in zip(targets, weights, strict=True) if (row := self.sheet.row.get(node)) is not None
        ]
        self.targets, self.weights = [row for row, _ in known], [weight for _, weight in known]

    def follow(self, tape: GradientTape) -> bool:
        """Turn to what was asked of the tape since; False where a source is on no row yet, and rows must be added."""
        noted = getattr(tape, ASKED, NOTHING)
        if noted is not self.noted:
            if any(self.sheet.find(source) is None for source in noted[2]):
                return False
            self.noted, self.sources = noted, list(noted[2])
            self._aim()
            self.facts.aim(self.targets)
            self.sweeps.pop("reverse", None)
        return True

    @property
    def tape(self) -> GradientTape:
        """The tape, which what was worked out of it does not keep alive."""
        tape = self.entry.ref()
        if tape is None:
            raise Refusal("released", f"Tape {self.entry.id} was let go just now.", "Run its cell again.")
        return tape

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.sheet)

    def row(self, message: Message, name: str, otherwise: int | None = None) -> int:
        """A row that a request names."""
        return asked_int(message, name, 0, self.n - 1, otherwise)

    def span(self, message: Message, most: int) -> tuple[int, int]:
        """Rows that a request asks for, ``most`` at once."""
        a = asked_int(message, "a", 0, self.n, 0)
        b = asked_int(message, "b", a, 1 << 40, self.n)
        return a, min(b, self.n, a + most)

    def reverse(self, message: Message) -> Reverse | None:
        """The sweep of the cotangents: of the target and seed that are named, else of those shown last."""
        if message.get("target") is None and message.get("seed") is None:
            if "reverse" in self.sweeps:
                return self.sweeps["reverse"][1]  # type: ignore[return-value]
            if not self.facts.targets:
                return None
        target = self.row(message, "target", self.facts.targets[0] if self.facts.targets else None)
        seeds = self._seeds(target, message.get("seed"))
        hooks = self.sheet.record.hooks
        key = (target, repr(message.get("seed")))
        return self._sweep("reverse", key, lambda: Reverse(self.sheet, seeds, hooks))  # type: ignore[return-value]

    def _seeds(self, target: int, seed: Any) -> dict[int, Any]:
        """What a sweep starts from; without a seed what the gradient was asked with."""
        if seed is None and self.targets and target == self.targets[0]:
            seeds: dict[int, Any] = {}
            for row, weight in zip(self.targets, self.weights, strict=True):
                seed_ = seed_for(self.sheet, row, weight)
                seeds[row] = seeds[row] + seed_ if row in seeds else seed_
            return seeds
        return {target: seed_for(self.sheet, target, seed)}

    def forward(self, message: Message) -> Forward | None:
        """The sweep of the tangents; there is none until an input was seeded."""
        if message.get("source") is None:
            return self.sweeps["forward"][1] if "forward" in self.sweeps else None  # type: ignore[return-value]
        source = self.row(message, "source")
        seed = message.get("seed")
        key = (source, repr(seed))
        begin = {source: seed_for(self.sheet, source, seed)}
        return self._sweep("forward", key, lambda: Forward(self.sheet, begin, {}))  # type: ignore[return-value]

    def _sweep(self, direction: str, key: Any, make: Callable[[], Sweep]) -> Sweep:
        known = self.sweeps.get(direction)
        if known is None or known[0] != key:
            self.sweeps[direction] = known = (key, make())
        return known[1]

    def of(self, what: str, row: int) -> Any:
        """Value, tangent or cotangent of a row; a sweep goes on until it is final."""
        if what == "value":
            return self.sheet.value(row)
        sweep = self.reverse({}) if what == "cotangent" else self.forward({})
        if sweep is None:
            return None
        sweep.reach(row)
        return sweep.of(row)

    def slice(self) -> Callable[[], bool]:
        """Whether as much time has gone by as one request may take; a small tape is done in one."""
        end = time.perf_counter() + SLICE
        rows = iter(range(SMALL))
        return lambda: next(rows, None) is None and time.perf_counter() > end

    def go_on(self, whats: list[str], a: int, b: int) -> bool:
        """Take the sweeps as far as rows need, but no longer than one request may take; True where more is to come."""
        late = self.slice()
        for what, last in (("tangent", b - 1), ("cotangent", a)):
            sweep = (self.forward({}) if what == "tangent" else self.reverse({})) if what in whats and a < b else None
            if sweep is not None:
                sweep.reach(last, late)
                if not sweep.passed(last):
                    return True
        return False

    def so_far(self, what: str, row: int) -> Any:
        """Value, tangent or cotangent of a row as far as it is known."""
        if what == "value":
            return self.sheet.value(row)
        sweep = self.reverse({}) if what == "cotangent" else self.forward({})
        return sweep.of(row) if sweep is not None else None

    def scan(self, row: int) -> None:
        """Learn the kind of a row's value, and the first nan once all are known."""
        if self.kinds[row] == ord("?"):
            self.kinds[row] = ord(kind(self.sheet.value(row)))
            self.scanned += 1
            if self.scanned == self.n and b"N" in self.kinds:
                self.bad = bad_at(self.sheet, self.kinds.index(b"N"))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Python's collector waits: ten thousand rows would have it walk over the kernel some thirty times."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class Desk:
    """What all answers need: the tapes, the names of cells and the user's names."""

    def __init__(self, ring: Ring, cells: Cells, namespace: Callable[[], dict[str, Any]]) -> None:
        self.ring, self.cells, self.namespace = ring, cells, namespace
        self._worked: list[Entry] = []

    def view(self, message: Message, name: str = "tape") -> View:
        """The tape that a request names; what is worked out of it is kept for the few that were looked at last."""
        entry, tape = self.ring.find(message.get(name))
        record = tape._record
        mark = (id(record), len(record.nodes), record.released and entry.kept is None)
        known = entry.work.get("view")
        if known is None or known[0] != mark or not known[1].follow(tape):
            with _uncollected():
                entry.work["view"] = known = (mark, View(self, entry, tape))
        self._worked = [*(e for e in self._worked if e is not entry), entry]
        if len(self._worked) > _WORKED:
            self._worked.pop(0).work.clear()
        found: View = known[1]
        return found

    def notice(self, entry: Entry) -> Message:
        """What is told of a tape unasked; short."""
        tape = entry.ref()
        view = entry.work.get("view")
        rows = view[1].n if view is not None else _rows_of(tape) if tape is not None else 0
        title = entry.title
        return {
            "tape": entry.id,
            "title": title if len(title) <= _TITLE else title[: _TITLE - 1] + "…",
            "cell": _short(self.cells.key(entry.file)),
            "n": rows,
            "at": round(entry.at, 3),
            "bad": view[1].bad["node"] if view is not None and view[1].bad else None,
            "asked": getattr(tape, ASKED, NOTHING)[3],
        }


def _short(cell: str | int) -> str | int:
    """A cell's id; of a file whose name is long its end."""
    return cell if type(cell) is int or len(str(cell)) <= _CELL else "…" + str(cell)[1 - _CELL :]


def _rows_of(tape: GradientTape) -> int:
    """How many rows a tape has, without making them."""
    nodes = tape._record.nodes
    own = set(nodes)
    leaves = {t.node for t in tape._watched} | {r.first.node for r in tape._record.leaves.values()}
    constants: set[int] = set()
    count = 0
    for node in nodes:
        parts = node.parts
        half = len(parts) // 2
        for k in range(half):
            n = parts[k]
            if n is not None:
                leaves.add(n)
                continue
            held = parts[half + 1 + k]
            if hasattr(held, "ctypes"):
                constants.add(id(held))
            elif not (k and node.op.name == "power" and type(held) in (float, int)):
                count += 1
    return len(nodes) + len(leaves - own - {None}) + len(constants) + count
