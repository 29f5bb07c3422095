"""One command builds all parts of an exercise, and leaks no answer."""

from __future__ import annotations

import json
import subprocess
import sys

import nbformat
import pytest

from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import parse_master, read_master
from autodiff_kit.author.release import learner_notebook
from autodiff_kit.cli import main
from autodiff_kit.exercises import exercise


def sources(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def everything(folder):
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def test_build_writes_every_part(begun, tmp_path):
    written = build_exercise(read_master(begun), tmp_path / "out")
    assert {str(path.relative_to(tmp_path / "out")) for path in written} == {
        "release/newton_steps.ipynb",
        "release/newton_steps_checks/__init__.py",
        "release/newton_steps_checks/exercise.json",
        "release/newton_steps_checks/newton_steps_1.py",
        "grading/newton_steps_checks/__init__.py",
        "grading/newton_steps_checks/exercise.json",
        "grading/newton_steps_checks/newton_steps_1.py",
        "course/nbgrader_config.py",
        "course/source/newton_steps/newton_steps.ipynb",
        "course/source/newton_steps/newton_steps_checks/__init__.py",
        "course/source/newton_steps/newton_steps_checks/exercise.json",
        "course/source/newton_steps/newton_steps_checks/newton_steps_1.py",
        "otter/newton_steps/newton_steps.ipynb",
        "otter/newton_steps/tests/newton_steps_1.py",
        "otter/newton_steps/newton_steps_checks/__init__.py",
        "otter/newton_steps/newton_steps_checks/exercise.json",
        "otter/newton_steps/newton_steps_checks/newton_steps_1.py",
        "key/newton_steps_key.ipynb",
        "preview/newton_steps.html",
    }
    for path in written:
        if path.suffix == ".ipynb":
            nbformat.validate(nbformat.read(path, as_version=4))


def test_the_release_holds_no_answer_and_the_key_does(begun, tmp_path):
    build_exercise(read_master(begun), tmp_path / "out")
    answer = "np.sin(x) + x * np.cos(x)\n"
    for part in ("release", "otter"):
        text = "\n".join(s for path in (tmp_path / "out" / part).rglob("*.ipynb") for s in sources(path))
        assert "SOLUTION" not in text
        assert "HIDDEN" not in text
        assert "messages" not in text
        assert answer.strip() not in text
    assert answer.strip() in "\n".join(sources(tmp_path / "out" / "key" / "newton_steps_key.ipynb"))
    assert "BEGIN SOLUTION" in everything(tmp_path / "out" / "course")
    assert "product-of-slopes" not in "\n".join(sources(tmp_path / "out/course/source/newton_steps/newton_steps.ipynb"))


def test_a_teachers_exercise_is_checked_like_any_other(begun, tmp_path, importable, monkeypatch):
    build_exercise(read_master(begun), tmp_path / "out", ("release",))
    importable(tmp_path / "out" / "release")
    (tmp_path / ".autodiff_kit").mkdir()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    (q1,) = exercise("newton_steps")
    from numpy import cos, sin

    assert q1.check(lambda x: sin(x) + x * cos(x)).outcome == "passed"
    assert q1.check(lambda x: sin(x)).misconception == "forgets-the-second"
    assert "is not part of this exercise" in q1.solution().text


def test_the_checks_load_in_a_kernel_beside_the_notebook(begun, tmp_path):
    build_exercise(read_master(begun), tmp_path / "out", ("release",))
    program = """
import json
names = {}
for cell in json.load(open("newton_steps.ipynb"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
print(names["q1"].graded())
exec("def slope(x): return np.sin(x) + x * np.cos(x)", names)
print(exec("score = q1.graded()", names) or names["score"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "out" / "release", capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-2:] == ["0.0", "2.0"]


def test_a_course_keeps_its_settings_and_its_other_exercises(begun, tmp_path):
    build_exercise(read_master(begun), tmp_path / "out", ("course",))
    config = tmp_path / "out" / "course" / "nbgrader_config.py"
    config.write_text("c = get_config()\n")
    assert main(["author", "build", "06", "--out", str(tmp_path / "out"), "--only", "course"]) == 0
    assert config.read_text() == "c = get_config()\n"
    assert sorted(path.name for path in (config.parent / "source").iterdir()) == ["06_relaxing_floor", "newton_steps"]


def test_a_partly_right_answer_gets_half_the_points_from_otter(shipped, tmp_path):
    build_exercise(shipped, tmp_path, ("otter",))
    for question in shipped.lesson.questions:
        path = tmp_path / "otter" / shipped.lesson.slug / "tests" / f"{question.id.replace('-', '_')}.py"
        made = {}
        exec(path.read_text(encoding="utf-8"), made)
        assert made["OK_FORMAT"]
        assert sum(made["test"]["points"]) == question.points
        assert [case["hidden"] for suite in made["test"]["suites"] for case in suite["cases"]] == [False, False]


def test_otters_tests_ask_the_question_also_where_a_check_has_more_metadata(changed, tmp_path):
    more = {"newton-steps-1-check": lambda cell: cell["metadata"]["autodiff_kit"].update(points=2)}
    build_exercise(parse_master(changed(more)), tmp_path, ("otter",))
    assert "q1.graded()" in (tmp_path / "otter" / "newton_steps" / "tests" / "newton_steps_1.py").read_text()


def test_otters_tests_name_the_question_also_where_its_check_is_missing(changed, tmp_path):
    build_exercise(parse_master(changed(drop=("newton-steps-1-check",))), tmp_path, ("otter",))
    (test,) = (tmp_path / "otter" / "newton_steps" / "tests").iterdir()
    assert "q1.graded()" in test.read_text()


@pytest.mark.parametrize("check", ["my.q1.check()", "my.q1.check(slope)"])
def test_otters_tests_name_the_question_as_the_check_does(changed, tmp_path, check):
    more = {"newton-steps-1-check": lambda cell: cell.update(source=check)}
    build_exercise(parse_master(changed(more)), tmp_path, ("otter",))
    assert "bool(my.q1.graded()" in (tmp_path / "otter" / "newton_steps" / "tests" / "newton_steps_1.py").read_text()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("newton_steps.ipynb", ("classroom",)),
        ("release/newton_steps.ipynb", ("build", "--only", "release")),
        ("course/source/newton_steps/newton_steps.ipynb", ("build", "--only", "course")),
        ("otter/newton_steps/newton_steps.ipynb", ("build", "--only", "otter")),
        ("key/newton_steps_key.ipynb", ("build", "--only", "key")),
    ],
)
def test_no_part_is_written_over_the_master(begun, tmp_path, capsys, place, words):
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    begun.rename(path)
    before = path.read_bytes()
    assert main(["author", words[0], str(path), *words[1:], "--out", str(tmp_path)]) == 1
    assert "is the master itself" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ("new-exercise", "other", "--dir", "taken"),
        ("author", "build", "01", "--out", "taken"),
        ("author", "classroom", "01", "--out", "taken"),
        ("author", "gradescope", "01", "--out", "taken/autograder.zip"),
        ("author", "variant", "jvp-2", "other", "--dir", "taken"),
    ],
)
def test_a_place_that_cannot_be_written_is_told(tmp_path, capsys, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file and no folder")
    assert main([*words]) == 1
    assert f"autodiff-kit: {words[-1]} cannot be written (" in capsys.readouterr().err


def test_metadata_for_nbgrader_match_its_schema(shipped):
    keys = {"schema_version", "grade", "solution", "locked", "grade_id", "task"}
    cells = [
        cell["metadata"]["nbgrader"]
        for cell in learner_notebook(shipped.notebook)["cells"]
        if "nbgrader" in cell["metadata"]
    ]
    assert all(keys <= set(cell) <= keys | {"points"} for cell in cells)
    assert all(("points" in cell) == cell["grade"] for cell in cells)
    graded = {cell["grade_id"]: cell["points"] for cell in cells if cell["grade"]}
    assert graded == {question.id: question.points for question in shipped.lesson.questions}


def test_the_commands_print_their_results(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-exercise", "newton_steps"]) == 0
    assert main(["author", "validate", "newton_steps.ipynb", "--seeds", "2"]) == 0
    assert main(["author", "build", "newton_steps.ipynb", "--out", "out", "--only", "key"]) == 0
    assert main(["author", "master", "15"]) == 0
    said = capsys.readouterr().out
    assert "Questions 1, points 2, draws 2, problems 0." in said
    assert "out/key/newton_steps_key.ipynb" in said
    assert '"slug": "15_adam_slots"' in said
    assert main(["author", "validate", "absent.ipynb"]) == 1
    assert "cannot be read" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["author", "build", "01"])
