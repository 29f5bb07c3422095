"""A master notebook is parsed completely, or the error names what is missing."""

from __future__ import annotations

import copy
import json

import pytest

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import MasterNotebookError, parse_master, read_master, split_answer
from autodiff_kit.errors import FileError, StructureError
from autodiff_kit.exercises.questions import LESSONS

ID = "newton-steps-1"


def test_a_builtin_master_contains_the_questions_themselves(shipped):
    lesson = LESSONS[shipped.lesson.no]
    assert [(q.id, q.points, q.title, q.writes) for q in shipped.lesson.questions] == [
        (q.id, q.points, q.title, q.writes) for q in lesson.questions
    ]
    for read_back, question in zip(shipped.lesson.questions, lesson.questions, strict=True):
        assert read_back.check is question.check
        assert read_back.hints == question.hints
        assert read_back.text == question.text.strip()
        assert read_back.solution.strip() == question.solution.strip()


def test_a_new_exercise_reads_and_has_its_wrong_answers(begun):
    master = read_master(begun)
    (question,) = master.lesson.questions
    assert (question.id, question.points, question.writes) == (ID, 2, ("slope",))
    assert {wrong.misconception for wrong in master.wrong[ID]} == set(question.messages)


def test_a_name_must_be_valid_and_nothing_is_overwritten(begun, tmp_path):
    for name in ("Newton", "2nd", "a-b", ""):
        with pytest.raises(StructureError, match="lower-case letters"):
            new_exercise(name, tmp_path)
    before = begun.read_bytes()
    with pytest.raises(FileError, match="nothing was changed"):
        new_exercise("newton_steps", tmp_path)
    assert begun.read_bytes() == before


def test_a_file_that_is_not_a_notebook_is_an_error(tmp_path):
    with pytest.raises(MasterNotebookError, match="cannot be read"):
        read_master(tmp_path / "absent.ipynb")
    for text in ("", "{", "[]", "{}", json.dumps({"cells": [], "metadata": {}})):
        path = tmp_path / "odd.ipynb"
        path.write_text(text)
        with pytest.raises(MasterNotebookError, match="not a notebook|not an exercise"):
            read_master(path)


def test_each_missing_part_is_named(changed):
    for part in ("text", "author"):
        with pytest.raises(MasterNotebookError, match=f"no cell of part '{part}'"):
            parse_master(changed(drop=(f"{ID}-{part}",)))
    with pytest.raises(MasterNotebookError, match="no question"):
        parse_master(changed(drop=(ID,)))
    with pytest.raises(MasterNotebookError, match="lacks goal"):
        parse_master(changed(metadata={"goal": ""}))
    with pytest.raises(MasterNotebookError, match="slug 'newton-steps' in the notebook's metadata names a Python mod"):
        parse_master(changed(metadata={"slug": "newton-steps"}))
    with pytest.raises(MasterNotebookError, match="letters without accents"):
        parse_master(changed(metadata={"slug": "größe"}))  # `grade` loads no such checks
    with pytest.raises(MasterNotebookError, match="slug 'my-adam' in the notebook's metadata names a Python module"):
        parse_master(changed(metadata={"slug": "my-adam", "no": "15"}))  # `author master 15` with another name
    with pytest.raises(MasterNotebookError, match="`minutes` .* must be a number, such as 15; got 'a quarter'"):
        parse_master(changed(metadata={"minutes": "a quarter"}))


@pytest.mark.parametrize(
    ("cell", "change", "words"),
    [
        ("text", lambda cell: cell.update(source="Write it."), "needs a heading"),
        (
            "text",
            lambda cell: cell.update(source="## q1 · A title (3 points)\n\nText."),
            "2 points in its metadata, but 3 in its",
        ),
        ("", lambda cell: cell["metadata"]["autodiff_kit"].pop("points"), "has no points"),
        ("", lambda cell: cell["metadata"]["autodiff_kit"].update(points="2"), "has no points"),
        ("", lambda cell: cell.update(source="def slope(x):\n    ..."), f"the master, {ID}: An answer.*BEGIN SOLUTION"),
        ("", lambda cell: cell.update(source="x = 1\n### BEGIN SOLUTION\n### END SOLUTION"), "defines no function"),
        ("", lambda cell: cell.update(source="def (\n### BEGIN SOLUTION\n### END SOLUTION"), "not Python"),
        ("-author", lambda cell: cell.update(source="check = 1"), "defines no messages, hints, example"),
        ("-author", lambda cell: cell.update(source="1/0"), "stops with ZeroDivisionError"),
        (
            "-author",
            lambda cell: cell.update(source="check = example = print; messages = {}; hints = ('one' 'two' 'three')"),
            "messages must be a dictionary, and hints a tuple of three texts",
        ),
    ],
)
def test_each_error_of_an_author_is_explained(changed, cell, change, words):
    name = ID + ("-text" if cell == "text" else cell)
    with pytest.raises(MasterNotebookError, match=words):
        parse_master(changed({name: change}))


@pytest.mark.parametrize(
    "part",
    [{"cell_type": None}, {"source": 3}, {"source": ["x", 3]}, {"metadata": []}, {"metadata": {"nbgrader": 1}}]
    + [{"metadata": {"nbgrader": {"grade_id": None}}}],
)
def test_a_cell_that_is_none_is_told_by_its_number(changed, part):
    """Metadata are edited by hand, so they may be anything."""
    with pytest.raises(MasterNotebookError, match="the master: cell 2 needs a cell_type"):
        parse_master(changed({"begin": lambda cell: cell.update(part)}))
    whole = changed()
    with pytest.raises(MasterNotebookError, match="no list of cells"):
        parse_master({**whole, "cells": 3})
    with pytest.raises(MasterNotebookError, match="cell 1 needs"):
        parse_master({**whole, "cells": ["text", *whole["cells"]]})


@pytest.mark.parametrize("name", ["../x", "a.b", "", "__init__"])
def test_a_question_whose_name_can_be_no_modules_is_an_error(changed, name):
    """Its checks would be written beside the folder of checks, or over the package itself."""
    notebook = changed()
    for cell in notebook["cells"]:
        if "autodiff_kit" in cell["metadata"]:
            cell["metadata"]["autodiff_kit"]["question"] = name
    with pytest.raises(MasterNotebookError, match="must consist of letters, digits, - and _, and begin"):
        parse_master(notebook)


@pytest.mark.parametrize("metadata", [None, {"autodiff_kit": "x"}])
def test_a_notebook_with_odd_metadata_is_no_exercise(changed, metadata):
    with pytest.raises(MasterNotebookError, match="is not an exercise"):
        parse_master({**changed(), "metadata": metadata})


def test_a_changed_copy_of_the_kits_exercise_needs_a_name_of_its_own():
    """With the kit's it is graded by the kit's questions: every learner's points would seem tampered with."""
    notebook = builtin_master(LESSONS["01"])
    for cell in notebook["cells"]:
        if cell["id"] == "jvp-1":
            cell["metadata"]["autodiff_kit"]["points"] = 5
        cell["source"] = "".join(cell["source"]).replace("list of steps (3 points)", "list of steps (5 points)")
    with pytest.raises(MasterNotebookError, match=r"differs in jvp-1\. .* Give it a `slug`"):
        parse_master(notebook)
    notebook["metadata"]["autodiff_kit"] |= {"slug": "my_own", "no": "my_own"}
    assert parse_master(notebook).lesson.questions[0].points == 5


def test_questions_whose_names_differ_in_dashes_only_are_an_error(changed):
    """The checks of one would be written over those of the other."""
    notebook = changed()
    twin = [copy.deepcopy(cell) for cell in notebook["cells"] if cell["metadata"].get("autodiff_kit")]
    for cell in twin:
        cell["metadata"]["autodiff_kit"]["question"] = ID.replace("-", "_")
    notebook["cells"] += twin
    with pytest.raises(MasterNotebookError, match="newton-steps-1 and newton_steps_1 differ only in - and _"):
        parse_master(notebook)


def test_the_starter_and_the_answer_come_apart():
    assert split_answer("def f():\n    ...\n### BEGIN SOLUTION\ndef f():\n    return 1\n### END SOLUTION") == (
        "def f():\n    ...\n",
        "def f():\n    return 1\n",
    )
