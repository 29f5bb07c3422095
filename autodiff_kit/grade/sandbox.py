"""A box for other people's code: bubblewrap around a warmed Python that forks a child for each submission.

Outside: this module. Inside: :mod:`.inside`. The box has no network, a read-only system, and of all other
files only those of Python; each submission gets new namespaces of its own within it.

What it cannot stop: a hole in the kernel, which all boxes share with the grader. A notebook that replaces the
kit's code in its own process: it can then claim that no argument was changed, no memory is shared and nothing
overflowed, for these are measured where the function runs; values, counts of calls and points are not. Random
numbers drawn without a seed from a new generator, which differ from run to run (NumPy's and Python's old global
ones are seeded). An answer so slow that it is the machine's load which decides whether it ends in time.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

import autodiff_kit
from autodiff_kit.errors import AutodiffError

from .cgroup import group_for
from .inside.limits import Ended, Limits
from .protocol import Line

__all__ = ["Box", "BoxError", "Ended", "Limits", "OpenRoom", "room"]

START_WITHIN = 60.0
END_WITHIN = 30.0
ENVIRONMENT: Final = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "USER": "learner",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "PYTHONHASHSEED": "0",
    # One thread, and NumPy's own loops: the same digits on every run and every machine of a kind.
    "AUTODIFF_KIT_NUMBA": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "JUPYTER_PLATFORM_DIRS": "1",
}
HIDDEN: Final = ("grade", "author", "exercises/questions", "exercises/models", "exercises/solutions")


class BoxError(AutodiffError, RuntimeError):
    """No box can be had here, or it does not start; the message says what is missing and what can be done."""


class Box:
    """A running box; it takes one submission at a time.

    Parameters
    ----------
    limits : Limits
        For each submission.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the box
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._group = group_for(limits)
        first = self._group.enter() if self._group else []
        with theirs:
            self._process = subprocess.Popen(
                [*first, *_command(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=self._errors, stderr=self._errors,
                pass_fds=(theirs.fileno(),), start_new_session=True,
            )  # fmt: skip
        self._hear("a box that starts", START_WITHIN)

    def open(self) -> Line:
        """Begin a submission: its child waits at the other end of the line."""
        ours, theirs = socket.socketpair()
        package = Path(autodiff_kit.__file__).parent
        job = {
            "limits": asdict(self.limits),
            "hidden": [str(package / name) for name in HIDDEN],
            "kept": [str(folder) for folder in _folders() if folder.is_relative_to("/tmp")],
        }
        with theirs:
            try:
                socket.send_fds(self._control, [json.dumps(job).encode()], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise BoxError(f"The box has gone ({error}).") from error
        return Line(ours)

    def end(self, line: Line, *, patience: float) -> Ended:
        """End a submission, and say how its processes ended; they have some seconds to end by themselves."""
        line.close()
        ready, _, _ = select.select([self._control], [], [], patience)
        if not ready:
            with contextlib.suppress(OSError):
                self._control.send(b'{"stop": true}')
        found = self._hear("a submission that ends", END_WITHIN)
        if found["how"] == "broken":
            raise BoxError(f"The box could not shut a submission in:\n{found['why']}")
        if self._group is not None and self._group.killed():
            return Ended("memory")
        return Ended(str(found["how"]), int(found["code"]))

    def close(self) -> None:
        """End the box with everything in it."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        self._errors.close()
        if self._group is not None:
            self._group.close()

    def __enter__(self) -> Box:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hear(self, what: str, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(1 << 16)
        except TimeoutError:
            data = b""
        except OSError as error:
            raise BoxError(f"The box has gone ({error}).") from error
        if not data:
            words = self._said()
            self.close()
            raise BoxError(f"The box gave no sign of {what}. {words}")
        found: dict[str, Any] = json.loads(data)
        return found

    def _said(self) -> str:
        self._errors.seek(0)
        said = self._errors.read()[-2000:].decode(errors="replace").strip()
        return f"It said:\n{said}" if said else "It said nothing."


class OpenRoom:
    """No box: a plain process for each submission, which can do all that you can do."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def open(self) -> Line:
        """Begin a submission in a new process."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*_python(), "--once", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, **ENVIRONMENT, "HOME": str(Path.home()), "PATH": os.environ.get("PATH", "")},
                pass_fds=(theirs.fileno(),), start_new_session=True,
            )  # fmt: skip
        return Line(ours)

    def end(self, line: Line, *, patience: float) -> Ended:
        """End a submission; it has some seconds to end by itself."""
        line.close()
        assert self._process is not None, "a submission is opened before it is ended"
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return Ended("stopped")
        return Ended("done") if code == 0 else Ended("crashed", code)

    def close(self) -> None:
        """Nothing stays open between submissions."""


def room(limits: Limits, *, sandbox: bool = True) -> Box | OpenRoom:
    """Where submissions are run.

    Parameters
    ----------
    limits : Limits
        For each submission.
    sandbox : bool
        Whether to insist on a box.

    Returns
    -------
    Box or OpenRoom

    Raises
    ------
    BoxError
        If a box is asked for and cannot be had.
    """
    if sys.platform == "win32":
        raise BoxError("Notebooks cannot be graded on Windows itself: use its subsystem for Linux (WSL).")
    if not sandbox:
        return OpenRoom(limits)
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        what = "bubblewrap (bwrap) is not installed: `apt-get install bubblewrap`, or `dnf install bubblewrap`"
        if sys.platform != "linux":
            what = f"a box needs Linux, and this is {sys.platform}: grade in a Linux container or virtual machine"
        raise BoxError(
            f"No box can be had here: {what}. Nothing was run. --unsafe-no-sandbox runs the notebooks without one, "
            "with all the rights that you have."
        )
    started = time.monotonic()
    try:
        box = Box(limits)
        box.end(box.open(), patience=0.0)
    except BoxError as error:
        raise BoxError(
            f"No box can be had here, after {time.monotonic() - started:.0f} s: {error}\nNothing was run. Boxes need "
            "user namespaces (see `sysctl user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`). "
            "--unsafe-no-sandbox runs the notebooks without a box, with all the rights that you have."
        ) from error
    return box


def _command(control: int) -> list[str]:
    """The command that starts a box: bubblewrap, what is seen in it, and the user that Python runs as."""
    root = os.geteuid() == 0
    spaces = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    rights = [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
    start = [*spaces, "--cap-drop", "ALL", *rights] if root else ["--unshare-user", *spaces]
    settings = [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    return [
        "bwrap", *start, "--die-with-parent", "--new-session", "--hostname", "box", "--clearenv", *settings,
        *_seen(), "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp",
        *(_as_somebody() if root else []), *_python(), str(control),
    ]  # fmt: skip


def _python() -> list[str]:
    return [sys.executable, "-I", "-B", "-m", "autodiff_kit.grade.inside"]


def _as_somebody() -> list[str]:
    """Root becomes a user that owns nothing, a different one for each box."""
    user = 61_000 + os.getpid() % 4_000
    drop = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", *drop]


def _seen() -> list[str]:
    """The read-only part of the system that Python needs, and an empty /tmp."""
    words = ["--ro-bind", "/usr", "/usr", "--size", str(64 << 20), "--perms", "1777", "--tmpfs", "/tmp"]
    for name in ("lib", "lib64", "lib32", "bin", "sbin"):
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts", "localtime", "alternatives"):
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    folders = _folders()
    parents = {parent for folder in folders for parent in folder.parents} - {Path("/"), Path("/tmp"), Path("/usr")}
    for parent in sorted(parents, key=lambda path: len(path.parts)):
        if not parent.is_relative_to("/usr") and not any(parent.is_relative_to(folder) for folder in folders):
            words += ["--perms", "0755", "--dir", str(parent)]
    for folder in folders:
        words += ["--ro-bind", str(folder), str(folder)]
    return words


def _folders() -> list[Path]:
    """Python's own folders and the kit's, outermost first; nothing beside them."""
    package = Path(autodiff_kit.__file__).resolve().parent
    named = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))]
    wanted = {Path(name).resolve() for name in named} | {package, Path(sys.executable).resolve().parent.parent}
    wanted = {folder for folder in wanted if not folder.is_relative_to("/usr")}
    return sorted(
        (folder for folder in wanted if not any(folder != other and folder.is_relative_to(other) for other in wanted)),
        key=lambda path: len(path.parts),
    )
