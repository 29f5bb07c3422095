"""Throughput of grading many submissions, compared with ``nbgrader autograde`` and ``otter run``.

``python -m benchmarks.grading_throughput [--count 1000] [--few 12] [--workers 1,2] [--json FILE]``. All grade the same
notebooks. nbgrader and otter are slow, so they grade only the first few, alternating with the kit; then the kit grades
all of them with each number of workers. nbgrader and otter run in the environment that ``make test-all`` creates.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import parse_master
from autodiff_kit.exercises.questions import LESSONS

ROOT = Path(__file__).parents[1]
OTHERS = Path(os.environ.get("AUTODIFF_KIT_INTEROP", ROOT / ".venv-interop")) / "bin"
LESSON = LESSONS["01"]
AIM = 5.0


def handed_in(release: Path, number: int) -> str:
    """One learner's notebook: complete, partly solved, or unchanged; no two notebooks have the same text."""
    notebook = json.loads(release.read_text(encoding="utf-8"))
    kept = (6, 4, 5, 3, 0)[number % 5]
    answers = {question.id: question.solution for question in LESSON.questions[:kept]}
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            cell["source"] = f"{answers[cell['id']]}\n\n# {number}\n".splitlines(keepends=True)
    return json.dumps(notebook)


def run(*words: str | Path, cwd: Path) -> float:
    """Seconds of a command; it must succeed."""
    path = os.pathsep.join([str(OTHERS), os.environ["PATH"]])
    settings = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(OTHERS.parent), "JUPYTER_PREFER_ENV_PATH": "1"}
    began = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{words[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.perf_counter() - began


def kit(folder: Path, home: Path, workers: int) -> float:
    """Seconds of ``autodiff-kit grade`` over a folder, in a separate place."""
    out = Path(tempfile.mkdtemp(dir=home))
    command = [sys.executable, "-m", "autodiff_kit", "grade", folder, "--out", out, "--workers", str(workers)]
    took = run(*command, cwd=home)
    shutil.rmtree(out)
    return took


def nbgrader(course: Path) -> float:
    """Seconds of ``nbgrader autograde`` over the submissions of a course."""
    return run(OTHERS / "nbgrader", "autograde", LESSON.slug, "--force", cwd=course)


def otter(home: Path, notebooks: list[Path]) -> float:
    """Seconds of ``otter run`` over the notebooks, one after the other."""
    out = home / "results"
    out.mkdir(exist_ok=True)
    return sum(run(OTHERS / "otter", "run", "-a", "autograder.zip", "-o", out, path, cwd=home) for path in notebooks)


def prepare(home: Path, count: int, few: int) -> tuple[Path, Path]:
    """All submissions, and the first few of them for each tool."""
    build_exercise(parse_master(builtin_master(LESSON)), home, ("release", "course", "otter"))
    release = home / "release" / f"{LESSON.slug}.ipynb"
    everybody, some = home / "all", home / "few"
    for number in range(count):
        text = handed_in(release, number)
        name = f"learner{number:04d}"
        places = [everybody / f"{name}.ipynb"]
        if number < few:
            places += [
                some / f"{name}.ipynb",
                home / "course" / "submitted" / name / LESSON.slug / f"{LESSON.slug}.ipynb",
            ]
        for place in places:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    return everybody, some


def beside(home: Path, some: Path, runs: int) -> dict[str, list[float]]:
    """Seconds of each tool for the same few submissions, in alternation."""
    course, tests = home / "course", home / "otter" / LESSON.slug
    run(OTHERS / "nbgrader", "generate_assignment", LESSON.slug, cwd=course)
    run(OTHERS / "otter", "generate", "-t", "tests", cwd=tests)
    notebooks = sorted(some.iterdir())
    tools = {
        "autodiff-kit grade": lambda: kit(some, home, 1),
        "nbgrader autograde": lambda: nbgrader(course),
        "otter run": lambda: otter(tests, notebooks),
    }
    return {name: [tool() for _ in range(runs)] for name, tool in tools.items()}


def main() -> int:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--few", type=int, default=12, help="submissions that all tools grade")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data: dict[str, object] = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "exercise": LESSON.slug,
    }
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        everybody, some = prepare(home, options.count, options.few)
        if (OTHERS / "nbgrader").exists():
            data["beside"] = found = beside(home, some, options.runs)
            ours = statistics.median(found["autodiff-kit grade"])
            print(f"{options.few} submissions, one worker, median of {options.runs}")
            for tool, times in found.items():
                middle = statistics.median(times)
                rate = 60 * options.few / middle
                print(f"  {tool:20s} {middle:8.1f} s  {rate:8.1f} a minute   {middle / ours:5.1f} x the kit's time")
        else:
            print("nbgrader and otter are not installed; make test-all installs them.")
        print(f"{options.count} submissions, autodiff-kit {version('autodiff-kit')}")
        data["grown"] = grown = {}
        for workers in map(int, options.workers.split(",")):
            grown[workers] = took = kit(everybody, home, workers)
            print(f"  workers {workers}: {took:8.1f} s  {60 * options.count / took:8.1f} a minute")
    if options.json:
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
