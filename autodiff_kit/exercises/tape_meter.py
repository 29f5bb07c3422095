"""Counts the tapes that a learner's function opens, the nodes that live meanwhile, and what is held in the end."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff_kit.core.record import Node
    from autodiff_kit.core.tape import GradientTape, Onlooker

__all__ = ["Tapes"]

FIRST_LOOK = 16  # tapes


def living() -> list[Node]:
    """All nodes of records; values on no record are none."""
    from autodiff_kit.core.record import Node

    kinds, waiting = set(), [Node]  # a set of types is asked faster than a type for its bases
    while waiting:
        kinds.add(kind := waiting.pop())
        waiting += kind.__subclasses__()
    return [one for one in gc.get_objects() if type(one) in kinds and one.record is not None]


class Tapes:
    """Looks on while a block runs, and passes on what it sees to whoever looked before.

    Parameters
    ----------
    wanted : bool
        Nothing is looked at otherwise.

    Attributes
    ----------
    most : int
        The most nodes of records that lived at once, above those from before. A tape's own are counted as it closes;
        all that live, after the 16th tape, the 32nd, the 64th and so on and at the end, since that is a walk through
        every object of the process.
    """

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._before: Onlooker | None = None
        self._opened: list[weakref.ref[GradientTape]] = []
        self._old: list[Node] = []
        self._closed = self.most = 0

    def __enter__(self) -> Tapes:
        if self._wanted:
            from autodiff_kit.core.tape import look_on

            self._before = look_on(self)
            self._old = living()  # held, so that none of them makes room unseen
        return self

    def __exit__(self, *_: object) -> None:
        if self._wanted:
            from autodiff_kit.core.tape import look_on

            look_on(self._before)

    def count(self) -> tuple[int, int]:
        """How many tapes were opened, and the bytes that they hold now."""
        if any(tape() is not None for tape in self._opened):
            gc.collect()  # a closure that holds itself has not kept its tape on purpose
        if self._opened:
            self._look()
        self._old = []
        kept = {id(tape): tape for ref in self._opened if (tape := ref()) is not None}
        return len(self._opened), sum(tape.nbytes for tape in kept.values())

    def _look(self) -> None:
        self.most = max(self.most, len(living()) - len(self._old))

    def enters(self, tape: GradientTape) -> None:
        """A tape begins to record."""
        self._opened.append(weakref.ref(tape))
        if self._before is not None:
            self._before.enters(tape)

    def closes(self, tape: GradientTape) -> None:
        """A tape has left its block."""
        self._closed += 1
        self.most = max(self.most, len(tape._record.nodes))
        if self._closed >= FIRST_LOOK and self._closed & (self._closed - 1) == 0:
            self._look()
        if self._before is not None:
            self._before.closes(tape)

    def asked(self, tape: GradientTape, targets: list[Any], weights: list[Any], sources: list[Any]) -> None:
        """A tape is asked for derivatives."""
        if self._before is not None:
            self._before.asked(tape, targets, weights, sources)

    def lets_go(self, tape: GradientTape) -> None:
        """A tape is about to let go of its values."""
        if self._before is not None:
            self._before.lets_go(tape)
