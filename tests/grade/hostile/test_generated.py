"""Random hand-ins, drawn by Hypothesis: the batch ends, everybody else's results are byte for byte the same in every file
that a teacher gets, and the memory of the batch's process stays bounded.

The whole command runs, in turn as for a folder, for Canvas' and Moodle's downloads, for one column, and for clones.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from autodiff_kit import cli
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import read_master
from autodiff_kit.exercises.parameters import draw_parameters
from autodiff_kit.grade.gradescope import results_json
from autodiff_kit.grade.results import read_results

from ..notebooks import answered
from .strategies import BASES, hand_ins

MEMORY = 150 << 20
COUNT, BATCH = 10_000, 500
CANVAS = (
    "Student,ID,SIS Login ID,Slots (7)\n  Points Possible,,,100\nAda,1,ada,\nBob,2,bob,\nCyd,3,cyd,5\nEve,7,eve,4\n"
)
MOODLE = "Identifier,Full name,Username,Grade,Feedback comments\n" + "".join(
    f"Participant {number},{name.title()},{name},-,\n"
    for number, name in ((1, "ada"), (2, "bob"), (3, "cyd"), (7, "eve"))
)
MODES = {
    "a folder": (),
    "Canvas": ("--roster", "canvas.csv"),
    "one column": ("--roster", "canvas.csv", "--column", "Slots (7)"),
    "Moodle": ("--roster", "moodle.csv"),
    "clones": (),
}
CLONE = "slots-"


class Course:
    """Honest learners, checks and rosters in a folder, and what the honest get when nobody else hands in."""

    def __init__(self, home: Path, modes: Iterable[str] = MODES) -> None:
        self.home = home
        master = read_master(new_exercise("my_slope", home, per_learner=True))
        build_exercise(master, home, ("release", "grading"))
        question = master.lesson.questions[0]
        self.slope = json.loads((home / "release" / "my_slope.ipynb").read_text(encoding="utf-8"))
        own = json.loads(json.dumps(self.slope))
        lines = "".join(
            f"{key} = {value!r}\n" for key, value in draw_parameters(master.lesson, question, "cyd").items()
        )
        next(cell for cell in own["cells"] if cell["id"] == question.id)["source"] = lines + question.solution
        self.honest = {"ada": answered(), "bob": answered(leave=("adam-1",)), "cyd": own}
        (home / "canvas.csv").write_text(CANVAS)
        (home / "moodle.csv").write_text(MOODLE)
        self.alone = {mode: self.grade(mode, self.folder(mode)) for mode in modes}
        assert all(json.loads(found["cyd in results.jsonl"])["score"] == 2 for found in self.alone.values())

    def folder(self, mode: str) -> Path:
        """A new folder with the hand-ins of the honest."""
        folder = self.home / (f"{CLONE.rstrip('-')}-submissions" if mode == "clones" else "in")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, found in self.honest.items():
            path = folder / f"{name}.ipynb"
            if mode == "clones":
                (folder / f"{CLONE}{name}" / ".git").mkdir(parents=True)
                path = folder / f"{CLONE}{name}" / "work.ipynb"
            path.write_text(json.dumps(found), encoding="utf-8")
            os.utime(path, (1_700_000_000, 1_700_000_000))
        return folder

    def grade(self, mode: str, folder: Path) -> dict[str, bytes]:
        """Run the command; everything that its files say about the honest."""
        out = self.home / "out"
        shutil.rmtree(out, ignore_errors=True)
        more = [str(self.home / word) if word.endswith(".csv") else word for word in MODES[mode]]
        words = ["grade", str(folder), "--out", str(out), "--checks", str(self.home / "grading"), "--seed", "1"]
        words += ["--workers", "1", "--cpu", "2", "--wall", "5", "--memory", "256", *more]
        words += ["--due", "2026-11-30T23:59", "--late-per-day", "10", *(["--timestamps"] if mode == "clones" else [])]
        with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):  # noqa: PTH123
            assert cli.main(words) == 0
        results = read_results(out / "results.jsonl")
        for result in results:
            json.dumps(results_json(result) if result.exercise else {})  # what Gradescope would be given
        self.count = len(results)
        lines = [json.loads(line) for line in (out / "results.jsonl").read_bytes().split(b"\n") if line]
        found = {f"{one['learner']} in results.jsonl": json.dumps(one).encode() for one in lines}
        for table in out.glob("*.csv"):
            with table.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    who = row.get("student_id") or row.get("SIS Login ID") or row.get("Username") or ""
                    kept = {
                        key: value for key, value in row.items() if value
                    }  # of others' questions the honest have none
                    found[f"{who} in {table.name}"] = json.dumps(kept).encode()
        found |= {f"{page.stem} in feedback": page.read_bytes() for page in (out / "feedback").iterdir()}
        return {key: said for key, said in found.items() if key.split(" in ")[0] in self.honest}

    def check(self, mode: str, first: int, count: int) -> None:
        """Draw some hand-ins, and grade the honest among them."""
        folder = self.folder(mode)
        draw(folder, first, count, hand_ins((*BASES, self.slope)), CLONE if mode == "clones" else "")
        assert self.grade(mode, folder) == self.alone[mode]
        assert self.count > 0.7 * count  # a folder without any file is nobody's


def draw(folder: Path, first: int, count: int, strategy, prefix: str = "") -> None:
    """Write hand-ins that follow from a seed."""

    @seed(first)
    @settings(
        max_examples=count, database=None, deadline=None, derandomize=False, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def write(one) -> None:
        one.write(folder, prefix)

    write()


def test_hostile_files_among_honest_ones(tmp_path, sandbox, lent_graders):
    Course(tmp_path, ["Canvas"]).check("Canvas", 0, 20)


@pytest.fixture(scope="module")
def grader(tmp_path_factory, sandbox):
    """One process for all hand-ins, whose memory counts: it is given the first of five hundred and says what it used."""
    home = tmp_path_factory.mktemp("course")
    with (
        (home / "errors").open("w+") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.grade.hostile.test_generated", str(home)],
            cwd=Path(__file__).parents[3], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
        ) as process,
    ):  # fmt: skip

        def ask(first: int) -> int:
            process.stdin.write(f"{first}\n")
            process.stdin.flush()
            said = process.stdout.readline()
            errors.seek(0)
            assert said, errors.read()[-4000:]
            return int(said)

        yield ask
        process.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_ten_thousand_hostile_files(grader, first):
    assert grader(first) < MEMORY


def main(home: Path) -> None:
    """Grade five hundred hand-ins for each number that is read, and print the most bytes used so far."""
    course = Course(home)
    modes = list(MODES)
    for line in sys.stdin:
        course.check(modes[int(line) // BATCH % len(modes)], int(line), BATCH)
        # Not the largest size that getrusage tells: that of a process which started this one counts there, too.
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        print(int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) << 10, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
