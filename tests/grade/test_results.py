from __future__ import annotations

import pytest

from autodiff_kit.errors import FileError
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult, read_results, write_results

MARKS = (
    QuestionGrade("jvp-1", 3.0, 3, "passed", "Right.", "", 17),
    QuestionGrade("jvp-2", 1.0, 2, "partial", "Nearly é", "loops", 18),
)
ADA = SubmissionResult(
    "ada", "01_x", "graded", "", MARKS, "2026-11-21T10:00:00+00:00", True, 0.5, "id", "ab", ("look here",)
)


def test_results_are_read_back_unchanged(tmp_path):
    bob = SubmissionResult("bob", "01_x", "invalid", "It is empty.")
    write_results(tmp_path / "r.jsonl", [bob, ADA])
    assert read_results(tmp_path / "r.jsonl") == [ADA, bob]


def test_the_order_of_grading_does_not_show(tmp_path):
    others = [SubmissionResult(name, "01_x", "graded", "", MARKS) for name in "cab"]
    write_results(tmp_path / "1", others)
    write_results(tmp_path / "2", others[::-1])
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_a_score_is_the_points_less_the_penalty():
    assert (ADA.raw_score, ADA.score, ADA.max_score) == (4.0, 3.5, 5.0)
    assert SubmissionResult("x", "", "graded", penalty=3.0, marks=MARKS[1:]).score == 0


@pytest.mark.parametrize("text", ["{", "[]", '{"learner": "a"}', None])
def test_a_damaged_file_is_an_error(tmp_path, text):
    if text is not None:
        (tmp_path / "r").write_text(text)
    with pytest.raises(FileError, match="[Gg]rade"):
        read_results(tmp_path / "r")
