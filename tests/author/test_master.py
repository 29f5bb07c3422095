"""A master notebook is parsed completely, or the error names what is missing."""

from __future__ import annotations

import copy
import json

import pytest

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import MasterNotebookError, parse_master, read_master, split_answer
from autodiff_kit.errors import AutodiffError, FileError, StructureError
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
        assert read_back.statement == question.statement.strip()
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
    ("part", "words"),
    [
        ({"cell_type": None}, "code, markdown or raw as cell_type, got None"),
        ({"cell_type": ["code"]}, r"code, markdown or raw as cell_type, got \['code'\]"),
        ({"source": 3}, "a text or a list of texts as source, got 3"),
        ({"source": ["x", 3]}, "a text or a list of texts as source"),
        ({"source": "\ud800"}, r"has '\\ud800', which is no character"),
        ({"id": 7}, "a text as id, got 7"),
        ({"id": []}, "a text as id"),
        ({"attachments": None}, "an object of objects as attachments, got None"),
        ({"metadata": []}, r"an object as metadata, got \[\]"),
        ({"metadata": None}, "an object as metadata, got None"),
        ({"metadata": {"tags": float("nan")}}, "has nan or an infinity"),
        ({"metadata": {"nbgrader": 1}}, "an object as metadata.nbgrader, got 1"),
        ({"metadata": {"nbgrader": {"grade_id": None}}}, "a text as metadata.nbgrader.grade_id, got None"),
        ({"metadata": {"autodiff_kit": ["x"]}}, "an object as metadata.autodiff_kit"),
        ({"metadata": {"autodiff_kit": {"question": 5, "part": "text"}}}, "a text as metadata.autodiff_kit.question"),
        ({"metadata": {"autodiff_kit": {"question": "q", "part": None}}}, "a text as metadata.autodiff_kit.part"),
        ({"metadata": {"autodiff_kit": {"private": "true"}}}, "true or false as metadata.autodiff_kit.private"),
        ({"metadata": {"autodiff_kit": {"misconception": [1]}}}, "a text as metadata.autodiff_kit.misconception"),
    ],
)
def test_a_cell_that_is_none_is_told_by_its_number(changed, part, words):
    """Metadata are edited by hand, so they may be anything. What is taken for no mark of private would be released."""
    with pytest.raises(MasterNotebookError, match=f"the master: cell 2 (needs )?{words}"):
        parse_master(changed({"begin": lambda cell: cell.update(part)}))


def test_what_has_no_cells_is_no_notebook(changed):
    whole = changed()
    with pytest.raises(MasterNotebookError, match="no list of cells"):
        parse_master({**whole, "cells": 3})
    with pytest.raises(MasterNotebookError, match="cell 1 needs to be an object, got 'text'"):
        parse_master({**whole, "cells": ["text", *whole["cells"]]})
    del whole["cells"][2]["metadata"]
    with pytest.raises(MasterNotebookError, match="cell 3 needs an object as metadata, got None"):
        parse_master(whole)


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"rows": None}, "a list of texts as metadata.autodiff_kit.rows, got None"),
        ({"keywords": 3}, "a list of texts as metadata.autodiff_kit.keywords, got 3"),
        ({"title": ["x"]}, "a text as metadata.autodiff_kit.title"),
        ({"goal": {"a": 1}}, "a text as metadata.autodiff_kit.goal"),
        ({"slug": 5}, "a text as metadata.autodiff_kit.slug, got 5"),
        ({"summary": "\udfff"}, "which is no character"),
        ({"v": float("inf")}, "nan or an infinity"),
    ],
)
def test_odd_metadata_of_the_notebook_are_told(changed, metadata, words):
    with pytest.raises(MasterNotebookError, match=f"the master: the notebook .*{words}"):
        parse_master(changed(metadata=metadata))


ODD = (None, 0, 1.5, True, "", "x", [], ["a"], [None], {}, {"a": 1}, float("nan"), "\ud800", "a\nb")


def _places(part, path=()):
    """The paths to everything in a notebook, down to the lines of sources."""
    if path:
        yield path
    if path[-1:] != ("source",):
        pairs = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, value in pairs:
            yield from _places(value, (*path, key))


@pytest.mark.parametrize(
    "number", [None, 3, *(pytest.param(number, marks=pytest.mark.slow) for number in (0, 1, 2, 4, 5))]
)
def test_whatever_stands_in_the_metadata_is_built_or_told(changed, tmp_path, number):
    """Each entry of the notebook or of one cell is replaced by each odd value, and removed."""
    whole = changed()
    for path in _places({**whole, "cells": []} if number is None else whole["cells"][number]):
        for odd in (*ODD, ...):
            notebook = copy.deepcopy(whole)
            parent = notebook if number is None else notebook["cells"][number]
            for key in path[:-1]:
                parent = parent[key]
            if odd is ...:
                del parent[path[-1]]
            else:
                parent[path[-1]] = odd
            try:
                build_exercise(parse_master(notebook), tmp_path / "out", ("release", "otter"))
            except AutodiffError as error:
                assert str(error).endswith((".", ".)")), path  # noqa: PT017 - a sentence, for every one of them


def test_a_preview_that_nbconvert_cannot_make_is_told(changed, tmp_path):
    master = parse_master(changed({"begin": lambda cell: cell["metadata"].update(collapsed="odd")}))
    with pytest.raises(MasterNotebookError, match="the master: nbconvert makes no page of it"):
        build_exercise(master, tmp_path, ("preview",))


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


def test_a_second_question_as_the_guide_says(tmp_path):
    path = new_exercise("newton_steps", tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    first = [cell for cell in notebook["cells"] if "question" in cell["metadata"].get("autodiff_kit", {})]
    copies = json.loads(json.dumps(first).replace("newton-steps-1", "newton-steps-2").replace("q1", "q2"))
    place = notebook["cells"].index(first[-1]) + 1
    notebook["cells"][place:place] = copies
    begin = next(cell for cell in notebook["cells"] if cell["id"] == "begin")
    begin["source"] = "".join(begin["source"]).replace("(q1,) =", "q1, q2 =")
    path.write_text(json.dumps(notebook), encoding="utf-8")
    lesson = read_master(path).lesson
    assert [question.id for question in lesson.questions] == ["newton-steps-1", "newton-steps-2"]
    assert lesson.points == 4
