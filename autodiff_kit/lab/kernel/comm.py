"""The channel: one comm that the kernel opens, and any that a page opens to it.

A page that is loaded later than the kernel joins the open comm (its answers reach every page, which tell them apart by
``id``), or opens one of its own. Messages wait while a cell runs, and are answered before the next one; only on a comm
that a page opened in a subshell, and in a cell that awaits, they may be answered beside it. A tape that records then is
shown as far as it has come.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from autodiff_kit.core.tape import look_on
from autodiff_kit.lab.kernel.cells import Cells
from autodiff_kit.lab.kernel.inspector import VERSION, Inspector
from autodiff_kit.lessons.progress_listeners import progress_listeners

__all__ = ["TARGET", "Channel", "attach"]

TARGET = "autodiff_kit:tape"


class Channel:
    """Ties an inspector to a kernel's comms and to its cells.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        Of a running kernel.
    """

    def __init__(self, shell: Any) -> None:
        from comm import get_comm_manager

        self.shell = shell
        self.cells = Cells(shell)
        self.inspector = Inspector(None, lambda: shell.user_ns, self.cells, later=self._later).start()
        self.comms: list[Any] = []
        self._running()
        progress_listeners.append(self._progressed)
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)
        get_comm_manager().register_target(TARGET, self._opened)
        self.open()

    def open(self) -> None:
        """Open a comm to whoever listens."""
        from comm import create_comm

        self._take(create_comm(target_name=TARGET, data={"v": VERSION, "type": "hello"}))

    def close(self) -> None:
        """Undo all of it."""
        from comm import get_comm_manager

        self.shell.events.unregister("pre_run_cell", self._begin)
        self.shell.events.unregister("post_run_cell", self._end)
        get_comm_manager().unregister_target(TARGET, self._opened)
        progress_listeners.remove(self._progressed)
        self.inspector.stop()
        for comm in self.comms:
            comm.close()
        self.comms = []

    def _opened(self, comm: Any, _: Any) -> None:
        self._take(comm)

    def _take(self, comm: Any) -> None:
        send = comm.send
        self.comms.append(comm)
        self.inspector.join(send)
        comm.on_msg(lambda message: self.inspector.receive(message["content"].get("data"), send))
        comm.on_close(lambda _: self._closed(comm))

    def _closed(self, comm: Any) -> None:
        self.comms = [other for other in self.comms if other is not comm]
        self.inspector.leave(comm.send)

    # ---------------------------------------------------------------------------------------------------- cells
    def _running(self) -> None:
        """Note the cell that runs now: it began before anybody listened."""
        kernel = getattr(self.shell, "kernel", None)
        parent = kernel.get_parent() if kernel is not None else {}
        self.cells.ran(parent.get("content", {}).get("code"), parent.get("metadata", {}).get("cellId"))

    def _begin(self, info: Any) -> None:
        self.cells.ran(info.raw_cell, getattr(info, "cell_id", None))
        if not self.comms:  # the last one was closed; the next notice needs one
            self.open()

    def _end(self, _: Any) -> None:
        self.inspector.cell_ended()

    def _progressed(self) -> None:
        """Progress was written here, by a check or a prediction: the panels read it again."""
        from autodiff_kit.lessons.progress import progress

        self.inspector.broadcast({"v": VERSION, "type": "progress", "rev": progress().rev()})

    def _later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call a function once the kernel is at leisure; this may be asked for from any thread."""
        loop = self.shell.kernel.io_loop
        loop.add_callback(loop.call_later, seconds, function)


_channel: Channel | None = None


def attach(shell: Any = None) -> Channel | None:
    """Let the tape inspector ask this kernel; anywhere else than in a kernel nothing happens.

    Parameters
    ----------
    shell : InteractiveShell, optional
        By default the one that runs.

    Returns
    -------
    Channel or None
    """
    global _channel
    if shell is None:
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    if _channel is None or _channel.shell is not shell:
        if _channel is None and sys.platform != "win32":
            os.register_at_fork(after_in_child=_in_a_child)
        _channel = Channel(shell)
    return _channel


def _in_a_child() -> None:
    """A process that was forked has no channel: nobody looks at its tapes."""
    look_on(None)
