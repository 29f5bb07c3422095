"""Files for learning platforms: their contents, and protection against hostile names."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import replace
from datetime import datetime
from unittest.mock import MagicMock

import pytest

from autodiff_kit.errors import FileError, StructureError
from autodiff_kit.exercises.messages import format_points
from autodiff_kit.grade.assignment import remark_other_exercises, remark_shared_rows
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.lms_export import canvas_csv, match_roster, moodle_csv
from autodiff_kit.grade.nbgrader_gradebook import GradebookError, _write_submission, database_url
from autodiff_kit.grade.outside_text import clean_name
from autodiff_kit.grade.results import TRY_AGAIN, QuestionGrade, SubmissionResult
from autodiff_kit.grade.roster import platform_learner, read_roster

from .notebooks import with_cell

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


CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Other (7)\n    Points Possible,,,,,10\n"
    '"Lovelace, Ada",17,s17,ada,A,9\n"Boole, Bob",1018,s18,bob,A,\n"Byron, Dan",1019,s19,dan,B,\n'
)
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    "Participant 55321,Ada Lovelace,ada@x.org,Submitted,-,100.00,-,\n"
    "Participant 55322,Bob Boole,bob@x.org,No submission,-,100.00,-,\n"
)
BY_NAME = "Identifier,Full name,Grade,Feedback comments\nParticipant 1,ada,-,\nParticipant 2,bob,-,\n"


def roster(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return read_roster(path)


def test_canvas_file_has_every_enrolled_learner_and_no_stranger(tmp_path):
    enrolled = roster(tmp_path, CANVAS)
    table = {row[0]: row for row in rows(canvas_csv(RESULTS, enrolled))[2:]}
    assert table["Lovelace, Ada"] == ["Lovelace, Ada", "17", "s17", "ada", "A", "2.5", ""]
    assert table["Boole, Bob"][5:] == ["1.5", "0"]
    assert table["Byron, Dan"] == ["Byron, Dan", "1019", "s19", "dan", "B", "", ""]
    assert len(table) == 3
    found = match_roster(RESULTS, enrolled)
    assert found.missing == ["Byron, Dan"]
    assert found.strangers == ["=cyd()"]


def test_names_of_downloads_lead_to_the_roster(tmp_path):
    canvas = [named("lovelaceada_LATE_1018_90001_15_adam_slots-2")]
    assert list(match_roster(canvas, roster(tmp_path, CANVAS)).rows) == [1]
    moodle = [named("Ada Lovelace_55321_assignsubmission_file_")]
    assert list(match_roster(moodle, roster(tmp_path, WORKSHEET)).rows) == [0]
    for plain in ("ada", "ada_lovelace", "ada_1", "15_adam_slots", "a_b_c_d"):
        assert platform_learner(plain) == (plain, "")


def named(name):
    """Ada's result, of a file with a name of Canvas or Moodle, or another."""
    learner, number = platform_learner(name)
    return replace(RESULTS[0], learner=learner, platform_id=number)


@pytest.mark.parametrize("text", [CANVAS, WORKSHEET], ids=["Canvas", "Moodle"])
@pytest.mark.parametrize("number", ["17", "55321"])
def test_a_number_that_ends_a_file_name_is_nobodys(tmp_path, text, number):
    """Only the platform writes numbers that count: everybody can call a file zed_17."""
    found = match_roster([named(f"zed_{number}")], roster(tmp_path, text))
    assert (found.rows, found.strangers) == ({}, [f"zed_{number}"])


def test_two_files_of_one_line_are_remarked(tmp_path):
    enrolled = roster(tmp_path, CANVAS)
    both = [RESULTS[0], replace(RESULTS[0], learner="Lovelace, Ada"), RESULTS[1]]
    login, name, bob = remark_shared_rows(both, enrolled)
    assert "Lovelace, Ada is in the roster once, and Lovelace, Ada was handed in" in login.remarks[0]
    assert "and ada was handed in" in name.remarks[0]
    assert not bob.remarks


def test_what_has_anothers_number_in_its_name_is_remarked_alone(tmp_path):
    ada, zed = remark_shared_rows([RESULTS[0], named("zed_17_90001_x")], roster(tmp_path, CANVAS))
    assert not ada.remarks
    assert "It has the number of Lovelace, Ada, who handed in under their own name" in zed.remarks[0]


def test_a_file_named_like_a_shortened_download_is_another_learner(tmp_path):
    for name in ("adal_17_90001_w", "adal_17"):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(with_cell(repr(name))), encoding="utf-8")
    first, second = collect_submissions([tmp_path], platform_names=True)
    assert (first.learner, first.platform_id) == ("adal_17", "17")
    assert (second.learner, second.platform_id) == ("adal_17⟨file⟩", "")


def test_nobody_takes_anothers_line_by_a_name_like_a_downloads(tmp_path):
    """In a folder of hand-ins whose files learners name."""
    for name in ("ada", "bob", "x_18_9_y"):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(with_cell(repr(name))), encoding="utf-8")
    found = collect_submissions([tmp_path], platform_names=True)
    assert [(one.learner, one.platform_id) for one in found] == [("ada", ""), ("bob", ""), ("x_18_9_y", "")]


def test_canvas_test_student_is_not_missing(tmp_path):
    text = CANVAS + '"Student, Test",99,,f0e1,A' + "," * (CANVAS.splitlines()[0].count(",") - 4) + "\n"
    enrolled = match_roster([], roster(tmp_path, text))
    assert enrolled.missing
    assert "Student, Test" not in enrolled.missing


def test_a_table_that_a_spreadsheet_saved_says_how_to_save_it(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_bytes(CANVAS.strip("\ufeff").replace("Lovelace", "Löwe").encode("cp1252"))
    with pytest.raises(FileError, match="not in UTF-8.*save it anew as CSV UTF-8"):
        read_roster(path)


def test_halves_are_rounded_as_people_round(tmp_path):
    assert [format_points(points) for points in (8.125, 8.375, 2.675, 0.005, 3.0, 0.0, 1.1, 2.5)] == [
        "8.13", "8.38", "2.68", "0.01", "3", "0", "1.1", "2.5",
    ]  # fmt: skip


def test_a_column_has_the_grades_of_the_exercise_that_most_handed_in(tmp_path):
    table = rows(canvas_csv(RESULTS, column="Pushes (81234)"))
    assert table[0][5:] == ["Pushes (81234)"]
    assert [row[5] for row in table[1:]] == ["3", "", "2.5", "1.5"]
    assert rows(moodle_csv(RESULTS, roster(tmp_path, BY_NAME)))[1][-2:] == [
        "2.5",
        "jvp-1: 3 of 3. Every case is right.",
    ]
    told = remark_other_exercises(RESULTS)
    assert [bool(one.remarks) for one in told] == [False, False, True, False]
    assert "another exercise than 01_x" in told[2].remarks[0]


def test_an_assignment_that_exists_keeps_its_scale_and_its_grades(tmp_path):
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Pushes (81234)\n    Points Possible,,,,,100\n"
        '"Lovelace, Ada",17,s17,ada,A,\n"Boole, Bob",1018,s18,bob,A,7\n"Byron, Dan",1019,s19,dan,B,55\n'
    )
    one = [result for result in RESULTS if result.exercise == "01_x"]
    table = rows(canvas_csv(one, roster(tmp_path, text), "Pushes (81234)"))
    assert table[1][5] == "100"
    assert [row[5] for row in table[2:]] == ["83.33", "50", "55"]
    with pytest.raises(StructureError, match="no column 'Pushs"):
        canvas_csv(one, roster(tmp_path, text), "Pushs (81234)")


def test_points_of_a_large_scale_keep_their_digits(tmp_path):
    text = CANVAS.replace("Other (7)", "Points (8)").replace(",,,,,10", ",,,,,1000000")
    one = [result for result in RESULTS if result.exercise == "01_x"]
    table = rows(canvas_csv(one, roster(tmp_path, text), "Points (8)"))
    assert [row[5] for row in table[1:4]] == ["1000000", "833333.33", "500000"]


def test_what_could_not_be_run_leaves_the_grade_to_the_teacher(tmp_path):
    marks = (QuestionGrade("jvp-1", 0.0, 3, "not attempted", "It could not be run."),)
    found = [RESULTS[0], SubmissionResult("bob", "01_x", "invalid", "Not a notebook.", marks=marks)]
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Pushes (7)\n    Points Possible,,,,,10\n"
        '"Lovelace, Ada",17,s17,ada,A,\n"Boole, Bob",1018,s18,bob,A,4\n"Byron, Dan",1019,s19,dan,B,\n'
    )
    table = rows(canvas_csv(found, roster(tmp_path, text), "Pushes (7)"))
    assert [row[5] for row in table[2:]] == ["8.33", "4", ""]
    bob = rows(moodle_csv(found, roster(tmp_path, BY_NAME)))[2]
    assert bob[2] == "-"
    assert "Not a notebook." in bob[3]


def test_of_files_of_one_time_the_later_upload_counts(tmp_path):
    for name, source in (("adal_17_90001_w-1", "'a'"), ("adal_17_90002_w", "'b'"), ("adal_17_80001_w-2", "'c'")):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(json.dumps(with_cell(source)), encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (tmp_path / "boole_LATE_18_90003_w.pdf").write_bytes(b"%PDF")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    ada, bob = collect_submissions([tmp_path], platform_names=True)
    assert ada.path.endswith("adal_17_80001_w-2.ipynb")
    assert (bob.learner, bob.status) == ("boole_18", "invalid")
    assert "boole_LATE_18_90003_w.pdf" in bob.reason
    assert any("late" in remark for remark in bob.remarks)


def test_a_moodle_worksheet_is_filled_in_and_otherwise_kept(tmp_path):
    worksheet = roster(tmp_path, WORKSHEET)
    one = [named("Ada Lovelace_55321_assignsubmission_file_")]
    head, ada, bob = rows(moodle_csv(one, worksheet))
    assert head == worksheet.columns
    assert ada == [
        "Participant 55321", "Ada Lovelace", "ada@x.org", "Submitted", "83.33", "100.00", "-",
        "jvp-1: 3 of 3. Every case is right.",
    ]  # fmt: skip
    assert bob[3:6] == ["No submission", "-", "100.00"]
    with pytest.raises(StructureError, match="Bewertung"):
        moodle_csv(one, worksheet, "Bewertung")


COLLIDING = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n"
    '"Lovelace, Ada",17,1018,ada,A\n"Boole, Bob",1018,s18,bob,A\n"Boole, Bob",1019,s19,Zoë,A\n'
)


def test_a_download_is_the_platforms_learner_and_not_who_has_its_number_elsewhere(tmp_path):
    """Ada's student number is the number of Bob in Canvas."""
    enrolled = roster(tmp_path, COLLIDING)
    assert enrolled.place_of("boolebob_1018", "1018") == 1
    moodle = roster(tmp_path, "Identifier,Full name,Username,Grade\nParticipant 7,Ada,8,-\nParticipant 8,Bob,b,-\n")
    assert moodle.place_of("Bob_8", "8") == 1


def test_a_name_that_fits_two_lines_is_nobodys(tmp_path):
    enrolled = roster(tmp_path, COLLIDING)
    assert [enrolled.place_of(name) for name in ("1018", "Boole, Bob", "bob", "17")] == [None, None, 1, 0]


def test_a_name_fits_however_its_letters_are_composed_and_with_capitals(tmp_path):
    enrolled = roster(tmp_path, COLLIDING)
    assert [enrolled.place_of(name) for name in ("Zoe\u0308", "zoë", "ADA")] == [2, 2, 0]


def test_a_name_with_joined_letters_and_an_id_number_fit(tmp_path):
    """Persian names have joiners between letters, which a shown name spells; a worksheet may have ID numbers."""
    name = "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627"
    path = tmp_path / "worksheet.csv"
    path.write_text(f"Identifier,Full name,ID number,Grade\nParticipant 1,{name},s-77,-\n", encoding="utf-8")
    roster = read_roster(path)
    assert roster.place_of(clean_name(name)) == 0
    assert roster.place_of("S-77") == 0


def test_a_roster_with_semicolons_and_decimal_commas_is_read(tmp_path):
    """As Canvas exports it on request, and as spreadsheets save it; empty lines of a spreadsheet are no learners."""
    text = (
        "Student;ID;SIS User ID;SIS Login ID;Section;Pushes (7)\n    Points Possible;;;;;10,00\n"
        '"Lovelace, Ada";17;s17;ada;A;\n"Boole; Bob";1018;s18;bob;A;7\n'
    )
    table = rows(canvas_csv(RESULTS[:1], roster(tmp_path, text), "Pushes (7)"))
    assert [row[5] for row in table] == ["Pushes (7)", "10", "8.33", "7"]
    assert table[3][0] == "Boole; Bob"
    assert len(roster(tmp_path, BY_NAME + ",,,\n , ,,\n").rows) == 2


def test_a_worksheet_in_another_language_is_on_its_own_scale_and_keeps_its_grades(tmp_path):
    text = (
        "ID,Vollständiger Name,Bewertung,Maximale Bewertung,Feedback als Kommentar\n"
        'Teilnehmer/in 1,ada,-,"100,00",\nTeilnehmer/in 2,bob,"40,00","100,00",\n'
    )
    found = [replace(RESULTS[0], platform_id="1"), replace(RESULTS[1], platform_id="2", status="invalid")]
    _, ada, bob = rows(moodle_csv(found, roster(tmp_path, text), "Bewertung"))
    assert (ada[2], bob[2]) == ("83.33", "40,00")


def test_of_two_files_of_one_line_the_one_that_could_be_run_counts(tmp_path):
    none = (QuestionGrade("jvp-1", 0.0, 3, "not yet", ""),)
    found = [SubmissionResult("17", "01_x", "invalid", "Empty.", marks=none), replace(RESULTS[0], marks=none)]
    assert match_roster(found, roster(tmp_path, CANVAS)).rows[0]["01_x"].learner == "ada"


def test_a_file_that_is_no_roster_is_an_error(tmp_path):
    for text in (b"", b"a,b\n1,x\ny,z\n", b"\xff\xfe\x00", b"Student,ID\n" + b"x" * 200_000 + b",1\n"):
        (tmp_path / "odd.csv").write_bytes(text)
        with pytest.raises(FileError, match="Canvas"):
            read_roster(tmp_path / "odd.csv")
    with pytest.raises(FileError, match="cannot be read"):
        read_roster(tmp_path / "absent.csv")
    (tmp_path / "odd.csv").write_text('Schüler*in,Kennung,Abschnitt\n"Lovelace, Ada",1017,A\n', encoding="utf-8")
    with pytest.raises(FileError, match="language of your account to English"):
        read_roster(tmp_path / "odd.csv")


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


def test_a_due_date_in_the_gradebook_stays_where_none_is_given():
    book = MagicMock()
    _write_submission(book, RESULTS[0], "")
    book.update_or_create_assignment.assert_called_once_with("01_x")
    _write_submission(book, RESULTS[0], "2026-11-20T12:00+01:00")
    book.update_or_create_assignment.assert_called_with("01_x", duedate=datetime(2026, 11, 20, 11))  # noqa: DTZ001


def test_what_the_grader_failed_to_grade_keeps_its_grade_in_the_gradebook(monkeypatch):
    import sys

    from autodiff_kit.grade import nbgrader_gradebook

    for name, module in {"nbgrader": MagicMock(), "nbgrader.api": MagicMock(), "sqlalchemy.exc": MagicMock()}.items():
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["sqlalchemy.exc"].SQLAlchemyError = RuntimeError
    written = []
    monkeypatch.setattr(nbgrader_gradebook, "_write_submission", lambda _, one, __: written.append(one.learner))
    lost = replace(RESULTS[0], learner="zoe", status="crashed", reason=f"It was lost. {TRY_AGAIN}")
    nbgrader_gradebook.write_gradebook("sqlite://", [RESULTS[0], lost])
    assert written == [RESULTS[0].learner]


def test_without_nbgrader_it_says_what_to_install(monkeypatch):
    import sys

    from autodiff_kit.grade.nbgrader_gradebook import write_gradebook

    monkeypatch.setitem(sys.modules, "nbgrader", None)
    monkeypatch.setitem(sys.modules, "nbgrader.api", None)
    with pytest.raises(GradebookError, match="pip install"):
        write_gradebook("book.db", RESULTS)


@pytest.mark.parametrize("first", [0, 1])
def test_another_learners_number_in_a_files_name_takes_nobodys_line(tmp_path, first):
    """Where learners name the files, one wrote bob's number into his as Canvas does, and had bob's line."""
    course = roster(tmp_path, "Student,ID,SIS Login ID\nBob,2,bob\nEve,7,eve\n")
    bob = SubmissionResult("bob", "01_x", "graded", marks=(QuestionGrade("adam-1", 1.0, 2, "partial"),))
    eve = replace(bob, learner="x_2", platform_id="2", marks=(QuestionGrade("adam-1", 2.0, 2, "passed"),))
    results = [bob, eve] if first else [eve, bob]
    assert canvas_csv(results, course) == canvas_csv([bob], course)
    assert match_roster(results, course).strangers == ["x_2"]
    remarked = {one.learner: one.remarks for one in remark_shared_rows(results, course)}
    assert remarked["bob"] == ()
    assert "has the number of Bob" in remarked["x_2"][0]
    assert match_roster([eve], course).strangers == []  # a download, as it comes
