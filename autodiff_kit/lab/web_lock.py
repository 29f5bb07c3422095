"""Turns of two browser tabs at the progress file, by the browser's Web Locks.

Python in a browser cannot wait for a lock without giving up the running cell. It can wait for the answer to a request,
and the site's service worker answers when it holds the lock (`website/progress_lock.js`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

__all__ = ["LOCK_VARIABLE", "web_lock"]

LOCK_VARIABLE: Final = "AUTODIFF_KIT_LOCK"
"""The environment variable with the address at which a turn is asked for; set by the site."""


@contextmanager
def web_lock(_: Path) -> Iterator[None]:
    """Wait for a turn, and end it afterwards. A page without a service worker has no file that another tab sees."""
    name = uuid4().hex
    taken = _post(f"take/{name}")
    try:
        yield
    finally:
        if taken:
            _post(f"give/{name}")


def _post(path: str) -> bool:
    import js  # type: ignore[import-not-found]  # the browser's objects, in Pyodide

    request = js.XMLHttpRequest.new()
    request.open("POST", f"{os.environ[LOCK_VARIABLE]}/{path}", False)
    try:
        request.send()
    except Exception:  # noqa: BLE001 - Pyodide's own: nobody answered
        return False
    return bool(request.status == 204)
