"""Lesson 00 says sixty lines, and they are a tape."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

LESSON = Path(__file__).resolve().parents[2] / "notebooks" / "00_tape_in_sixty_lines.ipynb"


def tape_code() -> str:
    """The import and the three cells that define the tape, as they would stand in one file."""
    cells = json.loads(LESSON.read_text("utf-8"))["cells"]
    found = [
        "".join(cell["source"])
        for cell in cells
        if re.search(r"^(class|def) (Number|plain|Tape)\b", "".join(cell["source"]))
    ]
    assert len(found) == 3
    return "\n\n\n".join(["import math", *found])


def test_the_tape_has_sixty_lines() -> None:
    assert len(tape_code().splitlines()) == 60


def test_the_tape_is_one() -> None:
    names: dict[str, Any] = {}
    exec(compile(tape_code(), "tape", "exec"), names)
    tape = names["Tape"]()
    a, b = tape.source(2.0), tape.source(-3.0)
    y = names["sin"](a * b + 1) * 2 + a**3
    z = names["exp"](0.1 * y) + y
    outer = 0.1 * math.exp(0.1 * y.value) + 1
    to_a = 2 * math.cos(-5) * -3 + 3 * 2**2
    wanted = [outer, outer * to_a, outer * 2 * math.cos(-5) * 2]
    assert tape.gradient(z, [y, a, b]) == pytest.approx(wanted)
    assert tape.gradient(z, [y]) == pytest.approx([outer])
    assert tape.gradient(y, [z]) == [0.0]
