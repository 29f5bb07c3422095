"""The sandbox for submissions: bubblewrap around a preloaded Python that forks a process for each submission.

This module runs outside of the sandbox, :mod:`.inside` inside it. The sandbox has no network, a read-only system, and
of all other files only those of Python; each submission gets separate namespaces within the sandbox.

Limits of the protection:

- A vulnerability of the kernel, which the sandboxes share with the grader.
- A notebook can replace the kit's code in its own process. It can then claim that no argument was changed, that no
  memory is shared, that no tape was opened and that nothing overflowed, because these are measured where the function
  runs: a tape, its nodes and the memory behind an array are objects that only that process knows. Values, counts of
  calls and points are computed by the grader, and peak memory is the kernel's (see :mod:`.inside.process_memory` for
  what that misses).
- Random numbers that a notebook draws from a new generator without a seed differ from run to run. (The global
  generators of NumPy and Python are seeded.)
- Whether a very slow answer ends in time depends on the load of the machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, TypeAlias

import autodiff_kit
from autodiff_kit.errors import AutodiffError

from .cgroup import create_control_group
from .inside.limits import ExitStatus, ResourceLimits, resource_limits
from .inside.process_memory import PeakMeter
from .protocol import ConnectionLost, MessageSocket

__all__ = ["OtherUserRunner", "Sandbox", "SandboxError", "SubmissionRunner", "UnsandboxedRunner", "make_runner"]

START_TIMEOUT = 60.0
END_TIMEOUT = 30.0
ENVIRONMENT: Final = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "USER": "learner",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "PYTHONHASHSEED": "0",
    # One thread, and NumPy's own loops: the same digits on every run and on equal machines.
    "AUTODIFF_KIT_NUMBA": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    # An array of 128 kB or more is memory of its own, which begins and ends with it: peak memory is measured by that.
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "NUMPY_MADVISE_HUGEPAGE": "0",
    "JUPYTER_PLATFORM_DIRS": "1",
}
HIDDEN_FOLDERS: Final = ("grade", "author", "exercises/questions")


class SandboxError(AutodiffError, RuntimeError):
    """The sandbox cannot be started on this machine, or was lost; the message says why and what to do."""


class Sandbox:
    """A running sandbox; it runs one submission at a time.

    Parameters
    ----------
    limits : ResourceLimits
        For each submission.
    """

    def __init__(self, limits: ResourceLimits) -> None:
        self.limits = limits
        self._ended: dict[str, Any] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._control, remote_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._cgroup = create_control_group(limits)
        first = self._cgroup.command_prefix() if self._cgroup else []
        with remote_end:
            self._process = subprocess.Popen(
                [*first, *_bwrap_command(remote_end.fileno())],
                stdin=subprocess.DEVNULL, stdout=self._errors, stderr=self._errors,
                pass_fds=(remote_end.fileno(),), start_new_session=True,
            )  # fmt: skip
        self._receive_control("a sandbox that starts", START_TIMEOUT)

    def start_submission(self) -> MessageSocket:
        """Start the process of a submission and return the socket to it."""
        local_end, remote_end = socket.socketpair()
        package = Path(autodiff_kit.__file__).parent
        job = {
            "limits": asdict(self.limits),
            "hidden": [str(package / name) for name in HIDDEN_FOLDERS],
            "kept": [str(folder) for folder in _python_folders() if folder.is_relative_to("/tmp")],
        }
        with remote_end:
            try:
                socket.send_fds(self._control, [json.dumps(job).encode()], [remote_end.fileno()])
            except OSError as error:
                local_end.close()
                raise SandboxError(f"The sandbox has ended ({error}).") from error
        return MessageSocket(local_end)

    def end_submission(self, channel: MessageSocket, *, grace_seconds: float) -> ExitStatus:
        """End a submission and return how; its processes have some seconds to exit by themselves."""
        channel.close()
        ready, _, _ = select.select([self._control], [], [], grace_seconds if self._ended is None else 0.0)
        if not ready and self._ended is None:
            with contextlib.suppress(OSError):
                self._control.send(b'{"stop": true}')
        found = self._ended or self._receive_control("a submission that ends", END_TIMEOUT)
        self._ended = None
        if found["how"] == "broken":
            raise SandboxError(f"The sandbox could not isolate a submission:\n{found['why']}")
        if self._cgroup is not None and self._cgroup.ran_out_of_memory():
            return ExitStatus("memory")
        return ExitStatus(str(found["how"]), int(found["code"]))

    def start_memory(self) -> bool:
        """Begin to measure the peak memory of the submission's processes; return whether it can be measured."""
        return bool(self._ask_memory("start"))

    def peak_memory(self) -> int:
        """The most bytes since the start of the measurement beyond those that were in use then."""
        return int(self._ask_memory("peak"))

    def _ask_memory(self, what: str) -> Any:
        try:
            self._control.send(json.dumps({"memory": what}).encode())
        except OSError as error:
            raise SandboxError(f"The sandbox has ended ({error}).") from error
        found = self._receive_control("the memory of a submission", END_TIMEOUT)
        if "memory" not in found:
            self._ended = found
            raise ConnectionLost("the submission has ended")
        return found["memory"]

    def close(self) -> None:
        """End the sandbox with all its processes."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        self._errors.close()
        if self._cgroup is not None:
            self._cgroup.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _receive_control(self, what: str, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(1 << 16)
        except TimeoutError:
            data = b""
        except OSError as error:
            raise SandboxError(f"The sandbox has ended ({error}).") from error
        if not data:
            words = self._error_output()
            self.close()
            raise SandboxError(f"The sandbox did not report {what}. {words}")
        found: dict[str, Any] = json.loads(data)
        return found

    def _error_output(self) -> str:
        self._errors.seek(0)
        said = self._errors.read()[-2000:].decode(errors="replace").strip()
        return f"Its output:\n{said}" if said else "It had no output."


class UnsandboxedRunner:
    """Runs each submission in a plain process with all rights of the user (``--unsafe-no-sandbox``).

    A notebook imports modules from its folder, so each submission runs in an empty folder of its own. It imports
    neither what an earlier submission wrote nor a module of the teacher's.
    """

    FOLDER_MODE = 0o700

    def __init__(self, limits: ResourceLimits) -> None:
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._proc_fd = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY) if sys.platform == "linux" else -1
        self._meter = PeakMeter(self._proc_fd, alone=False)

    def start_submission(self) -> MessageSocket:
        """Start the process of a submission and return the socket to it."""
        local_end, remote_end = socket.socketpair()
        self._folder = tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True)
        Path(self._folder.name).chmod(self.FOLDER_MODE)
        with remote_end:
            self._process = subprocess.Popen(
                [*self._command(), "--once", str(remote_end.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._environment(),
                cwd=self._folder.name, pass_fds=(remote_end.fileno(),), start_new_session=True,
            )  # fmt: skip
        return MessageSocket(local_end)

    def _command(self) -> list[str]:
        return _python_command()

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **ENVIRONMENT, "HOME": str(Path.home()), "PATH": os.environ.get("PATH", "")}

    def end_submission(self, channel: MessageSocket, *, grace_seconds: float) -> ExitStatus:
        """End a submission and return how; its process has some seconds to exit by itself, what it began has none."""
        channel.close()
        assert self._process is not None, "a submission is opened before it is ended"
        assert self._folder is not None, "it was opened in a folder"
        try:
            code = self._process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return ExitStatus("stopped")
        finally:
            with contextlib.suppress(ProcessLookupError):  # it is the leader of a group of its own
                os.killpg(self._process.pid, signal.SIGKILL)
            self._folder.cleanup()
        return ExitStatus("done") if code == 0 else ExitStatus("crashed", code)

    def start_memory(self) -> bool:
        """As in a sandbox; but a submission sees ``/proc`` here, where it can reset the kernel's mark."""
        return self._proc_fd >= 0 and self._process is not None and self._meter.start([self._process.pid])

    def peak_memory(self) -> int:
        """As in a sandbox."""
        assert self._process is not None, "a measurement is started before it is read"
        return self._meter.peak([self._process.pid])

    def close(self) -> None:
        """Close the folder of processes; no process is left between submissions."""
        if self._proc_fd >= 0:
            os.close(self._proc_fd)
            self._proc_fd = -1


class OtherUserRunner(UnsandboxedRunner):
    """Runs each submission as a user who owns nothing, with limits, in a container that allows no namespaces.

    For root only. The submission sees what every user of the container sees, and reaches the container's network; the
    folders that the grader has closed to others, it cannot read.
    """

    FOLDER_MODE = 0o777  # made by root, written by the submission's user

    def __init__(self, limits: ResourceLimits) -> None:
        super().__init__(limits)
        if os.geteuid() != 0:
            raise SandboxError("Running a submission as another user needs root, as in Gradescope's container.")

    def _command(self) -> list[str]:
        limits = [f"--{name}={soft}:{hard}" for name, (soft, hard) in resource_limits(self.limits).items()]
        return ["prlimit", *limits, *_drop_root_arguments(), *super()._command()]

    def _environment(self) -> dict[str, str]:
        return {**ENVIRONMENT, "HOME": "/tmp"}


SubmissionRunner: TypeAlias = Sandbox | UnsandboxedRunner


def make_runner(limits: ResourceLimits, *, sandbox: bool = True) -> SubmissionRunner:
    """Start the runner of submissions: a sandbox, or plain processes if ``sandbox`` is false.

    Parameters
    ----------
    limits : ResourceLimits
        For each submission.
    sandbox : bool
        Whether a sandbox is required.

    Returns
    -------
    Sandbox or UnsandboxedRunner

    Raises
    ------
    SandboxError
        If a sandbox is required and cannot be started.
    """
    if sys.platform == "win32":
        raise SandboxError("Notebooks cannot be graded on Windows itself; use the Windows Subsystem for Linux (WSL).")
    if not sandbox:
        return UnsandboxedRunner(limits)
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        what = "bubblewrap (bwrap) is not installed; use `apt-get install bubblewrap`, or `dnf install bubblewrap`"
        if sys.platform != "linux":
            what = f"a sandbox needs Linux, but this is {sys.platform}; grade in a Linux container or virtual machine"
        raise SandboxError(
            f"No sandbox can be started: {what}. No notebook was run. --unsafe-no-sandbox runs the notebooks without a "
            "sandbox, with all your rights."
        )
    started = time.monotonic()
    try:
        started_sandbox = Sandbox(limits)
        started_sandbox.end_submission(started_sandbox.start_submission(), grace_seconds=0.0)
    except SandboxError as error:
        raise SandboxError(
            f"No sandbox could be started, after {time.monotonic() - started:.0f} s: {error}\nNo notebook was run. "
            "A sandbox needs user namespaces (see "
            "`sysctl user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`). "
            "--unsafe-no-sandbox runs the notebooks without a sandbox, with all your rights."
        ) from error
    return started_sandbox


def _bwrap_command(control: int) -> list[str]:
    """The command that starts a sandbox: bubblewrap, its mounts, and the user that Python runs as."""
    root = os.geteuid() == 0
    spaces = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    rights = [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
    start = [*spaces, "--cap-drop", "ALL", *rights] if root else ["--unshare-user", *spaces]
    settings = [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    return [
        "bwrap", *start, "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv", *settings,
        *_mount_arguments(), "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/",
        "--chdir", "/tmp",
        *(_drop_root_arguments() if root else []), *_python_command(), str(control),
    ]  # fmt: skip


def _python_command() -> list[str]:
    """The command of this Python: its folder without links and ``..``, which lead nowhere among the mounts."""
    executable = Path(sys.executable)
    return [str(executable.parent.resolve() / executable.name), "-I", "-B", "-m", "autodiff_kit.grade.inside"]


def _drop_root_arguments() -> list[str]:
    """Arguments that switch from root to a user id that owns no files, a different one for each sandbox."""
    user = 61_000 + os.getpid() % 4_000
    drop = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", *drop]


def _mount_arguments() -> list[str]:
    """bubblewrap's arguments for the read-only part of the system that Python needs, and an empty /tmp."""
    words = ["--ro-bind", "/usr", "/usr", "--size", str(64 << 20), "--perms", "1777", "--tmpfs", "/tmp"]
    for name in ("lib", "lib64", "lib32", "bin", "sbin"):
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "localtime", "alternatives"):
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    folders = _python_folders()
    parents = {parent for folder in folders for parent in folder.parents} - {Path("/"), Path("/tmp"), Path("/usr")}
    for parent in sorted(parents, key=lambda path: len(path.parts)):
        if not parent.is_relative_to("/usr") and not any(parent.is_relative_to(folder) for folder in folders):
            words += ["--perms", "0755", "--dir", str(parent)]
    for folder in folders:
        words += ["--ro-bind", str(folder), str(folder)]
    return words


def _python_folders() -> list[Path]:
    """The folders of Python and of the kit, outermost first."""
    package = Path(autodiff_kit.__file__).resolve().parent
    named = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))]
    wanted = {Path(name).resolve() for name in named} | {package, Path(sys.executable).resolve().parent.parent}
    wanted = {folder for folder in wanted if not folder.is_relative_to("/usr")}
    return sorted(
        (folder for folder in wanted if not any(folder != other and folder.is_relative_to(other) for other in wanted)),
        key=lambda path: len(path.parts),
    )
