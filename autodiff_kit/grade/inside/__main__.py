"""Load everything that notebooks use, then fork a child for each submission that is handed in.

``--once FD`` runs one submission in this very process instead: without a box of its own.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import traceback

from . import sandbox
from .limits import Limits
from .notebook import make_shell, work

__all__ = ["main"]

PRELOADED = (
    "autodiff_kit.learn", "autodiff_kit.core.custom_gradient", "autodiff_kit.transforms.reverse_mode",
    "autodiff_kit.optim", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "matplotlib.backends.backend_agg",
)  # fmt: skip
LONGEST_JOB = 1 << 16


def main(arguments: list[str]) -> None:
    """Serve the control socket whose descriptor is given until it is closed."""
    for name in PRELOADED:
        __import__(name)
    shell = make_shell()
    if arguments[0] == "--once":
        work(int(arguments[1]), shell)
        return
    # A collection in a child would write to every page that it shares with this process, and so copy them all.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(arguments[0]))
    control.send(b'{"ready": true}')
    space = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, LONGEST_JOB, 1)
        if not data:
            return
        job = json.loads(data)
        if not descriptors:  # a late "stop" for a submission that has ended by itself
            continue
        keeper = os.fork()
        if keeper == 0:
            _keep(control, descriptors[0], job, space, shell)
        os.close(descriptors[0])
        os.waitpid(keeper, 0)


def _keep(control: socket.socket, channel: int, job: dict[str, object], space: int, shell: object) -> None:
    """The keeper's life: never comes back."""

    def in_the_cage() -> None:
        control.close()
        os.close(space)
        work(channel, shell)

    try:
        limits = Limits(**job["limits"])  # type: ignore[arg-type]
        view = sandbox.View(tuple(job["hidden"]), tuple(job["kept"]))  # type: ignore[arg-type]
        ended = sandbox.keep(in_the_cage, limits, view, space, control.fileno())
        control.send(json.dumps({"how": ended.how, "code": ended.code}).encode())
    except BaseException:  # noqa: BLE001 - the grader is told whatever it was
        control.send(json.dumps({"how": "broken", "why": traceback.format_exc()[-2000:]}).encode())
    finally:
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
