"""Honest notebooks: the sandbox can do what Jupyter can; every question of every exercise, right and wrong."""

from __future__ import annotations

import json
import os
import zipfile

import pytest

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.grade import submission_discovery
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.grading import question_seed
from autodiff_kit.grade.submission import Submission
from autodiff_kit.grade.submission_discovery import find_hand_ins, read_hand_in
from autodiff_kit.lab.server.submissions import BUNDLE_NAME

from .notebooks import LESSON, answered, code, notebook, with_cell

USES = {
    "line magic": "%timeit -n1 -r1 1 + 1\n%precision 3\n%who",
    "cell magic": "%%capture said\nprint('quiet')",
    "time": "%%time\nx = 1",
    "matplotlib inline": "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
    "figure saved": "import matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('/tmp/a.png')\nassert open('/tmp/a.png', 'rb').read(4) == b'\\x89PNG'",
    "widget": "import ipywidgets as w\ns = w.FloatSlider(value=2.0)\nbox = w.VBox([s])\ndisplay(box)\nbox",
    "interact": "from ipywidgets import interact\ninteract(lambda x: x + 1, x=(0, 5));",
    "the kit's widget": "from autodiff_kit.learn import JvpVjp\nJvpVjp()",
    "shell": "!echo hello\nlisted = !ls /tmp",
    "await": "import asyncio\nawait asyncio.sleep(0)",
    "display": "from IPython.display import HTML, Markdown, clear_output\ndisplay(HTML('<b>x</b>'), Markdown('*y*')); clear_output()",
    "checks": "q1.check(); q2.hint(); q3.solution(); q1; [q4.check(seed=3)]; q5.graded()",
    "the result of a check": "assert q1.check().outcome == 'graded later' and q1.check(seed=3).score == 0",
    "questions by name": "ex = exercise('15')\nassert ex.q1.check() and ex[0] is ex.q1 and len(ex) and ex.score == 0; ex",
    "example": "assert set(vars(q1.example)) and q1.example.w.shape\nq1.example",
    "kit": "import autodiff_kit as ak\nassert float(ak.grad(lambda x: x * x)(3.0)) == 6",
    "own files": "open('notes.txt', 'w').write('x')\nassert open('notes.txt').read() == 'x'",
    "a module of its own": "open('mine.py', 'w').write('def f(): return 3')\nfrom mine import f\nassert f() == 3",
    "processes": "import subprocess, sys\nassert subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout == b'1\\n'",
    "threads": "import threading\nt = threading.Thread(target=lambda: None); t.start(); t.join()",
    "traceback": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    import traceback; traceback.print_exc()",
    "autodiff at work": "import autodiff_kit as ak\nv = ak.Variable([1.0])\nak.optim.Adam().minimize(lambda: (v * v).sum(), [v])",
}


@pytest.mark.parametrize("use", USES)
def test_what_jupyter_can_do(hand_in, use):
    result = hand_in(with_cell(USES[use]))
    assert result.remarks == ()
    assert (result.status, result.score) == ("graded", LESSON.points)


def test_a_notebook_that_asks_numpy_to_raise_has_the_points_that_its_checks_gave(hand_in):
    """A check ignores that an exponential is too small for its dtype; the grader named it as a fault."""
    found = with_cell("import numpy as np\nnp.seterr(all='raise')", lesson=LESSONS["05"])
    result = hand_in(found)
    assert (result.status, result.score) == ("graded", LESSONS["05"].points), result.marks


def test_an_error_in_a_cell_is_reported_and_the_rest_runs(hand_in):
    found = with_cell("1 / 0")
    found["cells"] += [code("import math\n\ny = math.log(0)\nnever = 1"), code("n = 1\ndef broken(:")]
    result = hand_in(found)
    assert (result.status, result.score) == ("graded", LESSON.points)
    one_line, several, unreadable = result.remarks
    assert one_line == "The cell `1 / 0` stopped with ZeroDivisionError: division by zero"
    assert several.startswith("The cell `import math` stopped with ValueError: ")
    assert several.endswith(", in its line 3: `y = math.log(0)`")
    assert unreadable.startswith("The cell `n = 1` stopped with SyntaxError: invalid syntax")
    assert unreadable.endswith(", in its line 2: `def broken(:`")


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_worked_answers_pass_and_starters_do_not(hand_in, lesson):
    full, empty = hand_in(answered(lesson)), hand_in(notebook(lesson))
    assert (full.status, full.score, full.max_score) == ("graded", lesson.points, lesson.points)
    assert (empty.status, empty.score) == ("graded", 0)
    assert {mark.outcome for mark in empty.marks} == {"not attempted"}
    assert full.remarks == empty.remarks == ()


def test_the_learners_own_numbers_follow_the_notebooks_stamp(hand_in):
    found = with_cell("import numpy as np\nprint(q1.example)\nraise ValueError(repr(float(np.sum(q1.example.w))))", 3)
    sums = []
    for stamp in ("a", "b", "a"):
        found["metadata"]["autodiff_kit"]["learner"] = stamp
        sums.append(hand_in(found).remarks)
    assert sums[0] == sums[2] != sums[1]


def test_the_same_seed_in_the_learners_own_check_gives_the_same_verdict(hand_in):
    wrong = "def brake(slots, last_gradient, b1):\n    return slots['m']"
    result = hand_in(answered(adam_5=wrong), "ada")
    mark = next(mark for mark in result.marks if mark.question == "adam-5")
    question = next(question for question in LESSON.questions if question.id == "adam-5")
    assert mark.seed == question_seed("s", Submission("ada", sha256=result.sha256), "adam-5")
    own = grade_attempt(question, {"brake": lambda slots, last_gradient, b1: slots["m"]}, mark.seed)
    assert (own.outcome, own.message, own.misconception) == (mark.outcome, mark.message, mark.misconception)


def test_bundles_as_the_panel_names_them_are_their_folders(tmp_path):
    """Also where the folder of one learner is given."""
    for name, count in (("ada", 2), ("bob", 1)):
        for n in range(count):
            path = tmp_path / name / f"{LESSON.slug}-0a1b2c3d-{n + 1:02d}.zip"
            assert BUNDLE_NAME.fullmatch(path.name)
            path.parent.mkdir(exist_ok=True)
            with zipfile.ZipFile(path, "w") as bundle:
                bundle.writestr("notebook.ipynb", json.dumps(answered()))
    found = collect_submissions([tmp_path / "ada", tmp_path / "bob"])
    assert [one.learner for one in found] == ["ada", "bob"]
    assert "2 notebooks were handed in" in found[0].remarks[0]


def test_a_learner_may_hand_in_every_exercise_of_the_course_several_times(tmp_path, monkeypatch):
    (tmp_path / "ada").mkdir()
    for lesson in LESSONS.values():
        (tmp_path / "ada" / f"{lesson.slug}.ipynb").write_text(json.dumps(notebook(lesson)), encoding="utf-8")
    assert len(collect_submissions([tmp_path])) == len(list(LESSONS.values()))
    monkeypatch.setattr(submission_discovery, "MAX_NOTEBOOKS", 3)
    last = list(LESSONS.values())[-1]
    assert [(one.exercise, one.status) for one in collect_submissions([tmp_path], last.slug)] == [(last.slug, "")]


def test_a_folder_that_cannot_be_read_costs_its_learner_only(tmp_path, monkeypatch):
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.ipynb").write_text(json.dumps(answered()), encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda path, _: path.name != "bob")  # root may read all
    found = [read_hand_in(one) for one in find_hand_ins([tmp_path])]
    (ada,), (bob,) = found
    assert (ada.learner, ada.status, bob.learner, bob.status) == ("ada", "", "bob", "invalid")
    assert "folder cannot be read" in bob.reason


def test_a_suffix_in_capitals_is_a_notebooks_too(tmp_path):
    (tmp_path / "cyd").mkdir()
    for name in ("ada.IPYNB", "cyd/hw.Ipynb"):
        (tmp_path / name).write_text(json.dumps(answered()), encoding="utf-8")
    assert [(one.learner, one.status) for one in collect_submissions([tmp_path])] == [("ada", ""), ("cyd", "")]


def test_what_macos_adds_to_an_archive_is_nobodys(tmp_path):
    for name in ("ada/hw.ipynb", "__MACOSX/ada/hw.ipynb", "ada/__MACOSX/hw.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(answered()), encoding="utf-8")
    (tmp_path / "ada" / "._hw.ipynb").write_bytes(b"\0\5\x16\7\xff")
    (ada,) = collect_submissions([tmp_path])
    assert (ada.learner, ada.status, ada.remarks) == ("ada", "", ())


def test_the_folder_of_grades_among_the_submissions_is_nobodys(tmp_path):
    (tmp_path / "ada.ipynb").write_text(json.dumps(answered()), encoding="utf-8")
    (tmp_path / "grades").mkdir()
    (tmp_path / "grades" / "grades.csv").write_text("x", encoding="utf-8")
    found = collect_submissions([tmp_path], out=tmp_path / "grades" / ".." / "grades")
    assert [one.learner for one in found] == ["ada"]
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback" / "ada.html").write_text("x", encoding="utf-8")
    assert [one.learner for one in collect_submissions([tmp_path], out=tmp_path)] == ["ada", "grades"]


def test_all_forms_of_submissions(tmp_path):
    import shutil
    import zipfile

    slug, text = LESSON.slug, json.dumps(answered())
    subs = tmp_path / "subs"
    for place in ("ada.ipynb", f"bob/{slug}.ipynb", f"cyd/ps1/{slug}.ipynb", f"{slug}.ipynb"):
        (subs / place).parent.mkdir(parents=True, exist_ok=True)
        (subs / place).write_text(text, encoding="utf-8")
    (subs / "dan").mkdir()
    for name in (subs / "dan" / f"{slug}-0a1b2c3d.zip", subs / "eve.zip"):
        with zipfile.ZipFile(name, "w") as bundle:
            bundle.writestr("notebook.ipynb", text)
            bundle.writestr("receipt.json", "{}")
    for hidden in (subs / ".ipynb_checkpoints", subs / "bob" / ".ipynb_checkpoints"):
        hidden.mkdir()
        shutil.copy(subs / "ada.ipynb", hidden / "old.ipynb")
    (subs / "readme.txt").write_text("not a submission")
    assert [one.learner for one in collect_submissions([subs])] == ["ada", "bob", "cyd", "dan", "eve", "subs"]
    assert {one.exercise for one in collect_submissions([subs])} == {slug}
    assert [one.learner for one in collect_submissions([subs / "bob" / f"{slug}.ipynb", subs / "eve.zip"])] == [
        "bob",
        "eve",
    ]
    assert [one.learner for one in collect_submissions([subs / "bob", subs / "ada.ipynb"])] == ["ada", "bob"]


def test_a_time_noted_beside_the_notebook_counts_only_when_it_is_asked_for(tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "x.ipynb").write_text(json.dumps(answered()), encoding="utf-8")
    (tmp_path / "ada" / "timestamp.txt").write_text("2026-11-20 08:30:00.000000 UTC\n")
    os.utime(tmp_path / "ada" / "x.ipynb", (1_700_000_000, 1_700_000_000))
    assert collect_submissions([tmp_path])[0].submitted == "2023-11-14T22:13:20+00:00"
    [noted] = collect_submissions([tmp_path], noted_times=True)
    assert (noted.submitted, noted.remarks) == ("2026-11-20T08:30:00+00:00", ())
    (tmp_path / "ada" / "timestamp.txt").write_text("2026-11-20 08:30:00.000000 GMT\n")
    assert collect_submissions([tmp_path], noted_times=True) == [noted]
    (tmp_path / "ada" / "timestamp.txt").write_text("2026-11-20 09:30:00.000000 CET\n")
    [unread] = collect_submissions([tmp_path], noted_times=True)
    assert unread.submitted == "", "the file's time would make it late"
    assert "timestamp.txt cannot be read (2026-11-20 09:30:00.000000 CET)" in unread.remarks[0]


def test_the_last_one_counts(tmp_path):
    (tmp_path / "ada").mkdir()
    for name, second in (("a", 100), ("b", 300), ("c", 200)):
        path = tmp_path / "ada" / f"{name}.ipynb"
        path.write_text(json.dumps(with_cell(f"'{name}'")), encoding="utf-8")
        os.utime(path, (second, second))
    (found,) = collect_submissions([tmp_path])
    assert found.path.endswith("b.ipynb")
    assert "3 notebooks were handed in; b.ipynb counts" in found.remarks[-1]


def test_a_later_notebook_that_has_nothing_to_do_with_the_exercise_does_not_count(tmp_path):
    """With --exercise any notebook can be run: one that a learner keeps beside the exercise, too."""
    (tmp_path / "ada").mkdir()
    own = answered()
    for cell in own["cells"]:
        cell["metadata"] = {}
    scratch = {"cells": [code("1 + 1")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for name, found, second in (
        ("exercise", notebook(), 100),
        ("pasted", own | {"metadata": {}}, 200),
        ("z", scratch, 300),
    ):
        path = tmp_path / "ada" / f"{name}.ipynb"
        path.write_text(json.dumps(found), encoding="utf-8")
        os.utime(path, (second, second))
    (ada,) = collect_submissions([tmp_path], LESSON.slug)
    assert ada.submitted == "1970-01-01T00:03:20+00:00"
    assert ada.path.endswith("pasted.ipynb")


def test_functions_that_are_handed_to_a_check_count_where_none_has_the_name(hand_in):
    """As in the notebook, where `q1.check(mine)` passes; a function of the right name stays the answer."""
    question = LESSON.questions[0]
    (name,) = question.writes
    mine = question.solution.replace(f"def {name}", "def mine")
    grades = {}
    for leave, cell in (
        ((), f"{mine}\nq1.check(mine)"),
        (("adam-1",), f"{mine}\nq1.check(mine)"),
        ((), "q1.check(print)"),
    ):
        found = answered(leave=leave) if leave or "print" in cell else answered(adam_1="")
        found["cells"].append(code(cell))
        grades[leave, cell] = hand_in(found).points["adam-1"]
    assert set(grades.values()) == {question.points}


def test_an_exercise_by_option(hand_in, tmp_path):
    found = answered()
    del found["metadata"]["autodiff_kit"]
    (tmp_path / "ada.ipynb").write_text(json.dumps(found), encoding="utf-8")
    for name in ("15", LESSON.slug):
        assert collect_submissions([tmp_path], name)[0].exercise == LESSON.slug


def test_a_teachers_own_exercise(tmp_path, sandbox):
    from autodiff_kit import cli
    from autodiff_kit.grade.exercise_lookup import use_checks
    from autodiff_kit.grade.grading import grade_submission
    from autodiff_kit.grade.submission_reader import read_submission

    name = "grading_of_my_own"
    assert cli.main(["new-exercise", name, "--dir", str(tmp_path)]) == 0
    assert cli.main(["author", "build", str(tmp_path / f"{name}.ipynb"), "--out", str(tmp_path / "built")]) == 0
    use_checks(tmp_path / "built" / "grading")
    (key,) = (tmp_path / "built" / "key").glob("*.ipynb")
    right = grade_submission(read_submission(key, "ada", name), sandbox, "s")
    assert (right.status, right.score, right.remarks) == ("graded", right.max_score, ())
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / f"{name}.ipynb").write_bytes(key.read_bytes())
    assert [one.learner for one in collect_submissions([tmp_path / "eve" / f"{name}.ipynb"], name)] == ["eve"]
    empty = grade_submission(
        read_submission(tmp_path / "built" / "release" / f"{name}.ipynb", "bob", name), sandbox, "s"
    )
    use_checks(None)
    assert (empty.status, empty.score) == ("graded", 0)
