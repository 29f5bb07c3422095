"""Who is told when this process has written progress: in a notebook's kernel, the panels."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

__all__ = ["listeners", "tell"]

listeners: list[Callable[[], None]] = []
"""Called after each transaction that changed something; what they raise is passed by."""


def tell() -> None:
    """Progress was written."""
    for listener in listeners:
        with suppress(Exception):
            listener()
