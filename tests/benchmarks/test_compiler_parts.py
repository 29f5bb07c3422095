"""The parts of the compiler that a benchmark switches off, by their names in the code."""

from __future__ import annotations

import subprocess
import sys


def test_every_part_can_be_switched_off() -> None:
    """In a process of its own, since what is switched off stays so."""
    program = "from benchmarks.compiler_parts import PARTS\nfor off, _ in PARTS.values(): off()"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
