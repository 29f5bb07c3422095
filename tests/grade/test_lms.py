"""Files for learning platforms: their contents, and protection against hostile names."""

from __future__ import annotations

import csv
import io

import pytest

from autodiff_kit.errors import FileError
from autodiff_kit.grade.lms_export import canvas_csv, moodle_csv, read_canvas_export
from autodiff_kit.grade.nbgrader_gradebook import GradebookError, database_url
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult

RESULTS = [
    SubmissionResult(
        "ada", "01_x", "graded", marks=(QuestionGrade("jvp-1", 3, 3, "passed", "Every case is right."),), penalty=0.5
    ),
    SubmissionResult(
        "bob", "01_x", "graded", marks=(QuestionGrade("jvp-1", 1.5, 3, "partial", "Right, with 7 pulls."),)
    ),
    SubmissionResult(
        "bob", "06_y", "timeout", "It ran too long.", marks=(QuestionGrade("floor-1", 0, 2, "error", ""),)
    ),
    SubmissionResult("=cyd()", "01_x", "invalid", "Not a notebook."),
]


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_canvas_file_has_scores_in_the_order_of_its_columns():
    head, possible, *learners = rows(canvas_csv(RESULTS))
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "01_x", "06_y"]
    assert possible == ["    Points Possible", "", "", "", "", "3", "2"]
    assert learners == [
        ["'=cyd()", "", "", "'=cyd()", "", "", ""],
        ["ada", "", "", "ada", "", "2.5", ""],
        ["bob", "", "", "bob", "", "1.5", "0"],
    ]


def test_canvas_export_provides_the_ids(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(
        "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Other (7)\n    Points Possible,,,,,10\n"
        '"Lovelace, Ada",17,s17,ada,A,9\n',
        encoding="utf-8",
    )
    table = {row[0]: row for row in rows(canvas_csv(RESULTS, read_canvas_export(path)))}
    assert table["Lovelace, Ada"] == ["Lovelace, Ada", "17", "s17", "ada", "A", "2.5", ""]
    assert table["bob"][3] == "bob"


def test_a_file_that_is_not_a_canvas_export_is_an_error(tmp_path):
    for text in (b"", b"a,b\n1,2\n", b"\xff\xfe\x00"):
        (tmp_path / "odd.csv").write_bytes(text)
        with pytest.raises(FileError, match="Canvas"):
            read_canvas_export(tmp_path / "odd.csv")
    with pytest.raises(FileError, match="cannot be read"):
        read_canvas_export(tmp_path / "absent.csv")


def test_moodle_file_has_grades_and_feedback():
    head, *learners = rows(moodle_csv(RESULTS))
    assert head == ["Username", "01_x", "01_x feedback", "06_y", "06_y feedback"]
    assert learners == [
        ["'=cyd()", "", "Not a notebook.", "", ""],
        ["ada", "2.5", "jvp-1: 3 of 3. Every case is right.", "", ""],
        ["bob", "1.5", "jvp-1: 1.5 of 3. Right, with 7 pulls.", "0", "It ran too long.\nfloor-1: 0 of 2. "],
    ]


def test_a_gradebook_is_a_url_or_a_file(tmp_path):
    assert database_url("postgresql://teacher@host/course") == "postgresql://teacher@host/course"
    assert database_url(str(tmp_path / "book.db")) == f"sqlite:///{tmp_path / 'book.db'}"
    with pytest.raises(FileError, match="folder does not exist"):
        database_url(str(tmp_path / "none" / "book.db"))


def test_without_nbgrader_it_says_what_to_install(monkeypatch):
    import sys

    from autodiff_kit.grade.nbgrader_gradebook import write_gradebook

    monkeypatch.setitem(sys.modules, "nbgrader", None)
    monkeypatch.setitem(sys.modules, "nbgrader.api", None)
    with pytest.raises(GradebookError, match="pip install"):
        write_gradebook("book.db", RESULTS)
