"""Count the tapes that a learner's function opens, their nodes alive at once, and the bytes held afterwards."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff_kit.core.record import Node
    from autodiff_kit.core.tape import GradientTape
    from autodiff_kit.core.tape_observer import TapeObserver

__all__ = ["TapeMeter"]

FIRST_COUNT = 16  # number of closed tapes at which live nodes are counted for the first time


def live_nodes() -> list[Node]:
    """All nodes of all records that the garbage collector visits."""
    from autodiff_kit.core.record import Node

    kinds, waiting = set(), [Node]  # a lookup in a set of types is faster than isinstance
    while waiting:
        kinds.add(kind := waiting.pop())
        waiting += kind.__subclasses__()
    return [one for one in gc.get_objects() if type(one) in kinds and one.record is not None]


class TapeMeter:
    """Context manager that observes tapes while a block runs; an earlier observer still gets every event.

    Parameters
    ----------
    wanted : bool
        Whether to observe at all.

    Attributes
    ----------
    max_live_nodes : int
        Largest number of nodes alive at one time, without those from before the block. The nodes of a tape are counted
        when it closes. All live nodes are counted after the 16th, 32nd, 64th tape and so on and at the end, because
        that count visits every object made in the block. Objects from before are frozen: a kernel in which a lesson has
        run holds a million of them.
    max_tape_bytes : int
        The most bytes that one tape held when it closed.
    """

    _running = 0  # meters that observe now: the last of them unfreezes
    _frozen_by_others: bool | None = None  # asked once, because the answer takes a visit to every frozen object

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._previous: TapeObserver | None = None
        self._opened: list[weakref.ref[GradientTape]] = []
        self._closed = self.max_live_nodes = self.max_tape_bytes = 0

    def __enter__(self) -> TapeMeter:
        if self._wanted:
            from autodiff_kit.core.tape_observer import set_tape_observer

            self._previous = set_tape_observer(self)
            if TapeMeter._frozen_by_others is None:
                TapeMeter._frozen_by_others = gc.get_freeze_count() > 0
            TapeMeter._running += 1
            gc.freeze()
        return self

    def __exit__(self, *_: object) -> None:
        if self._wanted:
            from autodiff_kit.core.tape_observer import set_tape_observer

            set_tape_observer(self._previous)
            if any(tape() is not None for tape in self._opened):
                gc.collect()  # a tape that only a reference cycle holds was not kept on purpose
            if self._opened:
                self._count_live_nodes()
            TapeMeter._running -= 1
            if not (TapeMeter._running or TapeMeter._frozen_by_others):
                gc.unfreeze()

    def count(self) -> tuple[int, int]:
        """Number of tapes that were opened, and bytes that they hold now."""
        kept = {id(tape): tape for ref in self._opened if (tape := ref()) is not None}
        return len(self._opened), sum(tape.nbytes for tape in kept.values())

    def _count_live_nodes(self) -> None:
        self.max_live_nodes = max(self.max_live_nodes, len(live_nodes()))

    def tape_opened(self, tape: GradientTape) -> None:
        """Called when a tape begins to record."""
        self._opened.append(weakref.ref(tape))
        if self._previous is not None:
            self._previous.tape_opened(tape)

    def tape_closed(self, tape: GradientTape) -> None:
        """Called when a tape has left its ``with`` block."""
        self._closed += 1
        self.max_live_nodes = max(self.max_live_nodes, len(tape._record.nodes))
        self.max_tape_bytes = max(self.max_tape_bytes, tape.nbytes)
        if self._closed >= FIRST_COUNT and self._closed & (self._closed - 1) == 0:
            self._count_live_nodes()
        if self._previous is not None:
            self._previous.tape_closed(tape)

    def tape_differentiated(
        self, tape: GradientTape, targets: list[Any], weights: list[Any], sources: list[Any]
    ) -> None:
        """Called when a tape computes derivatives."""
        if self._previous is not None:
            self._previous.tape_differentiated(tape, targets, weights, sources)

    def tape_releases(self, tape: GradientTape) -> None:
        """Called before a tape releases its values."""
        if self._previous is not None:
            self._previous.tape_releases(tape)
