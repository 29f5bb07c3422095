"""What this site changes in JupyterLite's Python kernel."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import js
from pyodide_kernel.comm import Comm

_publish = Comm.publish_msg


def apply(shell: Any) -> None:
    """Complete names by looking at the objects, without jedi, and send comm messages as JSON."""
    shell.Completer.use_jedi = False
    Comm.publish_msg = _publish_json


def _publish_json(
    self: Any, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
) -> None:
    """Send a message whose None is null in the page, as from any other kernel, where Pyodide makes undefined of it.

    Numbers that JSON does not have are sent as Pyodide sends them.
    """
    with suppress(TypeError, ValueError):
        data = js.JSON.parse(json.dumps(data, allow_nan=False))
    _publish(self, msg_type, data, metadata, buffers, **keys)
