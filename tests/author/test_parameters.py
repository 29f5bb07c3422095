"""Parameters drawn for each learner: a copied answer is a wrong answer, and a login that is not one's own is told."""

from __future__ import annotations

import json

import pytest

from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import MasterNotebookError, parse_master
from autodiff_kit.author.notebook_cells import code_cell, question_metadata
from autodiff_kit.author.validate import validate_exercise
from autodiff_kit.cli import main
from autodiff_kit.exercises import exercise
from autodiff_kit.exercises.parameters import draw_parameters
from autodiff_kit.grade.results import read_results

QUESTION = "newton-steps-1"
PARAMETERS = {"k": [2, 3, 5, 7, 11], "f": ["sin", "cos", "tanh"]}
SOLUTION = """def slope(x):
    inner = {"sin": np.cos, "cos": lambda u: -np.sin(u), "tanh": lambda u: 1 - np.tanh(u) ** 2}[f]
    return k * inner(k * x)"""
ANSWER = f"def slope(x):\n    ...\n### BEGIN SOLUTION\n{SOLUTION}\n### END SOLUTION"
AUTHOR = """
import numpy as np
from autodiff_kit.exercises.protocol import Call

messages = {"no-factor": "The inner slope {k} is missing."}
hints = ("One.", "Two.", "Three.")

def example(rng):
    return {"x": rng.uniform(-2, 2, 3).round(2)}

def check(attempt, rng, k, f):
    x = rng.uniform(-1, 1, 4)
    inner = {"sin": np.cos, "cos": lambda u: -np.sin(u), "tanh": lambda u: 1 - np.tanh(u) ** 2}[f](k * x)
    reply = yield Call("slope", (x,))
    attempt.case(reply.value, k * inner, {"no-factor": inner}, tol=1e-10, facts={"k": k})
"""
WRONG = """import numpy as np


def slope(x):
    return {"sin": np.cos, "cos": lambda u: -np.sin(u), "tanh": lambda u: 1 - np.tanh(u) ** 2}[f](k * x)"""
PUBLIC = """
import numpy as np
from autodiff_kit.exercises.protocol import Call

def check(attempt, rng, k, f):
    reply = yield Call("slope", (np.array([0.0]),))
    attempt.case(reply.value, np.array([float(k)]))
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section
"Lovelace, Ada",1,s1,ada,A
"Babbage, Bob",2,s2,bob,A
"Curie, Cyd",3,s3,cyd@uni,A
"""


@pytest.fixture
def drawn(changed):
    """The notebook of a private question with parameters; keyword arguments change it."""

    def made(parameters=PARAMETERS, author=AUTHOR, *, private=True):
        def answer(cell):
            cell["source"] = ANSWER
            cell["metadata"]["autodiff_kit"].update(private=private, parameters=parameters)

        return changed(
            {
                "begin": lambda cell: cell.update(
                    source="import numpy as np\nfrom autodiff_kit.learn import exercise\n"
                    '(q1,) = exercise("newton_steps", login="")'
                ),
                QUESTION: answer,
                f"{QUESTION}-author": lambda cell: cell.update(source=author),
                f"{QUESTION}-wrong-1": lambda cell: (
                    cell["metadata"]["autodiff_kit"].update(misconception="no-factor"),
                    cell.update(source=WRONG),
                ),
            },
            drop=(f"{QUESTION}-wrong-2",),
        )

    return made


def numbers(lesson, login):
    return draw_parameters(lesson, lesson.questions[0], login)


def test_numbers_follow_from_seed_and_login_and_use_every_value(drawn):
    lesson = parse_master(drawn()).lesson
    many = [numbers(lesson, f"learner{i}") for i in range(300)]
    assert {tuple(one.values()) for one in many} == {(k, f) for k in PARAMETERS["k"] for f in PARAMETERS["f"]}
    assert numbers(lesson, " Ada ") == numbers(lesson, "ada")
    notebook = drawn()
    notebook["metadata"]["autodiff_kit"]["seed"] = "next term"
    other = parse_master(notebook).lesson
    assert many != [numbers(other, f"learner{i}") for i in range(300)]


@pytest.mark.parametrize(
    "parameters", [[2, 3], {"k": 3}, {"k": [3]}, {"k": [3, 3]}, {"for": [1, 2]}, {"k 1": [1, 2]}, {"k": [[1], [2]]}]
)
def test_parameters_that_are_none_are_an_error(drawn, parameters):
    with pytest.raises(MasterNotebookError, match="list of two or more different numbers"):
        parse_master(drawn(parameters))


def test_a_public_check_has_no_parameters(drawn):
    with pytest.raises(MasterNotebookError, match="private: true"):
        parse_master(drawn(private=False))


def test_a_master_with_parameters_is_valid_and_a_fault_in_its_answer_is_found(drawn):
    assert validate_exercise(parse_master(drawn()), 20, 5) == []
    near = AUTHOR.replace("rng.uniform(-1, 1, 4)", "rng.choice([0.0, 0.5], 1)")
    told = " ".join(map(str, validate_exercise(parse_master(drawn(author=near)), 0, 5)))
    assert "is missed: line 3, `k * x` -> `x`, passes on" in told, "lines of numbers do not count"


def test_the_template_with_numbers_for_each_learner_is_valid(tmp_path, capsys):
    assert main(["new-exercise", "my_slope", "--per-learner", "--dir", str(tmp_path)]) == 0
    assert main(["author", "validate", str(tmp_path / "my_slope.ipynb"), "--seeds", "20"]) == 0
    assert "problems 0" in capsys.readouterr().out


def test_a_check_that_passes_a_copy_is_a_problem(drawn):
    deaf = AUTHOR.replace("attempt.case(reply.value, k * inner", "attempt.case(reply.value, reply.value")
    said = " ".join(map(str, validate_exercise(parse_master(drawn(author=deaf)), 3)))
    assert "A copy with k = " in said
    assert "A copy with f = " in said
    notebook = drawn()
    notebook["cells"][1]["source"] = 'exercise("newton_steps")'
    assert 'login=""' in " ".join(map(str, validate_exercise(parse_master(notebook), 1)))


def test_the_learners_notebook_shows_the_numbers_of_the_login(drawn, tmp_path, importable, capsys, monkeypatch):
    master = parse_master(drawn())
    build_exercise(master, tmp_path, ("release",))
    importable(tmp_path / "release")
    (tmp_path / ".autodiff_kit").mkdir()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    [q1] = exercise("newton_steps")
    assert 'exercise("newton_steps", login="…")' in capsys.readouterr().out
    assert q1.check(lambda x: x).outcome == "not attempted"
    [q1] = exercise("newton_steps", login="ada")
    values = numbers(master.lesson, "ada")
    assert f"q1: `k = {values['k']}`, `f = {values['f']!r}`" in capsys.readouterr().out
    assert q1.check(lambda x: x).outcome == "graded later"


def test_public_examples_are_those_of_the_learners_numbers(drawn, tmp_path, importable, monkeypatch):
    notebook = drawn()
    notebook["cells"].append(code_cell("public", PUBLIC, **question_metadata(QUESTION, "public")))
    build_exercise(parse_master(notebook), tmp_path, ("release",))
    importable(tmp_path / "release")
    (tmp_path / ".autodiff_kit").mkdir()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    [q1] = exercise("newton_steps", login="ada")
    k = numbers(parse_master(notebook).lesson, "ada")["k"]
    assert q1.check(lambda x: k + 0 * x).outcome == "graded later"
    assert q1.check(lambda x: k + 1 + 0 * x).outcome == "not yet"


@pytest.fixture
def graded(drawn, tmp_path, sandbox_or_skip):
    """Grade four hand-ins: Ada's own, a copy of her answer, a copy of her notebook, and an unknown login."""

    def made(*options, names=("ada", "bob", "cyd@uni", "dan")):
        master = parse_master(drawn())
        build_exercise(master, tmp_path, ("release", "grading"))
        (tmp_path / "in").mkdir()
        values = [numbers(master.lesson, login) for login in ("ada", "bob", "cyd@uni", "dan")]
        assert all(one != values[0] for one in values[1:])
        for name, stated in zip(names, ("ADA ", "bob", "ada", "dann"), strict=True):
            notebook = json.loads((tmp_path / "release" / "newton_steps.ipynb").read_text())
            cells = {cell["id"]: cell for cell in notebook["cells"]}
            lines = "".join(f"{key} = {value!r}\n" for key, value in values[0].items())
            cells[QUESTION]["source"] = f"{lines}{SOLUTION}"
            cells["begin"]["source"] = "".join(cells["begin"]["source"]).replace('login=""', f"login={stated!r}")
            (tmp_path / "in" / f"{name}.ipynb").write_text(json.dumps(notebook))
        words = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--workers", "1"]
        assert main([*words, "--checks", str(tmp_path / "grading"), *map(str, options)]) == 0
        return {one.learner: one for one in read_results(tmp_path / "out" / "results.jsonl")}

    return made


def test_a_copy_is_wrong_and_a_foreign_login_is_told(graded, tmp_path):
    (tmp_path / "roster.csv").write_text(CANVAS)
    found = graded("--roster", tmp_path / "roster.csv")
    assert {name: one.score for name, one in found.items()} == {"ada": 2.0, "bob": 0.0, "cyd@uni": 0.0, "dan": 0.0}
    assert not found["ada"].remarks
    assert not found["bob"].remarks
    assert "'ada', which is that of Lovelace, Ada" in found["cyd@uni"].remarks[0]
    assert "'dann', which is not in the roster" in found["dan"].remarks[0]
    assert "by the login `bob`: `k = " in found["bob"].marks[0].message
    assert "another login, `ada`" in found["cyd@uni"].marks[0].message


@pytest.mark.slow
def test_without_a_roster_the_name_is_the_login(graded):
    found = graded()
    assert {name: one.score for name, one in found.items()} == {"ada": 2.0, "bob": 0.0, "cyd@uni": 0.0, "dan": 0.0}
    assert "under which nothing was handed in" in found["dan"].remarks[0]


def test_a_batch_of_downloads_needs_the_roster(drawn, tmp_path, capsys):
    build_exercise(parse_master(drawn()), tmp_path, ("release", "grading"))
    (tmp_path / "in").mkdir()
    text = (tmp_path / "release" / "newton_steps.ipynb").read_text()
    (tmp_path / "in" / "lovelaceada_1_77_newton_steps.ipynb").write_text(text)
    words = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--checks", str(tmp_path / "grading")]
    assert main(words) == 1
    assert "--roster" in capsys.readouterr().err
