"""The main process of a sandbox: import everything that notebooks use, then fork a process for each submission.

``--once FD`` runs one submission in this process instead, without a sandbox.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import traceback

from . import isolation
from .limits import ResourceLimits
from .notebook_runner import make_silent_shell, run_submission

__all__ = ["main"]

PRELOADED = (
    "autodiff_kit.learn", "autodiff_kit.transforms", "autodiff_kit.optim",
    "matplotlib.pyplot", "matplotlib_inline.backend_inline", "matplotlib.backends.backend_agg",
)  # fmt: skip
MAX_JOB_BYTES = 1 << 16


def main(arguments: list[str]) -> None:
    """Start a submission for each message on the control socket, until the socket is closed."""
    for name in PRELOADED:
        __import__(name)
    shell = make_silent_shell()
    if arguments[0] == "--once":
        isolation.end_with_parent()
        run_submission(int(arguments[1]), shell)
        return
    # A garbage collection in a child would write to all pages shared with this process, and so copy them.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(arguments[0]))
    control.send(b'{"ready": true}')
    proc_fd = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, MAX_JOB_BYTES, 1)
        if not data:
            return
        job = json.loads(data)
        if not descriptors:  # a "stop", or a question for memory, after the submission had ended
            continue
        supervisor = os.fork()
        if supervisor == 0:
            _supervise(control, descriptors[0], job, proc_fd, shell)
        os.close(descriptors[0])
        os.waitpid(supervisor, 0)


def _supervise(control: socket.socket, channel: int, job: dict[str, object], proc_fd: int, shell: object) -> None:
    """Run and supervise one submission and report how it ended; does not return."""

    def run_worker() -> None:
        control.close()
        os.close(proc_fd)
        run_submission(channel, shell)

    try:
        limits = ResourceLimits(**job["limits"])  # type: ignore[arg-type]
        view = isolation.FilesystemView(tuple(job["hidden"]), tuple(job["kept"]))  # type: ignore[arg-type]
        ended = isolation.run_isolated(run_worker, limits, view, proc_fd, control.fileno())
        control.send(json.dumps({"how": ended.reason, "code": ended.code}).encode())
    except BaseException:  # noqa: BLE001 - every failure is reported to the grader
        control.send(json.dumps({"how": "broken", "why": traceback.format_exc()[-2000:]}).encode())
    finally:
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
