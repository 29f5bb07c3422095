"""Memory limit of a sandbox through Linux control groups (cgroup version 2), where this user may create one.

A control group also counts memory that no process maps, such as files in the sandbox's /tmp. The supervisor process
watches the memory of each submission in any case: this works without control groups, and shows which submission
used too much.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from .inside.limits import ResourceLimits

__all__ = ["ControlGroup", "create_control_group"]

ROOT = Path("/sys/fs/cgroup")
# Memory of the sandbox before a submission starts: Python, NumPy, Matplotlib, IPython.
BASE_MEMORY = 512 << 20


class ControlGroup:
    """The control group of one sandbox.

    Parameters
    ----------
    folder : Path
        Its folder in the cgroup file system.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._before = folder, 0

    def command_prefix(self) -> list[str]:
        """The prefix of a command line that runs the rest of the command in the group."""
        return ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(self.folder)]

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed a process of the group for its memory since the last call."""
        now = self._oom_kills()
        found, self._before = now > self._before, now
        return found

    def close(self) -> None:
        """Remove the group, after its processes have ended."""
        for _ in range(50):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)
            else:
                return

    def _oom_kills(self) -> int:
        with contextlib.suppress(OSError, ValueError):
            for line in (self.folder / "memory.events").read_text().splitlines():
                name, count = line.split()
                if name == "oom_kill":
                    return int(count)
        return 0


def create_control_group(limits: ResourceLimits, root: Path = ROOT) -> ControlGroup | None:
    """Create a control group with the limits of a sandbox; None if that is not possible.

    Parameters
    ----------
    limits : ResourceLimits
        Limits of each submission.
    root : Path
        The mount point of control groups.

    Returns
    -------
    Group or None
    """
    for group in _delegating_groups(root):
        folder = group / f"autodiff-kit-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / "memory.max").write_text(str(limits.memory + limits.disk + BASE_MEMORY))
            with contextlib.suppress(OSError):  # a kernel without swap has no such file
                (folder / "memory.swap.max").write_text("0")
            if os.access(folder / "cgroup.procs", os.W_OK) and os.access(group / "cgroup.procs", os.W_OK):
                return ControlGroup(folder)
        except OSError:
            pass
        ControlGroup(folder).close()
    return None


def _delegating_groups(root: Path) -> list[Path]:
    """Groups of this process, innermost first, that delegate the memory controller to their subgroups."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.removeprefix("0::/") for line in lines if line.startswith("0::"))
    except (OSError, StopIteration):
        return []
    inner = root / own
    return [group for group in (inner, *inner.parents) if group.is_relative_to(root) and _delegates_memory(group)]


def _delegates_memory(group: Path) -> bool:
    try:
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
