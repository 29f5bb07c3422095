"""Messages about subshells say nothing of whether a kernel is busy.

JupyterLab asks for a subshell for each comm that a kernel opens. A kernel answers on its control channel, at once, and
reports that it is busy and idle again, also while a cell runs: the cell would then count as idle, in JupyterLab and in
the server's own list of kernels. The server has a setting for messages that are not of the shell channel, which its
JupyterLab pages follow as well.
"""

from __future__ import annotations

from typing import Any

__all__ = ["SUBSHELL_REQUESTS", "ignore_subshell_status"]

SUBSHELL_REQUESTS = ("create_subshell_request", "delete_subshell_request", "list_subshell_request")


def ignore_subshell_status(app: Any) -> None:
    """Add the requests about subshells to those that do not change a kernel's state.

    Parameters
    ----------
    app : jupyter_server.serverapp.ServerApp
        The server. One whose kernels' manager has no such setting is left as it is.
    """
    manager: Any = getattr(app, "kernel_manager", None)
    known = getattr(manager, "untracked_message_types", None)
    if known is not None:
        manager.untracked_message_types = [*known, *(kind for kind in SUBSHELL_REQUESTS if kind not in known)]
