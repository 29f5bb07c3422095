"""Every printed result of every lesson, compared by nbval: with compiled kernels, and without numba."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LESSONS = sorted((TOP / "notebooks").glob("*.ipynb"))


def test_the_first_lessons_are_there() -> None:
    assert {path.name[:2] for path in LESSONS} >= {"01", "06", "09", "15"}


@pytest.mark.parametrize("numba", ["1", pytest.param("0", marks=pytest.mark.slow)], ids=["numba", "numpy"])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_results_are_those_that_are_saved(lesson: Path, numba: str) -> None:
    # A process of its own: the options of this run (random order, workers, warnings) are not nbval's.
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(TOP),
        "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider",
        "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "120",
        "--nbval-sanitize-with", str(TOP / "tests" / "sanitize.cfg"), str(lesson),
    ]  # fmt: skip
    environment = {**os.environ, "AUTODIFF_KIT_NUMBA": numba}
    done = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, timeout=900, check=False)
    cells = sum(cell["cell_type"] == "code" for cell in json.loads(lesson.read_text())["cells"])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(rf"\b{cells} passed", done.stdout), f"{cells} code cells\n{done.stdout[-2000:]}"
