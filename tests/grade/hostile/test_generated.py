"""Random hand-ins: trees of files, notebooks, metadata, times, names and words on the wire. The batch ends, everybody
else's result is the same, and the grader's memory stays bounded.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest

from autodiff_kit.grade.batch import BatchOptions, grade_batch
from autodiff_kit.grade.csv_table import grades_csv
from autodiff_kit.grade.inside.limits import ResourceLimits
from autodiff_kit.grade.late_policy import LatePolicy
from autodiff_kit.grade.lms_export import canvas_csv, moodle_csv
from autodiff_kit.grade.reports import write_reports
from autodiff_kit.grade.result_store import ResultStore
from autodiff_kit.grade.results import read_results, write_results
from autodiff_kit.grade.similarity import similar_groups
from autodiff_kit.grade.submission_discovery import collect_submissions

from ..notebooks import answered, code

MEMORY = 300 << 20
LETTERS = "ab ._-=+@;,\"'<&%?:*|\\\u202e\u200b\u2028\u0301字é🙂\t\x1b\r\n" + os.fsdecode(b"\xff")
NUMBERS = (0, -1, 1, 4, 2**63, 10**400, 0.5, -1e308, 1e999, float("nan"))


class HostileFiles:
    """Draws what a learner might hand in from one random generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def name(self) -> str:
        """A name of a file, without separators of paths."""
        length = self.random.choice((1, 2, 5, 20, 60))
        drawn = "".join(self.random.choices(LETTERS, k=length)).replace("/", "").replace("\0", "")
        while len(os.fsencode(drawn)) > 200:
            drawn = drawn[:-1]
        return drawn.strip(".") or "x"

    def text(self) -> str:
        """A text of any length that JSON can hold."""
        return "".join(self.random.choices(LETTERS + "0123456789 \ud800", k=self.random.choice((0, 3, 30, 3000))))

    def value(self, depth: int = 0) -> object:
        """Any value that JSON can hold."""
        kind = self.random.randrange(8 if depth < 4 else 6)
        if kind >= 6:
            inner = [self.value(depth + 1) for _ in range(self.random.randrange(4))]
            return inner if kind == 6 else {self.text()[:20]: one for one in inner}
        return (None, True, self.random.choice(NUMBERS), self.text(), [], {})[kind]

    def source(self) -> str:
        """The source of a cell; what runs ends soon."""
        line = json.dumps({"kind": self.text()[:9], "fields": self.value(), "values": [self.value()], "arrays": []})
        said = (line + chr(10)).encode("utf-8", "replace")
        write = f"import os\nfor d in range(3, 40):\n    try: os.write(d, {said!r})\n    except OSError: pass"
        choices = (
            self.text(),
            "1 / 0",
            f"raise Exception({self.text()[:200]!r})",
            "import os; os._exit(3)",
            "def brake(*a): return brake",
            "brake = type('T' * 5000, (), {})()",
            f"def brake(*a): return {self.value()!r}".replace("inf", "1e999").replace("nan", "(1e999 - 1e999)"),
            write,
        )
        return self.random.choice(choices)

    def notebook(self) -> object:
        """A notebook of which a part was replaced, or something else."""
        if self.random.random() < 0.15:
            return self.value()
        found = answered()
        for _ in range(self.random.randrange(1, 4)):
            self.change(found)
        return found

    def change(self, found: dict) -> None:
        """Change one thing of a notebook."""
        cells = found["cells"] if type(found.get("cells")) is list else []
        cell = self.random.choice(cells) if cells else {}
        kind = self.random.randrange(7)
        if kind == 0:
            found[self.random.choice(list(found))] = self.value()
        elif kind == 1 and type(cell) is dict and cell:
            cell[self.random.choice(list(cell))] = self.value()
        elif kind == 2 and type(cell) is dict and type(cell.get("metadata")) is dict:
            cell["metadata"]["autodiff_kit"] = {"question": self.value(), "points": self.value(), "part": self.value()}
        elif kind == 3 and type(found.get("metadata")) is dict:
            found["metadata"]["autodiff_kit"] = self.value()
        elif kind == 4:
            self.random.shuffle(cells)
        elif cells:
            cells.insert(self.random.randrange(len(cells)), code(self.source()))

    def write(self, folder: Path) -> None:
        """One learner's files."""
        name = self.name()
        data = json.dumps(self.notebook()).encode()
        if self.random.random() < 0.1:
            place = self.random.randrange(len(data))
            data = data[:place] + bytes(self.random.randrange(256) for _ in range(9)) + data[place:]
        kind = self.random.randrange(6)
        if kind == 0:
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as bundle, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # two files of one name
                for _ in range(self.random.choice((1, 1, 1, 2, 5))):
                    bundle.writestr(self.random.choice(("notebook.ipynb", "../x.ipynb", ascii(self.text()[:9]))), data)
        elif kind == 1:
            inner = folder / name
            inner.mkdir(exist_ok=True)
            (inner / f"{self.name()}.ipynb").write_bytes(data)
            (inner / "timestamp.txt").write_text(self.text()[:60], encoding="utf-8", errors="replace")
            self.odd_file(inner)
        else:
            path = folder / f"{name}.ipynb"
            path.write_bytes(data)
            second = self.random.choice((0, 1, -(10**9), 1_700_000_000, 2**33, 10**11))
            os.utime(path, (second, second))

    def odd_file(self, folder: Path) -> None:
        """A file that is no file, or points elsewhere."""
        path = folder / f"{self.name()}.ipynb"
        if not path.exists():
            self.random.choice((os.mkfifo, Path.mkdir, lambda p: p.symlink_to("/dev/zero"), Path.touch))(path)


def grade_all(folder: Path, out: Path) -> dict[str, bytes]:
    """Every stage of grading that reads what learners wrote; the results by learner, as they are stored."""
    submissions = collect_submissions([folder], noted_times=True)
    policy = LatePolicy("2026-11-30T23:59", 10, 10)
    limits = ResourceLimits(cpu=2.0, wall=5.0, memory=256 << 20)
    with ResultStore(out, 1) as store:
        results = [policy.apply_to(one) for one in grade_batch(submissions, store, BatchOptions(limits))]
        write_results(out / "results.jsonl", results)
        write_reports(out, results, similar_groups(submissions))
    for text in (grades_csv(results), canvas_csv(results), moodle_csv(results)):
        text.encode()
    assert len(read_results(out / "results.jsonl")) == len(results)
    return {result.learner: json.dumps(result.as_dict()).encode() for result in results}


HONEST = {"ada": answered(), "bob": answered(leave=("adam-1",))}


def honest_folder(folder: Path) -> Path:
    """A folder with the two honest hand-ins."""
    folder.mkdir(parents=True)
    for name, found in HONEST.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(found), encoding="utf-8")
        os.utime(folder / f"{name}.ipynb", (1_700_000_000, 1_700_000_000))
    return folder


def check_hostile_files(folder: Path, seeds: range, size: int) -> None:
    """Grade the honest learners alone, and among ``size`` hostile hand-ins at a time; compare their results."""
    alone = grade_all(honest_folder(folder / "alone"), folder / "alone-out")
    for start in seeds[::size]:
        among = honest_folder(folder / f"from-{start}")
        for seed in range(start, min(start + size, seeds.stop)):
            HostileFiles(seed).write(among)
        results = grade_all(among, folder / "out")
        assert {name: results[name] for name in HONEST} == alone
        shutil.rmtree(among)
        shutil.rmtree(folder / "out")


def test_hostile_files_among_honest_ones(tmp_path, sandbox):
    check_hostile_files(tmp_path, range(25), 25)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 1000))
def test_ten_thousand_hostile_files(tmp_path, sandbox, first):
    command = [sys.executable, "-m", "tests.grade.hostile.test_generated", str(tmp_path), str(first), str(first + 1000)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-4000:]


def main(folder: Path, first: int, last: int) -> None:
    """Grade hostile hand-ins in this process, five hundred at a time, and look at its memory at the end."""
    check_hostile_files(folder, range(first, last), 500)
    # Not the largest size that getrusage tells: that of a process which started this one counts there, too.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    used = int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) << 10
    print(f"{last - first} hostile hand-ins; the grader used at most {used >> 20} MB")
    assert used < MEMORY


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
