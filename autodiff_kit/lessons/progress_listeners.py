"""Listeners that are called after progress was written, such as the panels of a notebook's kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

__all__ = ["notify_progress_listeners", "progress_listeners"]

progress_listeners: list[Callable[[], None]] = []
"""Called after each transaction that changed something; their exceptions are ignored."""


def notify_progress_listeners() -> None:
    """Call every listener."""
    for listener in progress_listeners:
        with suppress(Exception):
            listener()
