"""What a child of the box gives up, and who watches it.

Three processes stand for one submission. The *keeper* opens new namespaces and watches; the *first* process of
the new process space mounts what may be seen, drops every right, and reaps; the *worker*, its child, runs the
learner's code. When the first process ends, the kernel ends everything in its space.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .limits import Ended, Limits
from .syscall_filter import install

__all__ = ["View", "keep"]

NEW_USER, NEW_PID, NEW_NET, NEW_IPC, NEW_NAMES = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
NEW_MOUNTS, PRIVATE, BIND = 0x00020000, 0x00044000, 0x00005000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 1, 2, 4, 8
DIE_WITH_PARENT, DROP_BOUND = 1, 24
LOOK_EVERY = 0.03


class View(NamedTuple):
    """What of the box's files is seen: folders that are empty, and those of Python or the kit that lie in /tmp."""

    hidden: tuple[str, ...]
    kept: tuple[str, ...]


def keep(work: Callable[[], None], limits: Limits, view: View, space: int, stop: int) -> Ended:
    """Run ``work`` in a space of its own and watch it; to be called in a process made for it.

    Parameters
    ----------
    work : callable
        Runs the learner's code.
    limits : Limits
        What it may use.
    view : View
        Which folders are empty for it, and which of those in /tmp stay.
    space : int
        Open folder ``/proc`` of the box.
    stop : int
        A descriptor that becomes readable when the submission is to be ended.

    Returns
    -------
    Ended
        ``done``, ``stopped``, ``memory``, ``cpu``, ``processes``, or ``crashed`` with an exit code or minus a signal.
    """
    user, group = os.getuid(), os.getgid()
    known = _processes(space)
    _must(_libc().unshare(NEW_USER | NEW_PID | NEW_NET | NEW_IPC | NEW_NAMES), "new namespaces")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        _write(space, f"self/{name}", text)
    first = os.fork()
    if first == 0:
        _first(work, limits, view)
    return _watch(first, limits, space, known, stop)


def _first(work: Callable[[], None], limits: Limits, view: View) -> None:
    """The first process of the new space: never comes back."""
    code = 70
    try:
        _prctl(DIE_WITH_PARENT, signal.SIGKILL)
        _mounts(limits, view)
        _limit(limits)
        worker = os.fork()
        if worker == 0:
            os.nice(5)  # the keeper comes first, however many there are
            _give_up_rights()
            install()
            work()
            os._exit(0)
        _give_up_rights()
        code = _reap(worker)
    finally:
        os._exit(code)


def _reap(worker: int) -> int:
    """Wait for the worker, and for orphans meanwhile; its exit code, or 128 and the signal that ended it."""
    while True:
        pid, status = os.wait()
        if pid == worker:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _mounts(limits: Limits, view: View) -> None:
    libc = _libc()
    _must(libc.unshare(NEW_MOUNTS), "a view of files of its own")
    _must(libc.mount(None, b"/", None, PRIVATE, None), "a private view of files")
    own = f"size={limits.disk},nr_inodes=4096,mode=0700".encode()
    kept = [(folder, os.open(folder, os.O_PATH)) for folder in view.kept]
    _must(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", NO_SUID | NO_DEVICES, own), "an empty /tmp")
    for folder, place in kept:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - pathlib is not needed in here
        _must(libc.mount(f"/proc/self/fd/{place}".encode(), folder.encode(), None, BIND, None), folder)
        os.close(place)
    for folder in ("/proc", "/dev/shm", "/dev/mqueue", *view.hidden):
        if os.path.isdir(folder):  # noqa: PTH112
            flags = READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC
            _must(libc.mount(b"tmpfs", folder.encode(), b"tmpfs", flags, b"size=4k,mode=0555"), folder)
    os.chdir("/tmp")


def _limit(limits: Limits) -> None:
    seconds = int(limits.cpu) + 1
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        # Address space is not memory: libraries reserve far more than they touch. The keeper counts what is touched.
        (resource.RLIMIT_AS, 4 * limits.memory),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_FSIZE, limits.file),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _give_up_rights() -> None:
    """Every capability, also those that a program could be started with."""
    libc = _libc()
    for capability in range(64):
        if libc.prctl(DROP_BOUND, capability, 0, 0, 0) != 0:
            break
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _must(libc.capset(ctypes.byref(head), ctypes.byref((ctypes.c_uint32 * 6)())), "no rights")


def _watch(first: int, limits: Limits, space: int, known: frozenset[int], stop: int) -> Ended:
    """Look at the whole space every few hundredths of a second until it ends or has to be ended."""
    gone = os.pidfd_open(first)
    try:
        while True:
            ready, _, _ = select.select([gone, stop], [], [], LOOK_EVERY)
            if gone in ready:
                code = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
                return Ended("done") if code == 0 else Ended("crashed", code if code < 128 else 128 - code)
            reason = "stopped" if stop in ready else _over(_processes(space) - known, limits, space)
            if reason:
                os.kill(first, signal.SIGKILL)
                os.waitpid(first, 0)
                return Ended(reason)
    finally:
        os.close(gone)


def _over(inside: frozenset[int], limits: Limits, space: int) -> str:
    if len(inside) > limits.processes - 2:
        return "processes"
    # What is resident is quickly told; only when that is too much is it worth asking what of it is shared.
    if sum(_resident(pid, space) for pid in inside) > limits.memory < sum(_memory(pid, space) for pid in inside):
        return "memory"
    return "cpu" if sum(_seconds(pid, space) for pid in inside) > limits.cpu else ""


def _processes(space: int) -> frozenset[int]:
    return frozenset(int(name) for name in os.listdir(space) if name.isdigit())


def _resident(pid: int, space: int) -> int:
    """Bytes of a process that stand in memory, shared ones among them."""
    with contextlib.suppress(OSError):
        for line in _lines(space, f"{pid}/statm"):
            return int(line.split()[1]) * resource.getpagesize()
    return 0


def _memory(pid: int, space: int) -> int:
    """Bytes that a process holds; what it shares is divided among those who share it."""
    with contextlib.suppress(OSError):
        for line in _lines(space, f"{pid}/smaps_rollup"):
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _seconds(pid: int, space: int) -> float:
    """Seconds that a process and those that it has waited for have computed."""
    with contextlib.suppress(OSError):
        for line in _lines(space, f"{pid}/stat"):
            times = line.rpartition(")")[2].split()[11:15]
            return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _lines(space: int, name: str) -> Iterator[str]:
    with open(os.open(name, os.O_RDONLY, dir_fd=space)) as file:  # noqa: PTH123
        yield from file


def _write(space: int, name: str, text: str) -> None:
    with open(os.open(name, os.O_WRONLY, dir_fd=space), "w") as file:  # noqa: PTH123
        file.write(text)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(what: int, value: int) -> None:
    _must(_libc().prctl(what, value, 0, 0, 0), "prctl")


def _must(answer: int, what: str) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
