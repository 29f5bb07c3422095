"""The stored notebooks are those that the questions make, and give nothing away."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import parse_master
from autodiff_kit.author.release import learner_notebook, notebook_json
from autodiff_kit.exercises.questions import LESSONS

FOLDER = Path(__file__).parents[2] / "exercises"


def build(lesson):
    return learner_notebook(builtin_master(lesson))


def as_text(lesson):
    return notebook_json(build(lesson))


BOTH = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


@BOTH
def test_the_stored_notebook_is_the_one_that_is_made(lesson):
    stored = (FOLDER / f"{lesson.slug}.ipynb").read_text(encoding="utf-8")
    assert stored == as_text(lesson), "make exercises writes them anew"


@BOTH
def test_it_is_written_into_a_folder(lesson, tmp_path):
    (written,) = build_exercise(parse_master(builtin_master(lesson)), tmp_path, ("release",))
    assert written == tmp_path / "release" / f"{lesson.slug}.ipynb"
    assert written.read_text(encoding="utf-8") == as_text(lesson)


@BOTH
def test_it_is_a_valid_notebook_without_outputs(lesson):
    notebook = nbformat.from_dict(build(lesson))
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


@BOTH
def test_metadata_gives_the_points_once(lesson):
    about = build(lesson)["metadata"]["autodiff_kit"]
    assert (about["v"], about["kind"], about["no"], about["slug"]) == (1, "exercise", lesson.no, lesson.slug)
    cells = [cell["metadata"].get("autodiff_kit", {}) for cell in build(lesson)["cells"]]
    points = {cell["question"]: cell["points"] for cell in cells if "points" in cell}
    assert points == {question.id: question.points for question in lesson.questions}
    assert sum("points" in cell for cell in cells) == len(points)
    assert all(re.fullmatch(r"[a-zA-Z0-9_\-]+", id) for id in points)


@BOTH
def test_no_solution_and_no_hint_stands_in_it(lesson):
    text = as_text(lesson)
    for question in lesson.questions:
        assert json.dumps(question.hints[2], ensure_ascii=False)[1:-1] not in text
        body = [line.strip() for line in question.solution.splitlines() if line.strip().startswith("return ")]
        assert body
        for line in body:
            assert line not in text or line in question.starter, line


@BOTH
def test_its_starters_run_from_top_to_bottom(lesson, kept, capsys):
    names = {}
    for cell in build(lesson)["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            exec(compile(source, cell["id"], "exec"), names)
    assert capsys.readouterr().out.count("Not begun.") == len(lesson.questions)


def test_in_a_kernel_a_check_finds_the_cells_function_and_is_shown_once(kept):
    notebook = nbformat.reads(as_text(LESSONS["15"]), 4)
    cells = {cell.id: cell for cell in notebook.cells}
    cells["adam-5"].source = "def brake(slots, last_gradient, b1):\n    return -slots['m']"
    cells["adam-5-check"].source = "result = q5.check()\nresult"
    cells["adam-5-help"].source = "q5.check()\nq5.hint();"
    notebook.cells = [cells[name] for name in ("begin", "adam-5", "adam-5-check", "adam-5-help", "score")]
    NotebookClient(notebook, resources={"metadata": {"path": str(kept)}}).execute()
    shown = [[output.data for output in cell.outputs] for cell in notebook.cells]
    assert [len(outputs) for outputs in shown] == [0, 0, 1, 2, 1]
    assert shown[2][0]["text/plain"].startswith("Not yet: 0 of 2 points. The new gradient enters m")
    assert "<strong>Not yet: 0 of 2 points</strong>" in shown[2][0]["text/html"]
    assert "Hint 1 of 3" in shown[3][1]["text/plain"]
    assert "q5  not yet" in shown[4][0]["text/plain"]
