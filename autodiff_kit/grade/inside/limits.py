"""What a submission may use, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ended", "Limits"]


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Attributes
    ----------
    cpu : float
        Seconds of computing, of all its processes together.
    wall : float
        Seconds on the clock for its cells, and again for each question.
    memory : int
        Bytes, of all its processes together.
    processes, files : int
        How many at a time; files are counted for each process.
    file : int
        Bytes of the largest file.
    disk : int
        Bytes of all its files together.
    """

    cpu: float = 20.0
    wall: float = 60.0
    memory: int = 1 << 30
    processes: int = 32
    files: int = 256
    file: int = 16 << 20
    disk: int = 64 << 20


@dataclass(frozen=True)
class Ended:
    """How a submission's processes ended: a word, and the signal or exit code behind it."""

    how: str
    code: int = 0
