"""Jupyter kernels that start in a tenth of a second: forked from a process that has imported everything but the kit.

``python warm_kernels.py serve SOCKET`` imports ipykernel, NumPy, numba, matplotlib and the widgets' libraries, and
forks a kernel for each request. ``python warm_kernels.py run SOCKET FILE`` is the command of a kernel specification:
it requests a kernel for a connection file, passes its own folder, environment, output and signals to it, and ends
with it. Each kernel imports the kit itself, like any other kernel.
"""

from __future__ import annotations

import array
import contextlib
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

WARM = ("numpy", "numba", "matplotlib.pyplot", "ipywidgets", "anywidget", "ipykernel.kernelapp", "debugpy")


class Server:
    """Fork a kernel for each connection; if one of the two ends, so does the other."""

    def __init__(self, address: str) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(address + ".new")
        self._listening.listen(16)
        Path(address + ".new").rename(address)  # it exists once the server listens
        self._woken, self._wake = socket.socketpair()
        for end in (self._woken, self._wake):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        for one in (self._listening, self._woken, sys.stdin):
            self._selector.register(one, selectors.EVENT_READ)
        self._running: dict[int, socket.socket] = {}

    def serve(self) -> None:
        """Run until the parent process closes the input."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    for pid in self._running:
                        os.kill(pid, signal.SIGKILL)
                    return
                if key.fileobj is self._listening:
                    self._start()
                elif key.fileobj is self._woken:
                    self._woken.recv(4096)
                elif key.data in self._running:  # the command was killed
                    os.kill(key.data, signal.SIGKILL)
            self._tell_of_ended()

    def _start(self) -> None:
        connection, _ = self._listening.accept()
        pid = _fork(connection, [self._listening, self._woken, self._wake, *self._running.values()])
        self._running[pid] = connection
        self._selector.register(connection, selectors.EVENT_READ, pid)

    def _tell_of_ended(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            connection = self._running.pop(pid)
            self._selector.unregister(connection)
            with contextlib.suppress(OSError):
                connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
            connection.close()


def serve(address: str) -> None:
    """Import what kernels need, then fork them."""
    os.environ.setdefault("MPLBACKEND", "agg")
    for name in WARM:
        importlib.import_module(name)
    Server(address).serve()


def _fork(connection: socket.socket, others: list[socket.socket]) -> int:
    """Make a kernel from the command's request, and send the command its process number."""
    request, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not request.endswith(b"\n"):
        request += connection.recv(1 << 20)
    asked: dict[str, Any] = json.loads(request)
    pid = os.fork()
    if pid:
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(f"{pid}\n".encode())
        return pid
    try:
        for one in (connection, *others):
            one.close()
        _become_a_kernel(asked, descriptors)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException:  # noqa: BLE001 - a kernel's end, whatever it is, must not become the server's
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _become_a_kernel(asked: dict[str, Any], descriptors: list[int]) -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.environ.pop("JPY_PARENT_PID", None)  # otherwise it would watch its parent, which is the command
    os.chdir(asked["folder"])
    sys.path[:] = ["", *(path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path), *sys.path[1:]]
    sys.argv = ["ipykernel_launcher", "-f", asked["file"]]
    _as_imported_now()
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=sys.argv[1:])


def _as_imported_now() -> None:
    """The environment variables that libraries read on import."""
    import matplotlib as mpl

    mpl.use(os.environ.get("MPLBACKEND", "module://matplotlib_inline.backend_inline"), force=False)
    import numba

    numba.config.reload_config()


def run(address: str, file: str) -> int:
    """Act as a kernel's command: request the kernel, pass signals on, end with it."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    asked = {"file": file, "folder": str(Path.cwd()), "environment": dict(os.environ)}
    streams = array.array("i", [0, 1, 2])
    connection.sendmsg([json.dumps(asked).encode() + b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    answers = connection.makefile()
    pid = int(answers.readline())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    status = int(answers.readline() or 1)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(run(*sys.argv[2:4]))
