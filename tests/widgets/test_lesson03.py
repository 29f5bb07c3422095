"""Lesson 03's widget: both sides of a choice on a real tape, and what comes back along each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson03 import SIDES, WAYS, WhereBranches

NAN = float("nan")


def column(widget: WhereBranches, name: str) -> list[Any]:
    return [row[name] for row in widget.rows]


def same(got: Any, want: Any) -> bool:
    """Equal entry by entry, nan to nan and None to None."""
    return [repr(one) for one in got] == [repr(one) for one in want]


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize(
    ("way", "into_x", "into_w"),
    [
        ("where", [NAN, NAN, 0.25], NAN),
        ("inner", [0.0, 0.0, 0.25], 1.0),
        ("absorb", [0.0, 0.0, 0.25], 1.0),
        ("cond", [None, None, 0.25], 1.0),
    ],
)
def test_what_comes_into_x(way: str, into_x: list[Any], into_w: float) -> None:
    widget = WhereBranches(way=way)
    assert same(column(widget, "into_x"), into_x)
    assert same([widget.into_w], [into_w])
    assert column(widget, "y") == [0.0, 0.0, 2.0]
    assert column(widget, "chosen") == [False, False, True]


def test_the_poison_is_zero_times_the_slope_at_the_side_not_chosen() -> None:
    widget = WhereBranches()
    assert column(widget, "into_side") == [0.0, 0.0, 1.0]
    assert column(widget, "into_other") == [1.0, 1.0, 0.0]
    assert same(column(widget, "slope"), [NAN, float("inf"), 0.25])


def test_an_inner_where_gives_the_side_something_harmless() -> None:
    widget = WhereBranches(way="inner")
    assert column(widget, "given") == [1.0, 1.0, 4.0]
    assert column(widget, "slope") == [0.5, 0.5, 0.25]


def test_cond_runs_one_side_and_records_no_other() -> None:
    widget = WhereBranches(way="cond")
    assert same(column(widget, "value"), [None, None, 2.0])
    assert same(column(widget, "into_side"), [None, None, 1.0])
    assert same(column(widget, "into_other"), [1.0, 1.0, None])
    assert WhereBranches(way="cond", x=[-1.0, -2.0, 0.0]).into_w is None


def test_log_is_poison_at_zero_only() -> None:
    widget = WhereBranches(f="log")
    assert same(column(widget, "into_x"), [0.0, NAN, 0.25])
    assert same(column(widget, "value"), [NAN, float("-inf"), float(np.log(4.0))])


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", SIDES)
def test_where_all_are_chosen_every_way_gives_the_functions_own_gradient(way: str, f: str) -> None:
    x = [0.25, 1.0, 9.0]
    slope = ak.grad(lambda t: SIDES[f](t).sum())(np.array(x)).numpy()
    widget = WhereBranches(way=way, f=f, x=x)
    np.testing.assert_allclose(column(widget, "into_x"), slope, rtol=1e-15)
    np.testing.assert_allclose(widget.into_w, (slope * x).sum(), rtol=1e-12)
    assert widget.error == ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", SIDES)
def test_the_picture_multiplies_what_it_shows(way: str, f: str) -> None:
    """Into f's input comes what came into its side, times its slope; zero absorbs in the mode that says so."""
    for row in WhereBranches(way=way, f=f).rows:
        if row["into_side"] is None:
            assert row["into_given"] is None
        elif way == "absorb" and row["into_side"] == 0:
            assert row["into_given"] == 0
        else:
            assert same([row["into_given"]], [row["into_side"] * row["slope"] + 0.0])


def test_no_zero_has_a_sign() -> None:
    for f in SIDES:
        for row in WhereBranches(f=f).rows:
            assert not any(repr(value) == "-0.0" for value in row.values())


@pytest.mark.parametrize("bad", [[1.0, 2.0], [1.0, 2.0, 10.0], [1.0, 2.0, NAN], [1.0, 2.0, 3.0, 4.0]])
def test_bad_numbers_are_refused(bad: list[float]) -> None:
    widget = WhereBranches()
    before = widget.rows
    with pytest.raises(traitlets.TraitError, match="x holds 3 numbers from -4 to 9; got"):
        widget.x = bad
    assert widget.rows == before


def test_where_the_stage_stands_asks_nothing() -> None:
    widget = WhereBranches()
    rows = widget.rows
    widget.step = 3
    assert widget.rows is rows


def test_the_twin_says_it_in_text() -> None:
    table = WhereBranches().as_table()
    assert table.caption == "sqrt where x > 0, else 0, by where; gradient of w: nan"
    assert [row[-1] for row in WhereBranches(way="cond").as_table().rows] == [None, None, 0.25]
    assert str(table).splitlines()[-1].split() == [
        "x2",
        "f",
        "4.0000",
        "2.0000",
        "2.0000",
        "1.0000",
        "0.2500",
        "0.2500",
    ]


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    labels = {text.get_text() for text in WhereBranches(way="cond").static_figure().axes[0].texts}
    assert labels == {"None", "0.2500"}
