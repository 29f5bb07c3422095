"""Whatever one learner hands in, it is that learner's result alone; and the innocent are not accused."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path

import pytest

from autodiff_kit import cli
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import read_master
from autodiff_kit.exercises.parameters import draw_parameters
from autodiff_kit.grade import batch
from autodiff_kit.grade.grader_jobs import GraderLimits, ReadJob
from autodiff_kit.grade.results import read_results

from ..notebooks import LESSON, LESSONS, answered, code, with_cell

pytestmark = pytest.mark.usefixtures("lent_graders")

FULL = float(LESSON.points)
PUSH = LESSONS["01"]
SAY = """
import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, {line!r})
    except OSError:
        pass
"""


def say(kind, **fields):
    """A cell that writes a message of its own to every descriptor."""
    line = json.dumps({"kind": kind, "fields": fields, "values": [], "arrays": []}).encode() + b"\n"
    return with_cell(SAY.format(line=line))


WORDS = {
    "no states": say("ready", states=None),
    "ready without states": say("ready"),
    "a place of many digits": with_cell(
        SAY.format(line=b'{"kind": "cell", "fields": {"place": 1' + b"0" * 4200 + b'}, "values": [], "arrays": []}\n')
    ),
    "a place that was not sent": say("cell", place=10**9),
    "fields that are no object": with_cell(
        SAY.format(line=b'{"kind": "cell", "fields": [1], "values": [], "arrays": []}\n')
    ),
    "a kind that is no text": with_cell(SAY.format(line=b'{"kind": [[]], "fields": {}, "values": [], "arrays": []}\n')),
    "half a million parts": with_cell(SAY.format(line=b"[" + b"[]," * 500_000 + b"[]]\n")),
    "a lone surrogate": with_cell("raise ValueError('\\udc80 \\u2028 \\x1b[31m \\u202e')"),
    "an error that has no text": with_cell("class Bad(Exception):\n    def __str__(self): raise SystemExit\nraise Bad"),
    "a returned surrogate": answered(adam_5="def brake(slots, last_gradient, b1):\n    return '\\udc80'"),
    "a long name of a type": answered(
        adam_5="def brake(slots, last_gradient, b1):\n    return type('T' * 10**6, (), {})()"
    ),
    "ten million symbols": answered(adam_5="def brake(slots, last_gradient, b1):\n    return 1\n# " + "+" * 1_500_000),
}


def write(folder: Path, name: str, found: dict) -> Path:
    path = folder / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found), encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def grade(folder: Path, out: Path, *more: str) -> dict:
    assert (
        cli.main(["grade", str(folder), "--out", str(out), "--workers", "1", "--cpu", "5", "--seed", "1", *more]) == 0
    )
    return {result.learner: result for result in read_results(out / "results.jsonl")}


@pytest.fixture(scope="module")
def alone(tmp_path_factory, sandbox):
    """The result of a learner who hands in with nobody else."""
    place = tmp_path_factory.mktemp("alone")
    write(place / "in", "ada", answered())
    return grade(place / "in", place / "out")["ada"]


def test_words_out_of_turn_cost_nobody_else(tmp_path, alone):
    write(tmp_path / "in", "ada", answered())
    for name, found in WORDS.items():
        write(tmp_path / "in", name, found)
    results = grade(tmp_path / "in", tmp_path / "out")
    assert set(results) == {"ada", *WORDS}
    assert results["ada"] == alone
    for name in ("a lone surrogate", "an error that has no text"):
        assert results[name].status == "graded"
        assert results[name].score == FULL
    for path in (tmp_path / "out").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert len(text) < 100_000
        assert not set(text) & set("\x1b\u202e\u2028")


def test_names_of_files_cost_nobody_else(tmp_path, alone):
    folder = tmp_path / "in"
    write(folder, "ada", answered())
    odd = ["字" * 81, "a\u202eb", "a\u200bb", "ab", "x;=1+1", os.fsdecode(b"\xff\xfe"), "a\nb"]
    for name in odd:
        write(folder, name, answered(leave=("adam-1",)))
    results = grade(folder, tmp_path / "out", "--canvas", "--moodle")
    assert len(results) == len(odd) + 1
    assert results["ada"] == alone
    assert len(list((tmp_path / "out" / "feedback").iterdir())) == len(odd) + 1


def test_files_beside_a_notebook_cost_nobody_else(tmp_path, alone):
    folder = tmp_path / "in"
    write(folder, "ada", answered())
    for name in ("year", "pipe", "folder", "latin"):
        write(folder / name, "15", answered())
    (folder / "year" / "timestamp.txt").write_text("0001-01-01T00:00:00+23:59")
    os.mkfifo(folder / "pipe" / "timestamp.txt")
    os.mkfifo(folder / "pipe" / "more.ipynb")
    (folder / "folder" / "timestamp.txt").mkdir()
    (folder / "latin" / "timestamp.txt").write_bytes(b"\xff\xfe\x00")
    (folder / "letter").mkdir()
    (folder / "letter" / "answers.docx").write_bytes(b"PK")
    results = grade(folder, tmp_path / "out", "--timestamps", "--due", "2026-11-30T23:59", "--late-per-day", "10")
    assert results["ada"].score == alone.score
    assert {name for name, result in results.items() if result.status == "graded"} == {
        "ada", "year", "pipe", "folder", "latin",
    }  # fmt: skip
    assert results["letter"].status == "invalid"


def _deep(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _many_files(folder: Path) -> None:
    for place in range(3000):
        (folder / f"{place}").mkdir()
        (folder / f"{place}" / "empty").touch()


def _bundle_of_parts(folder: Path) -> None:
    cell = json.dumps(code("1", autodiff_kit={"x": [[]] * 100}))
    text = f'{{"nbformat": 4, "metadata": {{"autodiff_kit": {{"exercise": "{LESSON.slug}"}}}}, "cells": [{",".join([cell] * 4500)}]}}'
    with zipfile.ZipFile(folder / "0.zip", "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("notebook.ipynb", text)
    for place in range(1, 100):
        (folder / f"{place}.zip").hardlink_to(folder / "0.zip")


TREES = {
    "deep": _deep,
    "git": lambda folder: (folder / ".git").symlink_to("x" * 300),
    "gitloop": lambda folder: (folder / ".git").symlink_to(".git"),
    "manyfiles": _many_files,
    "bundles": _bundle_of_parts,
    "pipe": lambda folder: os.mkfifo(folder / "a.ipynb"),
    "odd": lambda folder: (folder / "a.ipynb").symlink_to("y" * 300),
    "surrogate": lambda folder: (folder / os.fsdecode(b"\xff.ipynb")).write_text("{"),
}


def test_no_learners_folder_ends_or_holds_up_the_batch(tmp_path, alone, monkeypatch):
    """Folders and links that the batch once looked at itself: one ended it, another took eight minutes before it began."""
    monkeypatch.setattr(batch, "ReadJob", partial(ReadJob, limits=GraderLimits(cpu=3.0)))
    folder = tmp_path / "in"
    write(folder, "ada", answered())
    for name, make in TREES.items():
        (folder / name).mkdir()
        make(folder / name)
        if name not in ("bundles", "pipe", "odd", "surrogate"):
            write(folder / name, "work", answered())
    (folder / "toplink").symlink_to("z" * 300)
    (folder / "toplink.ipynb").symlink_to("z" * 300)
    try:
        results = grade(folder, tmp_path / "out")
    finally:  # pytest takes old folders away by recursion
        subprocess.run(["rm", "-rf", str(folder / "deep")], check=True)
    assert results["ada"] == alone
    assert {name for name, one in results.items() if one.status == "graded"} == {
        "ada", "deep", "git", "gitloop", "manyfiles",
    }  # fmt: skip
    assert "Reading it took more than 3 s of computing. Hand in the notebook alone" in results["bundles"].reason
    assert set(results) == {"ada", *TREES, "toplink"}


def test_a_reason_has_a_bounded_length_whatever_a_notebook_holds(tmp_path):
    found = answered()
    check = {"question": LESSON.questions[0].id, "part": "check"}
    found["cells"] += [code(f"x = {place}", autodiff_kit=check) for place in range(4000)]
    write(tmp_path / "in", "eve", found)
    eve = grade(tmp_path / "in", tmp_path / "out")["eve"]
    assert eve.status == "graded"  # who edits a check gains nothing
    assert len(eve.reason) + sum(map(len, eve.remarks)) <= 4000
    assert (tmp_path / "out" / "report.html").stat().st_size < 50_000


def test_a_name_of_a_download_costs_nobody_else_where_numbers_are_drawn_by_login(tmp_path, sandbox):
    master = read_master(new_exercise("my_slope", tmp_path, per_learner=True))
    build_exercise(master, tmp_path, ("release", "grading"))
    lesson = master.lesson
    text = (tmp_path / "release" / "my_slope.ipynb").read_text(encoding="utf-8")
    for name in ("ada", "eve_1_2_x"):
        found = json.loads(text)
        values = draw_parameters(lesson, lesson.questions[0], name)
        lines = "".join(f"{key} = {value!r}\n" for key, value in values.items())
        cell = next(cell for cell in found["cells"] if cell["id"] == lesson.questions[0].id)
        cell["source"] = lines + lesson.questions[0].solution
        write(tmp_path / "in", name, found)
    results = grade(tmp_path / "in", tmp_path / "out", "--checks", str(tmp_path / "grading"))
    assert (results["ada"].status, results["ada"].score) == ("graded", results["ada"].max_score)
    assert results["eve_1_2_x"].status == "invalid"
    assert "give --roster" in results["eve_1_2_x"].reason


MOODLE = (
    "Identifier,Full name,Username,Grade,Maximum Grade,Feedback comments\n"
    "Participant 1,Ada,ada,-,100,\nParticipant 2,Bob,bob,-,100,\nParticipant 3,Eve,eve,-,100,\n"
)
CANVAS = "Student,ID,SIS Login ID,Slots (7)\n  Points Possible,,,100\nAda,1,ada,\nBob,2,bob,\nEve,3,eve,4\n"


@pytest.mark.parametrize(
    ("text", "more"), [(MOODLE, ()), (CANVAS, ("--column", "Slots (7)"))], ids=["Moodle", "Canvas"]
)
def test_a_notebook_of_another_exercise_keeps_nobody_from_the_platforms_file(tmp_path, alone, text, more):
    write(tmp_path / "in", "ada", answered())
    write(tmp_path / "in", "bob", answered(leave=("adam-1",)))
    forged = answered()
    forged["metadata"]["autodiff_kit"]["exercise"] = PUSH.slug
    write(tmp_path / "in", "eve", forged)
    (tmp_path / "roster.csv").write_text(text)
    results = grade(tmp_path / "in", tmp_path / "out", "--roster", str(tmp_path / "roster.csv"), *more)
    assert results["ada"] == alone
    assert f"another exercise than {LESSON.slug}" in " ".join(results["eve"].remarks)
    [table] = [path for path in (tmp_path / "out").glob("*.csv") if path.name != "grades.csv"]
    lines = {row.get("Student") or row["Full name"]: row for row in csv.DictReader(table.read_text().splitlines())}
    grades = {name: lines[name][more[-1] if more else "Grade"] for name in ("Ada", "Bob", "Eve")}
    assert grades == {
        "Ada": "100",
        "Bob": f"{round(results['bob'].score * 100 / FULL, 2):g}",
        "Eve": "4" if more else "-",
    }


@pytest.mark.parametrize(
    ("size", "status"), [(1_000_000, "graded"), (3_000_000, "invalid")], ids=["a megabyte", "three megabytes"]
)
def test_code_that_is_too_large_is_named_as_such(hand_in, size, status):
    result = hand_in(with_cell("'" + "x" * size + "'"))
    assert result.status == status
    assert "wrote to the connection" not in result.reason
    if status == "invalid":
        assert "2 MB" in result.reason


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import torch", "torch"),
        ("raise Exception('todo')", "todo"),
        ("next(iter([]))", ""),
        ("raise KeyboardInterrupt", ""),
        ("class E(BaseException): pass\n    raise E", ""),
    ],
    ids=["an import", "a bare exception", "a bare StopIteration", "an interrupt", "a base exception"],
)
def test_an_exception_in_a_function_that_the_kit_calls_is_an_error_like_others(hand_in, body, said):
    source = f"def broken(x):\n    {body}\n    return x\n"
    answers = {
        question.id.replace("-", "_"): f"{source}\ndef {question.writes[0]}(*args, **kwargs):\n"
        "    import autodiff_kit as ak\n    for arg in args:\n"
        "        if hasattr(arg, 'vjp'):\n            return arg.vjp(broken, ak.constant([1.0, 2.0]))\n    return broken(1.0)\n"
        for question in PUSH.questions
    }
    result = hand_in(answered(PUSH, **answers))
    assert result.status != "tampered"
    assert "wrote to the connection" not in result.reason
    assert all("wrote to the connection" not in mark.message for mark in result.marks)
    if said:
        assert any(said in mark.message for mark in result.marks)


def test_an_endless_loop_is_named_as_such(hand_in, one_second):
    found = answered(adam_5="def brake(slots, last_gradient, b1):\n    while True: pass")
    found["cells"].insert(1, code("import signal; signal.setitimer = lambda *a: None"))
    result = hand_in(found)
    mark = next(mark for mark in result.marks if mark.question == "adam-5")
    assert mark.points == 0
    assert "signal" not in mark.message
    assert "time" in mark.message


def test_a_cell_that_stopped_is_named_where_its_function_is_missing(hand_in):
    result = hand_in(answered(adam_5="def brake(slots, last_gradient, b1)\n    return 1"))
    mark = next(mark for mark in result.marks if mark.question == "adam-5")
    assert "There is no function `brake`. Its cell stopped with SyntaxError" in mark.message
    assert mark.outcome == "error"
    assert not [mark for mark in result.marks if "cost no try" in mark.message]


def test_tampering_is_said_with_proof_only(hand_in):
    result = hand_in(WORDS["no states"])
    assert result.status == "tampered"
    assert '"states": null' in result.reason


@pytest.mark.slow
def test_nothing_lives_on_after_the_batch_was_killed(tmp_path, sandbox):
    for name in ("a", "b", "c", "d"):
        write(tmp_path / "in", name, with_cell("import time; time.sleep(50)"))
    words = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--workers", "2"]
    batch = subprocess.Popen([sys.executable, "-m", "autodiff_kit", *words], stderr=subprocess.DEVNULL)
    try:
        # Two processes that fork, two of the submissions, a bubblewrap and a Python in each sandbox, and what runs them.
        wait_for(lambda: len(descendants(batch.pid)) >= 10, 60)
        theirs = descendants(batch.pid)
    finally:
        batch.send_signal(signal.SIGKILL)
        batch.wait()
    wait_for(lambda: not any(map(is_alive, theirs)), 10)
    assert not [one for one in theirs if is_alive(one)]


def descendants(ancestor: int) -> set[tuple[int, str]]:
    """Process id and start time of all processes below one."""
    children: dict[int, list[tuple[int, str]]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and (facts := process_facts(int(place.name))):
            parent, started = facts
            children.setdefault(parent, []).append((int(place.name), started))
    found, waiting = set(), [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting.extend(pid for pid, _ in below)
    return found


def process_facts(pid: int) -> tuple[int, str] | None:
    """Parent and start time of a process that is no zombie."""
    try:
        state, parent, *more = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(parent), more[17]) if state != "Z" else None


def is_alive(process: tuple[int, str]) -> bool:
    pid, started = process
    facts = process_facts(pid)
    return facts is not None and facts[1] == started


def wait_for(what, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to pass in time"
        time.sleep(0.2)
