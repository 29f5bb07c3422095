"""Disable Nagle's algorithm on the websockets between pages and kernels.

A kernel answers a panel with three small messages in a row. If a connection collects small packets (Nagle's
algorithm, RFC 896), the second message waits until the browser has acknowledged the first, and a browser without
messages of its own takes about 40 ms for that, at each step of the tape inspector.
"""

from __future__ import annotations

from typing import Any

__all__ = ["disable_nagle"]

SETTING = "kernel_websocket_connection_class"


def disable_nagle(app: Any) -> None:
    """Set TCP_NODELAY on the websockets between pages and kernels.

    Parameters
    ----------
    app : jupyter_server.serverapp.ServerApp
        The server; whatever class its connections are of, they stay of that class otherwise.
    """
    ordinary = app.web_app.settings.get(SETTING)
    if not isinstance(ordinary, type) or not hasattr(ordinary, "connect"):
        return

    class NoDelayConnection(ordinary):  # type: ignore[misc,valid-type]
        def connect(self) -> Any:
            self.websocket_handler.set_nodelay(True)
            return super().connect()

    app.web_app.settings[SETTING] = NoDelayConnection
