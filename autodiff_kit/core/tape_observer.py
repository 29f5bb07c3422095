"""Observers of tapes, such as JupyterLab's inspector: told when a tape opens, closes, differentiates and releases."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["TapeObserver", "observers", "set_tape_observer"]


class TapeObserver(Protocol):
    """What an observer answers to; none of its methods may raise."""

    def tape_opened(self, tape: Any) -> None:
        """A tape begins to record."""

    def tape_closed(self, tape: Any) -> None:
        """A tape has left its block."""

    def tape_differentiated(self, tape: Any, targets: list[Any], weights: list[Any], sources: list[Any]) -> None:
        """A tape is asked for derivatives of targets with respect to sources."""

    def tape_releases(self, tape: Any) -> None:
        """A tape is about to release its values."""


observers: list[TapeObserver] = []
"""The observer, or nothing."""


def set_tape_observer(observer: TapeObserver | None) -> TapeObserver | None:
    """Set the observer of all tapes from here on, or none; returns the one before."""
    before = observers[0] if observers else None
    observers[:] = [] if observer is None else [observer]
    return before
