"""Observers of tapes, such as JupyterLab's inspector: notified when a tape opens, closes, differentiates, releases."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["TapeObserver", "observers", "set_tape_observer"]


class TapeObserver(Protocol):
    """The methods of an observer; none of them may raise."""

    def tape_opened(self, tape: Any) -> None:
        """A tape begins to record."""

    def tape_closed(self, tape: Any) -> None:
        """A tape has left its block."""

    def tape_differentiated(self, tape: Any, targets: list[Any], weights: list[Any], sources: list[Any]) -> None:
        """A tape is asked for derivatives of targets with respect to sources."""

    def tape_releases(self, tape: Any) -> None:
        """A tape is about to release its values."""


observers: list[TapeObserver] = []
"""The observer, or None."""


def set_tape_observer(observer: TapeObserver | None) -> TapeObserver | None:
    """Set the observer of all tapes, or None; returns the previous one."""
    before = observers[0] if observers else None
    observers[:] = [] if observer is None else [observer]
    return before
