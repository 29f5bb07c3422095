"""The batch's side of the grader's processes: start them, give them jobs, and check what they answer."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from typing import Any, Final

from autodiff_kit.errors import StructureError

from .grader_jobs import Job
from .grader_process import MAX_ANSWER_BYTES
from .sandbox import SAME_DIGITS, SandboxError

__all__ = ["GRADERS", "GraderPool"]

MAX_TRIES: Final = 2
END_SECONDS: Final = 5
GRACE_SECONDS: Final = 300
"""What a process may take beyond a job's limit: to start, to start a sandbox, and once more where one was lost."""
NO_FORM: Final = "The process that graded it answered in a form that there is not."
LOST: Final = "The process that graded it was lost twice."


class Grader:
    """A process that does jobs, one at a time; it is started with its first job."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._ended = False

    def run(self, job: Job) -> Any:
        """Do a job; what came of it, as the job's method ``parse`` says.

        Raises
        ------
        StructureError
            If the teacher's checks cannot be loaded.
        SandboxError
            If a sandbox is required and cannot be started.
        """
        for _ in range(MAX_TRIES):
            try:
                kind, _, said = self._ask(job).partition(b"\n")
                break
            except (EOFError, OSError):
                self._stop()
        else:
            return job.failed(LOST)
        if kind == b"answer":
            try:
                return job.parse(json.loads(said))
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
                return job.failed(NO_FORM)
        words = said.decode(errors="replace")
        if kind in ERRORS:
            raise ERRORS[kind](words)
        return job.exceeded(words) if kind == b"exceeded" else job.failed(words)

    def end(self) -> None:
        """End the process, and with it the sandbox; no other is started. May be called from any thread."""
        self._ended = True
        self._stop()

    def _stop(self) -> None:
        process, ours = self._process, self._socket
        if process is None or ours is None:
            return
        with contextlib.suppress(OSError):
            ours.shutdown(socket.SHUT_RDWR)  # which a thread that waits for an answer sees at once, unlike a close
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        ours.close()
        self._process = self._socket = None

    def _ask(self, job: Job) -> bytes:
        if self._socket is None:
            self._start()
        assert self._socket is not None, "it was started"
        control = Connection(os.dup(self._socket.fileno()))
        with control:
            control.send(job)
            if not control.poll(2 * job.limits.wall + GRACE_SECONDS):
                raise EOFError
            return control.recv_bytes(MAX_ANSWER_BYTES)

    def _start(self) -> None:
        if self._ended:
            raise RuntimeError("this process was ended")
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autodiff_kit.grade.grader_process", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(),),
                env={**os.environ, **SAME_DIGITS}, start_new_session=True,
            )  # fmt: skip
        with Connection(os.dup(self._socket.fileno())) as control:
            control.send(sys.path)


class GraderPool:
    """Grader's processes, as many as there are jobs at one time; they are kept for the next jobs."""

    def __init__(self) -> None:
        self._idle: queue.LifoQueue[Grader] = queue.LifoQueue()
        self._all: list[Grader] = []

    def run(self, job: Job) -> Any:
        """Do a job in a process that is idle, or in a new one."""
        idle = self._idle  # those that are ended meanwhile do not come back
        try:
            grader = idle.get_nowait()
        except queue.Empty:
            grader = Grader()
            self._all.append(grader)
        try:
            return grader.run(job)
        finally:
            idle.put(grader)

    def map(self, jobs: Sequence[Any], workers: int) -> Iterator[tuple[int, Any]]:
        """Do jobs in several processes; yield the place of each job and what came of it, as they end."""
        pool = ThreadPoolExecutor(max(1, min(workers, len(jobs))))
        waiting = {pool.submit(self.run, job): place for place, job in enumerate(jobs)}
        try:
            for future in as_completed(waiting):
                yield waiting.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self.close()
            raise
        finally:
            pool.shutdown()

    def close(self) -> None:
        """End all processes."""
        for grader in self._all:
            grader.end()
        self._all.clear()
        self._idle = queue.LifoQueue()


ERRORS: Final = {b"structure": StructureError, b"sandbox": SandboxError}
GRADERS: Final = GraderPool()
"""Those of this process; on a cluster, of a worker."""
