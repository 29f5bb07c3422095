"""A memory limit for a whole box by the kernel's control groups (version 2), where this user may make one.

It counts what no process maps too, such as files in the box's /tmp. Where there is none, the keeper's own
watch over the box's total remains; it is kept in any case, because it can say which submission it was.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from .inside.limits import Limits

__all__ = ["Group", "group_for"]

ROOT = Path("/sys/fs/cgroup")
# What the box holds before a submission begins: Python, NumPy, Matplotlib, IPython.
WARM = 512 << 20


class Group:
    """A control group of its own for one box.

    Parameters
    ----------
    folder : Path
        Where the kernel shows it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._before = folder, 0

    def enter(self) -> list[str]:
        """The beginning of a command that runs the rest of it in the group."""
        return ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(self.folder)]

    def killed(self) -> bool:
        """Whether memory ran out since this was asked last."""
        now = self._kills()
        found, self._before = now > self._before, now
        return found

    def close(self) -> None:
        """Remove the group, once its processes have gone."""
        for _ in range(50):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)
            else:
                return

    def _kills(self) -> int:
        with contextlib.suppress(OSError, ValueError):
            for line in (self.folder / "memory.events").read_text().splitlines():
                name, count = line.split()
                if name == "oom_kill":
                    return int(count)
        return 0


def group_for(limits: Limits, root: Path = ROOT) -> Group | None:
    """A new group with a box's limits, or None where none can be had.

    Parameters
    ----------
    limits : Limits
        Of each submission.
    root : Path
        Where control groups are mounted.

    Returns
    -------
    Group or None
    """
    for home in _homes(root):
        folder = home / f"autodiff-kit-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / "memory.max").write_text(str(limits.memory + limits.disk + WARM))
            with contextlib.suppress(OSError):  # a kernel without swap has no such file
                (folder / "memory.swap.max").write_text("0")
            if os.access(folder / "cgroup.procs", os.W_OK) and os.access(home / "cgroup.procs", os.W_OK):
                return Group(folder)
        except OSError:
            pass
        Group(folder).close()
    return None


def _homes(root: Path) -> list[Path]:
    """Groups above this process that hand the memory controller on to groups within them, innermost first."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.removeprefix("0::/") for line in lines if line.startswith("0::"))
    except (OSError, StopIteration):
        return []
    inner = root / own
    return [home for home in (inner, *inner.parents) if home.is_relative_to(root) and _hands_on_memory(home)]


def _hands_on_memory(home: Path) -> bool:
    try:
        return "memory" in (home / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
