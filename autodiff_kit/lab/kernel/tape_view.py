"""A tape as the inspector queries it: its table, serializer and sweeps, cached between requests."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.lab.kernel.cells import CellRegistry
from autodiff_kit.lab.kernel.errors import InspectorError, int_argument
from autodiff_kit.lab.kernel.history import GRADIENT_REQUEST, NO_REQUEST, TapeEntry, TapeHistory
from autodiff_kit.lab.kernel.serialize import TapeSerializer, describe_nan
from autodiff_kit.lab.kernel.stepping import ForwardSweep, ReverseSweep, SteppedSweep, seed_for
from autodiff_kit.lab.kernel.table_model import TapeTable
from autodiff_kit.lab.kernel.value_summary import kind_letter

__all__ = ["QUANTITIES", "InspectorContext", "TapeView"]

Message = dict[str, Any]

QUANTITIES = ("value", "tangent", "cotangent")
TIME_SLICE = 0.008
"""Seconds for a request that can be continued later: later messages and the next cell wait for it."""
MIN_ROWS = 250  # rows that are processed in any case
_MAX_CACHED_VIEWS = 3  # number of tapes whose tables and sweeps are kept
_MAX_TITLE = 32  # characters of a title in a notice
_MAX_CELL = 40  # characters of a file name


class TapeView:
    """A tape's table, serializer, value kinds and sweeps."""

    def __init__(self, context: InspectorContext, entry: TapeEntry, tape: GradientTape) -> None:
        self.entry = entry
        self.gradient_request = getattr(tape, GRADIENT_REQUEST, NO_REQUEST)
        self.sources: list[Any] = list(self.gradient_request[2])
        self.table = TapeTable(tape, entry.saved_parts, self.sources, (entry.file, entry.line))
        self._take_targets()
        self.serializer = TapeSerializer(self.table, context.cells, self.targets, self.off_tape)
        self.frozen = [row for row, flags in self.table.flags.items() if "f" in flags]
        self.kinds = bytearray(b"?" * len(self.table))
        self.not_scanned = set(range(len(self.table)))
        self.bad: Message | None = None
        self.sweeps: dict[str, tuple[Any, SteppedSweep]] = {}

    def _take_targets(self) -> None:
        targets, weights, _, asked = self.gradient_request
        self.asked: int = asked
        known = [
            (row, w) for node, w in zip(targets, weights, strict=True) if (row := self.table.row.get(node)) is not None
        ]
        self.targets, self.weights = [row for row, _ in known], [weight for _, weight in known]
        self.off_tape = bool(targets) and not known  # every gradient of such a target is None

    def refresh_gradient(self, tape: GradientTape) -> bool:
        """Update to a later gradient request; False if a source has no row, so that the view must be rebuilt."""
        gradient_request = getattr(tape, GRADIENT_REQUEST, NO_REQUEST)
        if gradient_request is not self.gradient_request:
            if any(self.table.row_of(source) is None for source in gradient_request[2]):
                return False
            self.gradient_request, self.sources = gradient_request, list(gradient_request[2])
            self._take_targets()
            self.serializer.set_targets(self.targets, self.off_tape)
            self.sweeps.pop("reverse", None)
        return True

    @property
    def tape(self) -> GradientTape:
        """The tape, held by a weak reference only."""
        tape = self.entry.ref()
        if tape is None:
            raise InspectorError("released", f"Tape {self.entry.id} no longer exists.", "Run its cell again.")
        return tape

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.table)

    def row_argument(self, message: Message, name: str, otherwise: int | None = None) -> int:
        """An argument of a request that is a row number."""
        return int_argument(message, name, 0, self.n - 1, otherwise)

    def row_range(self, message: Message, most: int) -> tuple[int, int]:
        """The span of rows that a request asks for, with at most ``most`` rows."""
        a = int_argument(message, "a", 0, self.n, 0)
        b = int_argument(message, "b", a, 1 << 40, self.n)
        return a, min(b, self.n, a + most)

    def reverse_sweep(self, message: Message) -> ReverseSweep | None:
        """The reverse sweep for the request's target and seed, otherwise the last one."""
        if message.get("target") is None and message.get("seed") is None:
            if "reverse" in self.sweeps:
                return self.sweeps["reverse"][1]  # type: ignore[return-value]
            if not self.serializer.targets:
                return None
        target = self.row_argument(message, "target", self.serializer.targets[0] if self.serializer.targets else None)
        seeds = self._seeds(target, message.get("seed"))
        hooks = self.table.record.hooks
        key = (target, repr(message.get("seed")))
        return self._sweep("reverse", key, lambda: ReverseSweep(self.table, seeds, hooks))  # type: ignore[return-value]

    def _seeds(self, target: int, seed: Any) -> dict[int, Any]:
        """Seeds by row; without a seed in the request, those of the gradient that was computed."""
        if seed is None and self.targets and target == self.targets[0]:
            seeds: dict[int, Any] = {}
            for row, weight in zip(self.targets, self.weights, strict=True):
                seed_ = seed_for(self.table, row, weight)
                seeds[row] = seeds[row] + seed_ if row in seeds else seed_
            return seeds
        return {target: seed_for(self.table, target, seed)}

    def forward_sweep(self, message: Message) -> ForwardSweep | None:
        """The forward sweep for the request's source and seed, otherwise the last one; None before any."""
        if message.get("source") is None:
            return self.sweeps["forward"][1] if "forward" in self.sweeps else None  # type: ignore[return-value]
        source = self.row_argument(message, "source")
        seed = message.get("seed")
        key = (source, repr(seed))
        begin = {source: seed_for(self.table, source, seed)}
        return self._sweep("forward", key, lambda: ForwardSweep(self.table, begin, {}))  # type: ignore[return-value]

    def _sweep(self, direction: str, key: Any, make: Callable[[], SteppedSweep]) -> SteppedSweep:
        known = self.sweeps.get(direction)
        if known is None or known[0] != key:
            self.sweeps[direction] = known = (key, make())
        return known[1]

    def quantity(self, what: str, row: int) -> Any:
        """A row's value, tangent or cotangent; the sweep advances until it is final."""
        if what == "value":
            return self.table.value(row)
        sweep = self.reverse_sweep({}) if what == "cotangent" else self.forward_sweep({})
        if sweep is None:
            return None
        sweep.advance_to(row)
        return sweep.result(row)

    def time_slice(self) -> Callable[[], bool]:
        """A function that tells whether a request's time slice is used up; small tapes finish in one."""
        end = time.perf_counter() + TIME_SLICE
        rows = iter(range(MIN_ROWS))
        return lambda: next(rows, None) is None and time.perf_counter() > end

    def advance_sweeps(self, whats: list[str], a: int, b: int) -> bool:
        """Advance the sweeps to these rows within one time slice; True if they have not arrived."""
        late = self.time_slice()
        for what, last in (("tangent", b - 1), ("cotangent", a)):
            sweep = (
                (self.forward_sweep({}) if what == "tangent" else self.reverse_sweep({}))
                if what in whats and a < b
                else None
            )
            if sweep is not None:
                sweep.advance_to(last, late)
                if not sweep.is_final(last):
                    return True
        return False

    def quantity_so_far(self, what: str, row: int) -> Any:
        """A row's value, tangent or cotangent, as far as the sweep has come."""
        if what == "value":
            return self.table.value(row)
        sweep = self.reverse_sweep({}) if what == "cotangent" else self.forward_sweep({})
        return sweep.result(row) if sweep is not None else None

    def classify_value(self, row: int) -> None:
        """Determine the kind of a row's value, and the first nan once all rows are known."""
        if self.kinds[row] == ord("?"):
            self.kinds[row] = ord(kind_letter(self.table.value(row)))
            self.not_scanned.discard(row)  # a row without a value is asked about again, and counts once
            if not self.not_scanned and self.bad is None and b"N" in self.kinds:
                self.bad = describe_nan(self.table, self.kinds.index(b"N"))


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection: building ten thousand rows would trigger it about thirty times."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class InspectorContext:
    """The state shared by request handlers: the tape history, the cells, the user's namespace and the cached views."""

    def __init__(self, history: TapeHistory, cells: CellRegistry, namespace: Callable[[], dict[str, Any]]) -> None:
        self.history, self.cells, self.namespace = history, cells, namespace
        self._cached_entries: list[TapeEntry] = []

    def view(self, message: Message, name: str = "tape") -> TapeView:
        """The view of the tape that a request names; the last few views are cached."""
        entry, tape = self.history.find(message.get(name))
        record = tape._record
        mark = (id(record), len(record.nodes), record.released and entry.saved_parts is None)
        known = entry.cache.get("view")
        if known is None or known[0] != mark or not known[1].refresh_gradient(tape):
            with _garbage_collection_paused():
                entry.cache["view"] = known = (mark, TapeView(self, entry, tape))
        self._cached_entries = [*(e for e in self._cached_entries if e is not entry), entry]
        if len(self._cached_entries) > _MAX_CACHED_VIEWS:
            self._cached_entries.pop(0).cache.clear()
        found: TapeView = known[1]
        return found

    def notice(self, entry: TapeEntry) -> Message:
        """The fields that announce a tape."""
        tape = entry.ref()
        view = entry.cache.get("view")
        rows = view[1].n if view is not None else _count_rows(tape) if tape is not None else 0
        title = entry.title
        return {
            "tape": entry.id,
            "title": title if len(title) <= _MAX_TITLE else title[: _MAX_TITLE - 1] + "…",
            "cell": _truncated_cell(self.cells.cell_key(entry.file)),
            "n": rows,
            "at": round(entry.at, 3),
            "bad": view[1].bad["node"] if view is not None and view[1].bad else None,
            "asked": getattr(tape, GRADIENT_REQUEST, NO_REQUEST)[3],
        }


def _truncated_cell(cell: str | int) -> str | int:
    """A cell's key, with long file names cut at the front."""
    return cell if type(cell) is int or len(str(cell)) <= _MAX_CELL else "…" + str(cell)[1 - _MAX_CELL :]


def _count_rows(tape: GradientTape) -> int:
    """The number of a tape's rows, counted without building its table."""
    nodes = tape._record.nodes
    own = set(nodes)
    leaves = {t.node for t in tape._watched} | {r.first.node for r in tape._record.readings.values()}
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
