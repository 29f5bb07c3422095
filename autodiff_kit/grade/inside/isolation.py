"""Isolation of one submission: namespaces, mounts, resource limits, capabilities and supervision.

Three processes belong to a submission. The *supervisor* creates the new namespaces and watches the limits. The *init*
process of the new PID namespace mounts the visible files, drops all capabilities and reaps orphans. The *worker*, its
child, runs the learner's code. When the init process ends, the kernel kills all processes of its namespace. Init leads
a session of its own: signals and priorities for a process group reach nothing outside of the namespace. It has no
handlers, so that the kernel keeps from it what comes from inside.

What the limits count: memory that processes map, each page once; the sockets of all processes; processor time of all
processes, also of those that have ended. Shared memory exists in files of /tmp alone, whose size is bounded. What they
do not count: files of /tmp, and memory of the kernel (page tables, mappings, pipes, epoll), which the numbers of
processes and files and the size of an address space bound to some hundred megabytes. A control group counts both, where
there is one.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import stat
import sys
from collections.abc import Callable
from typing import NamedTuple

from .limits import ExitStatus, ResourceLimits, resource_limits
from .process_memory import PeakMeter, read_lines, write_file
from .syscall_filter import install_filter

__all__ = ["FilesystemView", "end_with_parent", "run_isolated"]

# Constants of the kernel, from <linux/sched.h>, <sys/mount.h> and <sys/prctl.h>.
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_NEWIPC, CLONE_NEWUTS = 0x08000000, 0x04000000
CLONE_NEWNS, MS_REC_PRIVATE, MS_BIND, MS_REC_BIND = 0x00020000, 0x00044000, 0x00001000, 0x00005000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_THP_DISABLE = 1, 24, 41
POLL_SECONDS = 0.03
MAX_REQUEST_BYTES = 1 << 12
MAX_TERMINALS = 8
MAX_SOCKETS = 64
"""Sockets of all processes; what lies in their queues is the kernel's memory, up to 416 kB for each."""


class FilesystemView(NamedTuple):
    """The visible files: folders that are replaced by empty ones, and what stays visible below /tmp."""

    hidden: tuple[str, ...]
    kept: tuple[str, ...]


def run_isolated(
    work: Callable[[], None], limits: ResourceLimits, view: FilesystemView, proc_fd: int, control_fd: int
) -> ExitStatus:
    """Run ``work`` in new namespaces and supervise it; the calling process becomes the supervisor.

    Parameters
    ----------
    work : callable
        Runs the learner's code.
    limits : ResourceLimits
        Its resource limits.
    view : FilesystemView
        The folders that it sees.
    proc_fd : int
        Descriptor of the sandbox's folder ``/proc``.
    control_fd : int
        The socket to the grader, which asks for the memory in use, or for the submission's end.

    Returns
    -------
    ExitStatus
        ``done``, ``stopped``, ``memory``, ``cpu``, ``processes``, ``sockets``, or ``crashed`` with an exit code or
        minus a signal.
    """
    user, group = os.getuid(), os.getgid()
    known = _process_ids(proc_fd)
    _check_result(
        _libc().unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS), "new namespaces"
    )
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        write_file(proc_fd, f"self/{name}", text)
    init_pid = os.fork()
    if init_pid == 0:
        _run_as_init(work, limits, view)
    return _supervise(init_pid, limits, proc_fd, known, control_fd)


def end_with_parent() -> None:
    """Let the kernel kill this process when the one that started it ends, however it ends."""
    if sys.platform == "linux":
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _run_as_init(work: Callable[[], None], limits: ResourceLimits, view: FilesystemView) -> None:
    """The init process of the new PID namespace; does not return."""
    code = 70
    try:
        end_with_parent()
        with contextlib.suppress(OSError):  # with huge pages an array's memory would be counted in steps of 2 MB
            _prctl(PR_SET_THP_DISABLE, 1)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _mount_filesystems(limits, view)
        _set_resource_limits(limits)
        worker = os.fork()
        if worker == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.nice(5)  # so that the supervisor always gets processor time
            _drop_capabilities()
            install_filter()
            work()
            os._exit(0)
        _drop_capabilities()
        code = _reap(worker)
    finally:
        os._exit(code)


def _reap(worker: int) -> int:
    """Wait for the worker, and meanwhile for orphans; return its exit code, or 128 plus the signal."""
    while True:
        pid, status = os.wait()
        if pid == worker:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _mount_filesystems(limits: ResourceLimits, view: FilesystemView) -> None:
    libc = _libc()
    _check_result(libc.unshare(CLONE_NEWNS), "a new mount namespace")
    _check_result(libc.mount(None, b"/", None, MS_REC_PRIVATE, None), "private mounts")
    own = f"size={limits.disk},nr_inodes=4096,mode=0700".encode()
    kept = [(path, os.open(path, os.O_PATH | os.O_NOFOLLOW)) for path in view.kept]
    _check_result(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, own), "an empty /tmp")
    for path, place in kept:
        _show_again(path, place)
        os.close(place)
    for folder in ("/proc", "/dev/shm", "/dev/mqueue", *view.hidden):
        if os.path.isdir(folder):  # noqa: PTH112
            flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
            _check_result(libc.mount(b"tmpfs", folder.encode(), b"tmpfs", flags, b"size=4k,mode=0555"), folder)
    # Terminals come out of one number for the machine, and /dev/zero makes memory that no process is charged for.
    terminals = f"newinstance,ptmxmode=0666,mode=0600,max={MAX_TERMINALS}".encode()
    _check_result(libc.mount(b"devpts", b"/dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, terminals), "a few terminals")
    _check_result(libc.mount(b"/dev/null", b"/dev/zero", None, MS_BIND, None), "/dev/zero")
    os.chdir("/tmp")


def _show_again(path: str, place: int) -> None:
    """Put a file, folder or link back to its path, of which an empty folder took the place."""
    kind, folder = os.fstat(place).st_mode, os.path.dirname(path)  # noqa: PTH120 - pathlib is not needed here
    os.makedirs(path if stat.S_ISDIR(kind) else folder, exist_ok=True)  # noqa: PTH103
    if stat.S_ISLNK(kind):
        os.symlink(os.readlink("", dir_fd=place), path)  # noqa: PTH211
        return
    if not stat.S_ISDIR(kind):
        os.close(os.open(path, os.O_CREAT))
    _check_result(_libc().mount(f"/proc/self/fd/{place}".encode(), path.encode(), None, MS_REC_BIND, None), path)


def _set_resource_limits(limits: ResourceLimits) -> None:
    for name, most in resource_limits(limits).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), most)


def _drop_capabilities() -> None:
    """Drop all capabilities, also those of the bounding set."""
    libc = _libc()
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check_result(libc.capset(ctypes.byref(head), ctypes.byref((ctypes.c_uint32 * 6)())), "dropping capabilities")


def _supervise(
    init_pid: int, limits: ResourceLimits, proc_fd: int, known: frozenset[int], control_fd: int
) -> ExitStatus:
    """Poll the processes of the namespace until they end or exceed a limit; return why they ended."""
    gone = os.pidfd_open(init_pid)
    meter = PeakMeter(proc_fd, alone=True)
    try:
        while True:
            ready, _, _ = select.select([gone, control_fd], [], [], POLL_SECONDS)
            if gone in ready:
                code = os.waitstatus_to_exitcode(os.waitpid(init_pid, 0)[1])
                return ExitStatus("done") if code == 0 else ExitStatus("crashed", code if code < 128 else 128 - code)
            inside = _process_ids(proc_fd) - known
            goes_on = control_fd not in ready or _answer_request(control_fd, meter, inside)
            reason = _exceeded_limit(inside, limits, proc_fd) if goes_on else "stopped"
            if reason:
                os.kill(init_pid, signal.SIGKILL)
                os.waitpid(init_pid, 0)
                return ExitStatus(reason)
    finally:
        os.close(gone)


def _answer_request(control_fd: int, meter: PeakMeter, inside: frozenset[int]) -> bool:
    """Answer a question of the grader for memory; return False if it asks for the end, or has closed the socket."""
    asked = json.loads(os.read(control_fd, MAX_REQUEST_BYTES) or b"{}").get("memory")
    if asked not in ("start", "peak"):
        return False
    answer = meter.start(inside) if asked == "start" else meter.peak(inside)
    os.write(control_fd, json.dumps({"memory": answer}).encode())
    return True


def _exceeded_limit(inside: frozenset[int], limits: ResourceLimits, proc_fd: int) -> str:
    if len(inside) > limits.processes - 2:
        return "processes"
    # Resident memory is cheap to read. The proportional share is computed only if that is above the limit.
    resident_is_over = sum(_resident_bytes(pid, proc_fd) for pid in inside) > limits.memory
    if resident_is_over and sum(_proportional_bytes(pid, proc_fd) for pid in inside) > limits.memory:
        return "memory"
    if _socket_count(proc_fd) > MAX_SOCKETS:
        return "sockets"
    return "cpu" if sum(_cpu_seconds(pid, proc_fd) for pid in inside) > limits.cpu else ""


def _process_ids(proc_fd: int) -> frozenset[int]:
    return frozenset(int(name) for name in os.listdir(proc_fd) if name.isdigit())


def _resident_bytes(pid: int, proc_fd: int) -> int:
    """Resident memory of a process, including shared pages."""
    with contextlib.suppress(OSError):
        for line in read_lines(proc_fd, f"{pid}/statm"):
            return int(line.split()[1]) * resource.getpagesize()
    return 0


def _proportional_bytes(pid: int, proc_fd: int) -> int:
    """Proportional set size of a process: shared pages are divided among the processes that share them."""
    try:
        for line in read_lines(proc_fd, f"{pid}/smaps_rollup"):
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except PermissionError:  # it made itself unreadable: all of its memory counts
        return _resident_bytes(pid, proc_fd)
    except OSError:  # it has ended
        pass
    return 0


def _cpu_seconds(pid: int, proc_fd: int) -> float:
    """Processor time of a process and of its children that have ended. Its name, before the numbers, may hold a line
    feed.
    """
    with contextlib.suppress(OSError):
        times = "".join(read_lines(proc_fd, f"{pid}/stat")).rpartition(")")[2].split()[11:15]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _socket_count(proc_fd: int) -> int:
    """Sockets of the network namespace, which is the submission's own, as are those that are in no process's hands."""
    for line in read_lines(proc_fd, "self/net/sockstat"):
        return int(line.split()[2])
    return 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(what: int, value: int) -> None:
    _check_result(_libc().prctl(what, value, 0, 0, 0), "prctl")


def _check_result(answer: int, what: str) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
