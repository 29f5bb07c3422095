"""nbgrader and otter give our exercise the scores that the kit's own check gives, on the same submissions."""

from __future__ import annotations

import csv
import json
import sqlite3

from autodiff_kit.exercises import exercise
from autodiff_kit.exercises.questions import LESSONS

SLUG = LESSONS["01"].slug


def test_the_kits_own_check_agrees(submissions, scores):
    for learner, text in submissions.items():
        names = {}
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code" and "check" not in cell["id"] and cell["id"] != "score":
                exec("".join(cell["source"]), names)
        found = {}
        for question in exercise("01"):
            exec(f"score = {question.label}.graded()", names)
            found[question.id] = names["score"]
        assert found == scores[learner]


def test_nbgrader_releases_grades_and_exports_it(built, submissions, scores, tool):
    course = built / "course"
    tool("nbgrader", "generate_assignment", SLUG, cwd=course)
    ours = json.loads((built / "release" / f"{SLUG}.ipynb").read_text(encoding="utf-8"))["cells"]
    theirs = json.loads((course / "release" / SLUG / f"{SLUG}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert ["".join(cell["source"]).strip() for cell in theirs] == ["".join(cell["source"]).strip() for cell in ours]

    for learner, text in submissions.items():
        path = course / "submitted" / learner / SLUG / f"{SLUG}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    tool("nbgrader", "autograde", SLUG, cwd=course)
    tool("nbgrader", "export", cwd=course)
    with (course / "grades.csv").open(newline="") as file:
        exported = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert exported == {learner: sum(points.values()) for learner, points in scores.items()}
    assert graded(course / "gradebook.db") == scores


def test_otter_runs_it(built, submissions, scores, tool, tmp_path):
    home = built / "otter" / SLUG
    tool("otter", "generate", "-t", "tests", "-o", str(tmp_path / "grader.zip"), cwd=home)
    for learner in ("ada", "bob"):
        (tmp_path / learner).mkdir()
        notebook = tmp_path / f"{learner}.ipynb"
        notebook.write_text(submissions[learner], encoding="utf-8")
        tool(
            "otter",
            "run",
            "-a",
            str(tmp_path / "grader.zip"),
            "-o",
            str(tmp_path / learner),
            str(notebook),
            cwd=tmp_path,
        )
        told = json.loads((tmp_path / learner / "results.json").read_text())["tests"]
        assert {test["name"]: test["score"] for test in told if "score" in test} == scores[learner]


def graded(path):
    """Scores in nbgrader's database, by learner and question."""
    rows = sqlite3.connect(path).execute(
        """select s.student_id, c.name, g.auto_score from grade g
           join base_cell c on g.cell_id = c.id join submitted_notebook n on g.notebook_id = n.id
           join submitted_assignment s on n.assignment_id = s.id"""
    )
    found = {}
    for learner, question, score in rows:
        found.setdefault(learner, {})[question] = score
    return found
