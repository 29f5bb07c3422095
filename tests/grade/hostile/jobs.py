"""Jobs whose process does what a hostile file could make a grader's process do; they go to such a process as they are."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autodiff_kit.grade.grader_jobs import GradeJob, GraderLimits


@dataclass(frozen=True)
class Deed:
    """What a process does in place of reading, by name; of another learner's job nothing is said."""

    name: str

    @property
    def limits(self) -> GraderLimits:
        """Small ones; time by the clock is short for those alone who wait."""
        return GraderLimits(cpu=1.0, wall=2.0 if self.name in ("sleeps", "stops") else 60.0, memory=64 << 20)

    def prepare(self) -> None:
        """Nothing is loaded."""

    def work(self, _: object) -> Any:
        """Do it."""
        return DEEDS[self.name]()

    def parse(self, answer: Any) -> tuple[str, Any]:
        """The answer as it is, which is a dictionary."""
        return "answer", answer["said"]

    def exceeded(self, limit: str) -> tuple[str, str]:
        """The limit."""
        return "exceeded", limit

    def failed(self, why: str) -> tuple[str, str]:
        """The reason."""
        return "failed", why


def _spin() -> None:
    while True:
        pass


def _many() -> None:
    held: list[int] = []
    while True:
        held.extend(range(100_000))


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _raise() -> None:
    raise ValueError("a learner's words \x1b[31m")


def _print() -> dict[str, int]:
    print("learner")
    os.write(2, b"learner")
    return {"said": 2}


DEEDS = {
    "answers": lambda: {"said": 1},
    "computes": _spin,
    "sleeps": lambda: time.sleep(60),
    "stops": _stop,
    "eats": _many,
    "asks for a lot": lambda: bytearray(1 << 40),
    "says too much": lambda: {"said": "x" * (2 << 20)},
    "says another form": lambda: [1],
    "says nested brackets": lambda: _nested(900),
    "ends": lambda: os._exit(3),
    "is killed": _die,
    "raises": _raise,
    "prints": _print,
}


def _nested(depth: int) -> list[Any]:
    return [_nested(depth - 1)] if depth else []


@dataclass(frozen=True)
class LosesItsSandbox(GradeJob):
    """A submission during which the sandbox ends, as often as a file has bytes."""

    count: str = ""

    def work(self, runner: Any) -> Any:
        """Grade it, or end the sandbox."""
        left = Path(self.count).read_bytes()
        if left:
            Path(self.count).write_bytes(left[1:])
            os.kill(runner._process.pid, signal.SIGKILL)
            time.sleep(0.2)
        return super().work(runner)


@dataclass(frozen=True)
class RaisesOSError(GradeJob):
    """A submission that the grader fails to grade."""

    def work(self, runner: Any) -> Any:
        """Fail."""
        raise OSError("too many open files")
