"""Resource limits of a submission, and the reason why its processes ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExitStatus", "ResourceLimits"]


@dataclass(frozen=True)
class ResourceLimits:
    """Resource limits of one submission.

    Attributes
    ----------
    cpu : float
        Processor time in seconds, of all its processes together.
    wall : float
        Elapsed time in seconds for its cells, and again for each question; three times as much for all of it.
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
