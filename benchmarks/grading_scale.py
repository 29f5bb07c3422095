"""Grading many submissions: workers, a cluster that loses a worker, and every stage after grading at growing sizes.

``python -m benchmarks.grading_scale [--count 40] [--exercise 15] [--ways 1,2,dask] [--sizes 1000,4000] [--json FILE]``.
The class is right, wrong, partly finished, slow and hostile answers, the same on every run. It is graded with one
worker, with two, and on a dask cluster of two of which one is killed in the middle; all must write the same bytes. Then
results and hand-ins are drawn from that class until there are as many as each of the sizes, and each stage after
grading is timed in a process of its own. ``--count 1000 --sizes 1000,10000,100000`` takes about an hour on two cores.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import parse_master
from autodiff_kit.author.mutation import make_mutants
from autodiff_kit.exercises.question import Lesson
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.csv_table import grades_csv
from autodiff_kit.grade.lms_export import canvas_csv, match_roster, moodle_csv
from autodiff_kit.grade.reports import report_html, write_reports
from autodiff_kit.grade.results import SubmissionResult, read_results, write_results
from autodiff_kit.grade.roster import Roster
from autodiff_kit.grade.similarity import similar_groups
from autodiff_kit.grade.submission import Submission

SEED = "7"
# Seconds of a submission: an endless loop ends after as much computing each time, however busy the machine is.
LIMITS = ("--cpu", "5", "--wall", "600")
# One learner in ten hands in one of these, in turn, as a cell before the answers. A fork bomb is not among them: which
# limit it meets first, and so what its result says, depends on the other work of the machine, and all outputs must be
# equal byte for byte. `tests/grade/hostile` has several.
SLOW_AND_HOSTILE = (
    "import time; time.sleep(0.5)",
    "sum(range(20_000_000))",
    "while True: pass",
    "import os; os._exit(3)",
    "bytearray(4 << 30)",
    "def deep(): return deep()\ndeep()",
    "import os\nfor handle in range(3, 40):\n    try: os.write(handle, b'passed\\n')\n    except OSError: pass",
    "print('x' * 20_000_000)",
    "raise Exception('not yet')",
)
# Prints the kit's exit code and the most memory that its own process used.
GRADE = (
    "import resource, sys; from autodiff_kit.cli import main; code = main(sys.argv[1:]); "
    "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
)


# ---------------------------------------------------------------- the class
def hand_in(release: str, lesson: Lesson, number: int) -> str:
    """The notebook of one learner; the number decides what is in it."""
    chance, notebook = random.Random(number), json.loads(release)
    if number % 50 == 49:  # cut off while it was uploaded
        return release[: len(release) // 2]
    diligence = chance.choice((1.0, 0.9, 0.6, 0.3, 0.0))
    sources = {question.id: answer(question.solution, chance, diligence) for question in lesson.questions}
    for cell in notebook["cells"]:
        if sources.get(cell["id"]):
            cell["source"] = f"{sources[cell['id']]}\n\n# {number}\n"
    if number % 10 == 3:
        source = SLOW_AND_HOSTILE[number // 10 % len(SLOW_AND_HOSTILE)]
        cell = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"].insert(1, {**cell, "source": source})
    return json.dumps(notebook)


def answer(solution: str, chance: random.Random, diligence: float) -> str:
    """A worked answer, one with a fault, or nothing."""
    if chance.random() < diligence:
        return solution
    return chance.choice(mutants_of(solution)).source if chance.random() < 0.7 else ""


mutants_of = functools.cache(make_mutants)


def write_class(folder: Path, lesson: Lesson, count: int) -> None:
    """The hand-ins of a class."""
    folder.mkdir()
    build_exercise(parse_master(builtin_master(lesson)), folder.parent, ("release",))
    release = (folder.parent / "release" / f"{lesson.slug}.ipynb").read_text(encoding="utf-8")
    for number in range(count):
        path = folder / f"learner{number:06d}.ipynb"
        path.write_text(hand_in(release, lesson, number), encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))


# ---------------------------------------------------------------- grading
class ProcessorTime(threading.Thread):
    """Adds up the processor time of some processes and all that they started, every three seconds.

    What a process gets of its children when they end is lost if it is killed itself, as a sandbox is at the end: hence
    the largest sum of each is kept.
    """

    def __init__(self, roots: list[int]) -> None:
        super().__init__(daemon=True)
        self._most = {psutil.Process(root): 0.0 for root in roots}
        self._ended = threading.Event()

    def run(self) -> None:
        """Look again and again until the end is told."""
        while not self._ended.wait(3.0):
            for root, most in self._most.items():
                with contextlib.suppress(psutil.Error):
                    now = sum(_seconds(one) for one in [root, *root.children(recursive=True)])
                    self._most[root] = max(most, now)

    def end(self) -> float:
        """Seconds of all processes."""
        self._ended.set()
        self.join()
        return sum(self._most.values())


def _seconds(process: psutil.Process) -> float:
    """Processor time of a process and of its children that ended."""
    try:
        return float(sum(process.cpu_times()[:4]))
    except psutil.Error:
        return 0.0


def grade(
    folder: Path, out: Path, *more: str, helpers: Sequence[int] = (), watch: Callable[[], None] = lambda: None
) -> dict[str, float]:
    """Grade a folder in a process of its own: seconds, processor time of all processes, memory of its own."""
    words = ["grade", str(folder), "--out", str(out), "--seed", SEED, *LIMITS, *more]
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", GRADE, *words], stdout=subprocess.PIPE, text=True) as process:
        used = ProcessorTime([process.pid, *helpers])
        used.start()
        watch()
        said = process.communicate()[0]
    if process.returncode:
        sys.exit(f"grading failed: {said}")
    took = time.perf_counter() - began
    return {"seconds": took, "cpu": used.end(), "own_mb": int(said.rpartition("peak ")[2]) / 1024}


def grade_on_cluster(folder: Path, out: Path, count: int) -> dict[str, float]:
    """Grade on a dask cluster of two workers; one is killed when half of the results are there."""
    with cluster(out.parent) as (address, workers):

        def kill_in_the_middle() -> None:
            results = out / ".grading" / "results"
            while not results.exists() or len(os.listdir(results)) < count // 2:  # noqa: PTH208 - each half second
                time.sleep(0.5)
            os.killpg(workers[0].pid, signal.SIGKILL)

        helpers = [worker.pid for worker in workers]
        return grade(folder, out, "--scheduler", address, helpers=helpers, watch=kill_in_the_middle)


@contextlib.contextmanager
def cluster(home: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers of one thread each."""
    at = home / "scheduler.json"
    running = [start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(at))]
    while not at.exists():
        time.sleep(0.1)
    address = json.loads(at.read_text(encoding="utf-8"))["address"]
    running += [start("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
    try:
        yield address, running[1:]
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def start(what: str, *words: str) -> subprocess.Popen[bytes]:
    """One of dask's programs, quiet."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


def contents(out: Path) -> dict[str, bytes]:
    """Everything that grading wrote for the teacher."""
    files = (path for path in out.rglob("*") if path.is_file() and ".grading" not in path.parts)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def grade_in_each_way(home: Path, ways: list[str], count: int) -> dict[str, dict[str, float]]:
    """Grade the class in each way; the outputs must be equal byte for byte."""
    figures: dict[str, dict[str, float]] = {}
    first: dict[str, bytes] = {}
    for way in ways:
        out = home / f"out-{way}"
        if way == "dask":
            figures[way] = grade_on_cluster(home / "class", out, count)
        else:
            figures[way] = grade(home / "class", out, "--workers", way)
        found = contents(out)
        first = first or found
        if found != first:
            differing = sorted(name for name in found.keys() | first.keys() if found.get(name) != first.get(name))
            sys.exit(f"{way}: {len(differing)} files differ from those of {ways[0]}: {differing[:5]}")
        told = figures[way]
        rate = 60 * count / told["seconds"]
        print(
            f"{way:>5}: {told['seconds']:8.1f} s, {rate:7.1f} a minute, {told['cpu']:8.1f} s of processors, "
            f"own process {told['own_mb']:.0f} MB",
            flush=True,
        )
    print(f"{len(first)} files, the same in each way: {', '.join(ways)}")
    return figures


# ---------------------------------------------------------------- after grading
def many(results: list[SubmissionResult], hand_ins: list[Submission], size: int) -> Iterator[tuple[Any, Any]]:
    """As many learners as asked for, each with a result and a hand-in drawn from those of the class."""
    chance, by_learner = random.Random(1), {one.learner: one for one in hand_ins}
    for number in range(size):
        result, name = chance.choice(results), f"learner{number:07d}"
        own = by_learner[result.learner]
        prints = tuple((question, hashes | {number % 97}) for question, hashes in own.fingerprints)
        yield replace(result, learner=name, stamp=name), replace(own, learner=name, stamp=name, fingerprints=prints)


def time_stages(home: Path, size: int) -> dict[str, float]:
    """Processor time of each stage after grading at one size, and the memory of the process at its end."""
    lines = read_results(home / "results.jsonl")
    drawn = list(many(lines, collect_submissions([home / "class"]), size))
    results, hand_ins = [one for one, _ in drawn], [one for _, one in drawn]
    figures = {"records_mb": memory_mb()}
    rows = [
        {"Student": f"{k}", "ID": f"{k}", "SIS User ID": "", "SIS Login ID": f"learner{k:07d}", "Section": "1"}
        for k in range(size)
    ]
    roster = Roster("canvas", [*rows[0]], rows)
    groups: list[Any] = []
    stages: dict[str, Callable[[], Any]] = {
        "results.jsonl": lambda: write_results(home / "many.jsonl", results),
        "reading it": lambda: read_results(home / "many.jsonl"),
        "grades.csv": lambda: grades_csv(results),
        "roster": lambda: match_roster(results, roster),
        "canvas.csv": lambda: canvas_csv(results, roster),
        "moodle.csv": lambda: moodle_csv(results),
        "similarity": lambda: groups.extend(similar_groups(hand_ins)),
        "report.html": lambda: figures.update(report_mb=len(report_html(results, groups)) / 1e6),
        "feedback": lambda: write_reports(home / "many", results, groups),
    }
    for name, stage in stages.items():
        began = time.process_time()
        stage()
        figures[name] = time.process_time() - began
        print(f"{size} {name}: {figures[name]:.2f} s, {memory_mb():.0f} MB", file=sys.stderr, flush=True)
    return {**figures, "groups": len(groups), "peak_mb": memory_mb()}


def memory_mb() -> float:
    """The most memory that this process used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def stages_at(home: Path, size: int) -> dict[str, float]:
    """:func:`time_stages` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.grading_scale", "--stages", str(home), str(size)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True)
    shutil.rmtree(home / "many")
    told: dict[str, float] = json.loads(done.stdout)
    return told


def print_stages(by_size: dict[int, dict[str, float]]) -> None:
    """A line for each stage: its figure at each size."""
    print(
        f"{'':14}" + "".join(f"{size:>12}" for size in by_size) + "   (s of a processor; memory and the report in MB)"
    )
    for name in next(iter(by_size.values())):
        print(f"{name:14}" + "".join(f"{found[name]:12.2f}" for found in by_size.values()))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--exercise", default="15")
    parser.add_argument("--ways", default="1,2,dask", help="numbers of workers, and dask")
    parser.add_argument("--sizes", default="1000,4000", help="learners for the stages after grading")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path, help="a new folder for the class and what was written")
    parser.add_argument("--stages", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stages:
        print(json.dumps(time_stages(Path(options.stages[0]), int(options.stages[1]))))
        return 0
    lesson, ways = LESSONS[options.exercise], options.ways.split(",")
    with tempfile.TemporaryDirectory() as name:
        home = options.keep or Path(name)
        home.mkdir(exist_ok=True)
        write_class(home / "class", lesson, options.count)
        print(f"{options.count} submissions of {lesson.slug}")
        graded = grade_in_each_way(home, ways, options.count)
        shutil.copy(home / f"out-{ways[0]}" / "results.jsonl", home / "results.jsonl")
        print(dict(Counter(result.status for result in read_results(home / "results.jsonl"))))
        by_size = {size: stages_at(home, size) for size in map(int, options.sizes.split(","))}
    print_stages(by_size)
    if options.json:
        found = {"exercise": lesson.slug, "count": options.count, "grading": graded, "stages": by_size}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
