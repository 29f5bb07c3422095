"""Tables have the same content as text and as HTML, and numbers have the lessons' format."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_kit.lessons.tables import Table, number, vector


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-5.6, 4, "-5.6000"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (3.03e-5, 4, "3.03e-05"),
        (-3.03e-5, 4, "-3.03e-05"),
        (float("nan"), 4, "nan"),
        (float("-inf"), 4, "-inf"),
        (18, 0, "18"),
    ],
)
def test_number(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_text_aligns_numbers_to_the_right() -> None:
    table = Table("A push", ("output", "Jv"), [("f0", 7.0), ("f1", -5.0)], digits=0)
    assert str(table) == "A push\noutput  Jv\nf0       7\nf1      -5"


def test_cells_of_every_kind() -> None:
    table = Table(
        "all",
        ("kind", "value"),
        [("none", None), ("bool", True), ("np", np.int64(3)), ("f", np.float32(0.5))],
    )
    lines = str(table).splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["None", "yes", "3", "0.5000"]


def test_truth_values_of_numpy_are_yes_and_no() -> None:
    assert str(Table("t", ("a", "b"), [(np.bool_(True), np.float64(1) > 2)])).splitlines()[-1].split() == ["yes", "no"]


def test_html_escapes_and_names_its_headers() -> None:
    html = Table("a < b", ("x&y", "v"), [("<script>", -1.0)]).html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert 'scope="row"' in html
    assert "−1.0000" in html


def test_ragged_row_is_refused() -> None:
    with pytest.raises(ValueError, match="a row has 1 cells, but the table has 2 columns"):
        Table("bad", ("a", "b"), [("only",)])


def test_a_vector_tells_none_from_nan() -> None:
    assert vector(None) == "None"
    assert vector([1.0, None, float("nan")], 1) == "[1.0 None nan]"


def test_vector_has_no_minus_zero_and_one_blank() -> None:
    assert vector([7.0, -5.0, -1e-12], 0) == "[7 -5 0]"
    assert vector(np.array([[0.25, -0.0]]), 2) == "[0.25 0.00]"
    assert vector([], 2) == "[]"
