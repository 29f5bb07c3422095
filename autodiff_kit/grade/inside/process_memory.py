"""Peak memory of a submission's processes between two moments, as the kernel counts it.

Python's own meter runs in the learner's process, where one line of a cell replaces it. The kernel's mark of the highest
resident memory (``VmHWM``) is reset and read by the supervisor: through a ``/proc`` that the learner's processes do not
see, from outside of their namespaces. Nothing that a cell replaces in Python changes it, and the time between the reset
and the reading holds the whole answer: arguments are sent after the first and the answer has arrived before the second.

What can still be done takes an answer that was written for it: memory that a cell took before and the function uses
again is in use at the reset and does not count, and neither do files. A process or a thread that began, or a process
that ended in between, counts with all the memory that was in use, since nobody knows what it had.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

__all__ = ["PeakMeter", "read_lines", "write_file"]


class PeakMeter:
    """Measures how much the memory of some processes grows at most.

    Parameters
    ----------
    proc_fd : int
        Descriptor of a folder ``/proc`` that shows these processes.
    alone : bool
        Whether nobody else starts processes that it shows; then those that have ended meanwhile count, too.
    """

    def __init__(self, proc_fd: int, *, alone: bool) -> None:
        self._proc_fd, self._alone = proc_fd, alone
        self._before = self._base = self._last_pid = 0
        self._pids: frozenset[int] = frozenset()

    def start(self, pids: Iterable[int]) -> bool:
        """Reset the mark of the highest memory; return whether this kernel has one that can be reset."""
        try:
            os.stat("self/clear_refs", dir_fd=self._proc_fd)
        except OSError:
            return False
        self._pids, self._last_pid = frozenset(pids), self._newest_pid()
        reset = [self._reset(pid) for pid in self._pids]
        self._before = self._total(self._pids, "VmRSS")
        self._base = self._before if all(reset) else 0
        return True

    def peak(self, pids: Iterable[int]) -> int:
        """The most bytes since the start beyond those that were in use then."""
        now = frozenset(pids)
        unknown = max(0, self._newest_pid() - self._last_pid) + len(self._pids - now)
        return max(0, self._total(now, "VmHWM") - self._base) + unknown * self._before

    def _reset(self, pid: int) -> bool:
        """Reset a process's mark; False if it made itself unreadable, and then all of its memory counts."""
        try:
            write_file(self._proc_fd, f"{pid}/clear_refs", "5")
        except (FileNotFoundError, ProcessLookupError):  # it has ended, which is counted at the reading
            return True
        except OSError:
            return False
        return True

    def _total(self, pids: Iterable[int], name: str) -> int:
        return sum(self._read(pid, name) for pid in pids)

    def _read(self, pid: int, name: str) -> int:
        try:
            for line in read_lines(self._proc_fd, f"{pid}/status"):
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
        except OSError:  # it has ended
            pass
        return 0

    def _newest_pid(self) -> int:
        return int(next(read_lines(self._proc_fd, "loadavg")).split()[-1]) if self._alone else 0


def read_lines(proc_fd: int, name: str) -> Iterator[str]:
    """The lines of a file below a folder ``/proc``."""
    with open(os.open(name, os.O_RDONLY, dir_fd=proc_fd), errors="replace") as file:  # noqa: PTH123
        yield from file


def write_file(proc_fd: int, name: str, text: str) -> None:
    """Write a file below a folder ``/proc``."""
    with open(os.open(name, os.O_WRONLY, dir_fd=proc_fd), "w") as file:  # noqa: PTH123
        file.write(text)
