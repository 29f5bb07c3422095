"""Resource limits of a submission, and the reason why its processes ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExitStatus", "ResourceLimits", "resource_limits"]


@dataclass(frozen=True)
class ResourceLimits:
    """Resource limits of one submission.

    Attributes
    ----------
    cpu : float
        Processor time in seconds, of all its processes together.
    wall : float
        Elapsed time in seconds for its cells, and again for each question; three times as much for one run of it. No
        run begins after that, so that all of it takes at most six times as much.
    memory : int
        Memory in bytes, of all its processes together.
    processes, files : int
        Number of processes, and of open files for each process.
    file : int
        Size of the largest file in bytes.
    disk : int
        Size of all its files together in bytes.
    """

    cpu: float = 20.0
    wall: float = 60.0
    memory: int = 1 << 30
    processes: int = 32
    files: int = 256
    file: int = 16 << 20
    disk: int = 64 << 20


@dataclass(frozen=True)
class ExitStatus:
    """Why the processes of a submission ended: a keyword, and the exit code, or minus the signal."""

    reason: str
    code: int = 0


def resource_limits(limits: ResourceLimits) -> dict[str, tuple[int, int]]:
    """The kernel's limits for each process of a submission: the name of a resource, its soft and its hard limit."""
    seconds = int(limits.cpu) + 1
    equal = {
        # Libraries reserve far more address space than they use; the supervisor counts the memory in use.
        "as": 4 * limits.memory,
        "nproc": limits.processes,
        "nofile": limits.files,
        "fsize": limits.file,
        "core": 0,
        "memlock": 0,
        "msgqueue": 0,
    }
    # The soft limit ends the process with SIGXCPU, which names the reason; the hard one cannot be told from a kill.
    return {"cpu": (seconds, seconds + 2), **{name: (most, most) for name, most in equal.items()}}
