"""The inspector's Jupyter comms: one that the kernel opens, and those that pages open.

A page that is loaded after the kernel joins the open comm (its answers reach every page; pages recognize theirs by
``id``), or opens another one. Messages wait while a cell runs, and are answered before the next cell. Only on a comm
that a page opened in a subshell, and in a cell that awaits, they may be answered while a cell runs. A tape that is
still recording is then shown as far as it has come.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any

from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.lab.environment import PANELS_VARIABLE
from autodiff_kit.lab.kernel.cells import CellRegistry
from autodiff_kit.lab.kernel.inspector import VERSION, TapeInspector
from autodiff_kit.lessons.progress_listeners import progress_listeners

__all__ = ["COMM_TARGET", "InspectorComm", "attach"]

COMM_TARGET = "autodiff_kit:tape"


class InspectorComm:
    """Connects a tape inspector to a kernel's comms and cell events.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell of a running kernel.
    """

    def __init__(self, shell: Any) -> None:
        from comm import get_comm_manager

        self.shell = shell
        self.cells = CellRegistry(shell)
        self.inspector = TapeInspector(
            None,
            lambda: shell.user_ns,
            self.cells,
            call_later=self._call_later,
            keeps_latest=PANELS_VARIABLE in os.environ,
        ).start()
        self.comms: list[Any] = []
        progress_listeners.append(self._on_progress)
        shell.events.register("pre_run_cell", self._on_pre_run_cell)
        shell.events.register("post_run_cell", self._on_post_run_cell)
        get_comm_manager().register_target(COMM_TARGET, self._on_comm_open)
        if self._record_running_cell():
            self.open()

    def open(self) -> None:
        """Open a comm to every page that registered the target."""
        from comm import create_comm

        self._add_comm(create_comm(target_name=COMM_TARGET, data={"v": VERSION, "type": "hello"}))

    def close(self) -> None:
        """Close all comms, unregister the callbacks and stop the inspector."""
        from comm import get_comm_manager

        self.shell.events.unregister("pre_run_cell", self._on_pre_run_cell)
        self.shell.events.unregister("post_run_cell", self._on_post_run_cell)
        get_comm_manager().unregister_target(COMM_TARGET, self._on_comm_open)
        progress_listeners.remove(self._on_progress)
        self.inspector.stop()
        for comm in self.comms:
            comm.close()
        self.comms = []

    def _on_comm_open(self, comm: Any, _: Any) -> None:
        self._add_comm(comm)

    def _add_comm(self, comm: Any) -> None:
        send = comm.send
        self.comms.append(comm)
        self.inspector.add_sender(send)
        comm.on_msg(lambda message: self.inspector.receive(message["content"].get("data"), send))
        comm.on_close(lambda _: self._on_comm_close(comm))

    def _on_comm_close(self, comm: Any) -> None:
        self.comms = [other for other in self.comms if other is not comm]
        self.inspector.remove_sender(comm.send)

    # ---------------------------------------------------------------------------------------------------- cells
    def _record_running_cell(self) -> bool:
        """Record the cell that is running: it started before the callbacks were registered. False if none can run."""
        kernel = getattr(self.shell, "kernel", None)
        try:
            parent = kernel.get_parent() if kernel is not None else {}
        except AttributeError:  # a browser's kernel imports the kit before it answers any page
            return False
        self.cells.record_run(parent.get("content", {}).get("code"), parent.get("metadata", {}).get("cellId"))
        return True

    def _on_pre_run_cell(self, info: Any) -> None:
        self.cells.record_run(info.raw_cell, getattr(info, "cell_id", None))
        if not self.comms:  # none was opened yet, or the last was closed; the next notice needs one
            self.open()

    def _on_post_run_cell(self, _: Any) -> None:
        self.inspector.cell_ended()

    def _on_progress(self) -> None:
        """Announce that this kernel wrote progress, so that the panels read it again."""
        from autodiff_kit.lessons.progress import progress

        self.inspector.broadcast({"v": VERSION, "type": "progress", "rev": progress().rev()})

    def _call_later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call a function on the kernel's event loop after a delay; safe from any thread."""
        loop = getattr(self.shell.kernel, "io_loop", None)
        if loop is None:  # a kernel in the browser has the page's loop and no other thread
            asyncio.get_event_loop().call_later(seconds, function)
        else:
            loop.add_callback(loop.call_later, seconds, function)


_inspector_comm: InspectorComm | None = None


def attach(shell: Any = None) -> InspectorComm | None:
    """Open the inspector's comm in this kernel; outside of a kernel, do nothing.

    Parameters
    ----------
    shell : InteractiveShell, optional
        By default the running shell.

    Returns
    -------
    InspectorComm or None
    """
    global _inspector_comm
    if shell is None:
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    if _inspector_comm is None or _inspector_comm.shell is not shell:
        if _inspector_comm is None and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork_in_child)
        _inspector_comm = InspectorComm(shell)
    return _inspector_comm


def _after_fork_in_child() -> None:
    """A forked process has no comm, so it no longer observes tapes."""
    set_tape_observer(None)
