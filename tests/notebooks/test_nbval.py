"""Every printed result of every lesson, compared by nbval: with compiled kernels, and without numba."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
LESSONS = sorted((TOP / "notebooks").glob("*.ipynb"))
# Started as a learner's kernel is, also by `make test`; of all others that is a part of `make test-all`.
ALWAYS_COLD = ("05",)


def test_the_first_lessons_are_there() -> None:
    assert {path.name[:2] for path in LESSONS} >= {"01", "06", "09", "15"}


def assert_results_are_those_saved(lessons: list[Path], environment: dict[str, str], *options: str) -> None:
    """Run lessons by nbval; every code cell must have been compared, and found as it is saved."""
    # A process of its own: the options of this run (random order, workers, warnings) are not nbval's. Its only plugin
    # is nbval: to import the others, Hypothesis among them, takes half a second.
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(TOP),
        "-p", "nbval.plugin", "-p", "no:cacheprovider",
        "--nbval", "--nbval-cell-timeout", "120",
        "--nbval-sanitize-with", str(TOP / "tests" / "sanitize.cfg"), *options, *map(str, lessons),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=TOP, env={**os.environ, **environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    cells = sum(cell["cell_type"] == "code" for path in lessons for cell in json.loads(path.read_text())["cells"])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(rf"\b{cells} passed", done.stdout), f"{cells} code cells\n{done.stdout[-2000:]}"


@pytest.mark.parametrize("part", range(4))
def test_results_are_those_that_are_saved(part: int, warm_kernels: Any) -> None:
    """All lessons, a kernel for each; the kernels are forked from one that has imported NumPy and numba."""
    environment = {**warm_kernels.environment, "AUTODIFF_KIT_NUMBA": "1"}
    assert_results_are_those_saved(LESSONS[part::4], environment, "--nbval-kernel-name", "python3")


@pytest.mark.parametrize("numba", [pytest.param("1", marks=pytest.mark.slow), "0"], ids=["numba", "numpy"])
@pytest.mark.parametrize(
    "lesson",
    [pytest.param(path, marks=[] if path.name[:2] in ALWAYS_COLD else pytest.mark.slow) for path in LESSONS],
    ids=lambda path: path.stem,
)
def test_results_of_a_lesson_alone(lesson: Path, numba: str) -> None:
    """As a reader would run nbval: one lesson, in a kernel that nothing prepared."""
    assert_results_are_those_saved([lesson], {"AUTODIFF_KIT_NUMBA": numba}, "--nbval-current-env")
