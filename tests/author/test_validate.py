"""Validation finds every way in which an exercise can be unfair, wrong or leaky."""

from __future__ import annotations

import copy
import json
import re

import pytest

from autodiff_kit.author.commands import MUTANT_DRAWS, VALIDATION_SEEDS
from autodiff_kit.author.master_notebook import parse_master, read_master
from autodiff_kit.author.validate import validate_exercise
from autodiff_kit.cli import main

ID = "newton-steps-1"
CHECK = "q1.check()\n### BEGIN HIDDEN TESTS\nq1.graded()\n### END HIDDEN TESTS"


def test_the_kits_own_exercises_have_no_problem(shipped):
    assert validate_exercise(shipped, 2) == []


@pytest.mark.slow
def test_the_kits_own_exercises_have_no_problem_in_a_hundred_draws(shipped):
    assert validate_exercise(shipped, VALIDATION_SEEDS) == []


def test_a_new_exercise_has_no_problem(begun):
    assert validate_exercise(read_master(begun), VALIDATION_SEEDS, MUTANT_DRAWS) == []


def told(notebook, seeds=3, mutant_draws=0):
    return [str(problem) for problem in validate_exercise(parse_master(notebook), seeds, mutant_draws)]


def source(text):
    return lambda cell: cell.update(source=text)


def replace(before, after):
    def change(cell):
        text = "".join(cell["source"])
        assert before in text
        cell["source"] = text.replace(before, after)

    return change


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("", replace("    ...", "    return np.sin(x) + x * np.cos(x)"), "The starter earns 1 of the points"),
        ("", replace("x * np.cos(x)", "np.cos(x)"), "The worked answer fails"),
        ("", replace("return np.sin", "return nope.sin"), "The worked answer fails"),
        ("", replace("### BEGIN SOLUTION\ndef slope", "### BEGIN SOLUTION\nslope = 3\ndef other"), "defines no slope"),
        ("-wrong-1", source("def slope(x):\n    return np.sin(x) + x * np.cos(x)"), "(product-of-slopes) passes"),
        ("-wrong-1", source("def slope(x):\n    return np.sin(x)"), "gets the message 'forgets-the-second' instead of"),
        ("-wrong-1", source("def slope(x):\n    return 1 / 'a'"), "Wrong answer 1 (product-of-slopes) stops"),
        ("-wrong-1", source("1 / 0"), "stops with ZeroDivisionError"),
        (
            "-text",
            replace("Write `slope(x)`", "It is: return np.sin(x) + x * np.cos(x)"),
            "contains a line of its worked answer",
        ),
        ("-text", replace("Write `slope(x)`", "The slope of a product has two terms."), "contains a hint"),
        ("-author", replace('    "`sin(x) + x * cos(x)`",\n', ""), "It has 2 hints"),
        ("-author", replace('"product-of-slopes":', '"a b": "", "product-of-slopes":'), "must not contain spaces"),
        (
            "-author",
            replace('{"product-of-slopes": np', '{"product-of-slops": np'),
            "with KeyError: 'product-of-slops'; `mess",
        ),
        ("-author", replace("You multiplied", "You {often} multiplied"), "ends the check with KeyError: 'often'"),
        ("-author", replace("np.sin(x) + x * np.cos(x), mistakes", "nope, mistakes"), "ends the check with NameError"),
        ("-author", replace('"x": rng.', '"x": nope.'), "Its example stops with NameError"),
        ("-check", source("q1.check()"), "Its check needs"),
        ("-check", lambda cell: cell["metadata"]["nbgrader"].update(points=3), "would give 3 points, but the kit 2"),
        ("-check", lambda cell: cell["metadata"]["nbgrader"].update(grade_id="other"), "No cell has its grade"),
        (
            "-check",
            lambda cell: cell["metadata"]["nbgrader"].update(grade_id=f"{ID}-text"),
            "2 cells have this grade_id",
        ),
        ("-help", lambda cell: cell.update(id=ID), "2 cells have this cell id"),
        ("-help", lambda cell: cell.update(id="a b"), "consist of letters, digits"),
        ("-text", replace("## q1", "## q2"), "got q2"),
    ],
)
def test_each_problem_is_found_and_described(changed, name, change, words):
    found = told(changed({ID + name: change}))
    assert any(words in problem for problem in found), found


def test_an_exercise_without_wrong_answers_is_not_ready(changed):
    found = told(changed(drop=(f"{ID}-wrong-1", f"{ID}-wrong-2")))
    assert any("no wrong answer" in problem for problem in found)


def test_a_misconception_that_shows_on_some_draws_only_is_found(changed):
    rare = "def slope(x):\n    return np.sin(x) + x * np.cos(x) if x[0] > 1.2 else np.sin(x)"
    found = told(changed({f"{ID}-wrong-2": source(rare)}), seeds=100)
    assert any("Wrong answer 2" in problem for problem in found)


DRAWN = "rng.uniform(0.5, 3, n)"
# At pi the sine is 0, and nobody sees what becomes of it.
LAX = {f"{ID}-author": replace(DRAWN, "rng.choice([np.pi, 2.0], 1)")}
THOROUGH = """

def thorough(attempt, rng):
    x = rng.uniform(0.5, 3, 9)
    reply = yield Call("slope", (x,))
    attempt.case(reply.value, np.sin(x) + x * np.cos(x))
"""


def test_a_fault_that_passes_is_found_and_its_line_is_told(changed, tmp_path, capsys):
    path = tmp_path / "m.ipynb"
    path.write_text(json.dumps(changed(LAX)))
    assert main(["author", "validate", str(path)]) == 1
    told = capsys.readouterr().out
    assert f"{ID}: A fault in the worked answer is missed: line 2, " in told
    found = re.search(r"line 2, `np.sin\(x\) \+ x \* np.cos\(x\)` -> `x \* np.cos\(x\)`, passes on (\d+) of 200", told)
    assert 30 < int(found[1]) < 70, "both of its cases are at pi on a quarter of the draws"
    assert f"problems {told.count('is missed')}." in told


def test_faults_can_be_left_out(changed, tmp_path, capsys):
    path = tmp_path / "m.ipynb"
    path.write_text(json.dumps(changed(LAX)))
    assert main(["author", "validate", str(path), "--mutant-draws", "0"]) == 0
    assert "problems 0." in capsys.readouterr().out


def test_a_check_that_stops_is_told_where_faults_are_tried_as_well(changed):
    stops = replace("np.sin(x) + x * np.cos(x), mistakes", "nope, mistakes")
    assert any("NameError" in problem for problem in told(changed({f"{ID}-author": stops}), 1, 1))


@pytest.mark.parametrize("more", [["--seeds", "0"], ["--seeds", "-1"], ["--mutant-draws", "-1"]])
def test_a_validation_without_draws_is_none(begun, capsys, more):
    assert main(["author", "validate", str(begun), *more]) == 1
    assert "must be 1 or more" in capsys.readouterr().err


def test_a_thorough_check_in_the_authors_cell_finds_what_the_check_never_looks_at(changed):
    def told_with(more):
        author = replace(DRAWN, "np.full(1, np.pi)")
        cells = {f"{ID}-author": lambda cell: (author(cell), cell.update(source=cell["source"] + more))}
        return [str(one) for one in validate_exercise(parse_master(changed(cells)), 3, 3)]

    assert told_with("") == [], "there is no other input to compare results on"
    assert any("`np.sin(x) + x * np.cos(x)` -> `x * np.cos(x)`, passes on 3 of 3" in one for one in told_with(THOROUGH))


def test_validation_leaves_the_master_as_it_was(shipped):
    before = copy.deepcopy(shipped.notebook)
    validate_exercise(shipped, 1)
    assert shipped.notebook == before
