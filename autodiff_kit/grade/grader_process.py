"""The grader's processes: one that has imported everything, and forks a process with limits for each job.

``python -m autodiff_kit.grade.grader_process FD`` serves the batch's process (:mod:`.graders`). It loads checks, starts
the sandbox, forks, waits, and passes on what the forked process answers; it reads nothing of a learner's itself. What a
learner hands in can end the forked process alone. Then the sandbox is ended too, since nobody knows its state.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Final, NoReturn

from autodiff_kit.errors import StructureError

from .grader_jobs import GradeJob, GraderLimits, Job
from .inside.isolation import end_with_parent
from .sandbox import OtherUserRunner, SandboxError, SubmissionRunner, make_runner

__all__ = ["MAX_ANSWER_BYTES", "main"]

MAX_ANSWER_BYTES: Final = 1 << 20
MAX_WORDS: Final = 2000


class _Lost(Exception):  # noqa: N818 - what happened, not an error of this process
    """A process ended before it had an answer; nothing says whose fault it was."""


class _Server:
    """Runs one job after the other, each in a process of its own.

    Parameters
    ----------
    control : Connection
        To the batch's process, from which jobs come.
    """

    def __init__(self, control: Connection) -> None:
        self._control = control
        self._runner: SubmissionRunner | None = None
        self._runner_kind: tuple[int, bool] = (0, False)

    def serve(self) -> None:
        """Run jobs until the batch's process closes the connection."""
        while True:
            try:
                job: Job = self._control.recv()
            except (EOFError, OSError):
                return
            self._control.send_bytes(self._answer(job))

    def close(self) -> None:
        """End the sandbox."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _answer(self, job: Job) -> bytes:
        try:
            job.prepare()
            try:
                return self._run(job)
            except _Lost:
                return self._run(job)
        except StructureError as error:
            return _message("structure", str(error))
        except SandboxError as error:
            return _message("sandbox", str(error))
        except _Lost as error:
            return _message("lost", str(error))

    def _run(self, job: Job) -> bytes:
        """Run a job in a new process; its answer, or what ended it."""
        runner = self._runner_for(job) if isinstance(job, GradeJob) else None
        ours, theirs = Pipe(duplex=False)
        child = os.fork()
        if child == 0:
            self._control.close()
            ours.close()
            _work(job, runner, theirs)
        theirs.close()
        try:
            answer = self._receive(ours, child, job.limits)
        finally:
            ours.close()
        if runner is not None and not answer.startswith(b"answer"):
            self.close()  # nobody knows the state of the sandbox
        if answer.startswith(b"lost"):
            raise _Lost(answer.partition(b"\n")[2].decode())
        return answer

    def _receive(self, ours: Connection, child: int, limits: GraderLimits) -> bytes:
        """What a process says before it ends; it is ended at the limit of time, and with the batch."""
        ready = wait([ours, self._control], limits.wall)
        if self._control in ready:  # nothing is sent to a process that works: the batch has ended
            _kill(child)
            self.close()
            os._exit(0)
        try:
            answer = ours.recv_bytes(MAX_ANSWER_BYTES) if ready else _message("exceeded", "wall")
        except EOFError:
            return _how_it_ended(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        except OSError:
            answer = _message("exceeded", "output")
        _kill(child)
        return answer

    def _runner_for(self, job: GradeJob) -> SubmissionRunner:
        kind = (job.runner_limits.memory, job.sandbox)  # the rest of the limits is set anew for each submission
        if self._runner is None or kind != self._runner_kind:
            self.close()
            self._runner, self._runner_kind = _start_runner(job), kind
        self._runner.limits = job.runner_limits
        return self._runner


def _start_runner(job: GradeJob) -> SubmissionRunner:
    try:
        return make_runner(job.runner_limits, sandbox=job.sandbox)
    except SandboxError:
        if job.other_user:
            return OtherUserRunner(job.runner_limits)
        raise


def _work(job: Job, runner: SubmissionRunner | None, answer: Connection) -> NoReturn:
    """Do a job within its limits and say the answer; the process ends with it."""
    try:
        _discard_output()
        _set_limits(job.limits)
        said = _message("answer", json.dumps(job.work(runner)))
        if len(said) > MAX_ANSWER_BYTES:
            said = _message("exceeded", "output")
    except StructureError as error:
        said = _message("structure", str(error)[:MAX_WORDS])
    except MemoryError:
        said = b"exceeded\nmemory"
    except SandboxError as error:
        said = _message("lost", f"The sandbox was lost twice ({str(error).splitlines()[0][:MAX_WORDS]}).")
    except BaseException as error:  # noqa: BLE001 - one submission's failure is never another's
        said = _message("failed", f"The grader could not grade it ({type(error).__name__}).")
    try:
        answer.send_bytes(said)
    finally:
        os._exit(0)


def _discard_output() -> None:
    """Nothing that a check or an error prints reaches the teacher's terminal."""
    sink = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)


def _set_limits(limits: GraderLimits) -> None:
    """Limit this process; the soft limits alone, which a notebook without a sandbox is to be free of."""
    end_with_parent()
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        _set_soft(resource.RLIMIT_AS, used + limits.memory)
    _set_soft(resource.RLIMIT_CPU, int(limits.cpu))
    _set_soft(resource.RLIMIT_CORE, 0)


def _set_soft(which: int, most: int) -> None:
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _message(kind: str, words: str) -> bytes:
    return f"{kind}\n{words}".encode("utf-8", "replace")


def _how_it_ended(code: int) -> bytes:
    if code == -signal.SIGXCPU:
        return _message("exceeded", "cpu")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return _message("lost", f"The process that graded it was lost twice ({how}).")


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main(words: list[str]) -> None:
    """Serve the batch's process at the other end of a descriptor."""
    control = Connection(int(words[0]))
    sys.path[:] = control.recv()
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all pages
    server = _Server(control)
    try:
        server.serve()
    finally:
        server.close()


if __name__ == "__main__":
    main(sys.argv[1:])
