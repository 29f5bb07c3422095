"""Lesson 04's widget: a loop's turns on a real tape, the slope through them, a difference beside it."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson04 import DoublingLoop, jumps, pieces


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize(
    ("x", "value", "slope"), [(3.0, 192.0, 64.0), (3.124, 199.936, 64.0), (3.125, 100.0, 32.0), (3.126, 100.032, 32.0)]
)
def test_value_and_slope(x: float, value: float, slope: float) -> None:
    widget = DoublingLoop(x=x)
    assert (widget.value, widget.slope) == (value, slope)


def test_a_difference_over_the_jump() -> None:
    widget = DoublingLoop(x=3.125, h=1e-3)
    assert round(widget.difference["slope"]) == -49952
    assert widget.difference["turns"] == [6, 5]
    assert DoublingLoop(x=3.0, h=1e-3).difference["slope"] == pytest.approx(64, rel=1e-9)


def test_or_equal_takes_one_more_turn_on_the_jump() -> None:
    assert DoublingLoop(x=3.125, compare="<=").slope == 64
    assert DoublingLoop(x=3.126, compare="<=").slope == 32
    assert DoublingLoop(x=3.124, compare="<=").slope == 64


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("x", [2.0, 3.0, float(np.nextafter(3.125, 0)), 3.125, 5.5, 6.25, 8.0])
def test_what_has_come_and_what_comes_back_multiply_to_the_slope(x: float) -> None:
    widget = DoublingLoop(x=x)
    assert [turn["slope"] * turn["back"] for turn in widget.turns] == [widget.slope] * len(widget.turns)
    assert [turn["value"] for turn in widget.turns] == [x * 2**k for k in range(len(widget.turns))]
    assert all((turn["value"] < 100) == (k < len(widget.turns) - 1) for k, turn in enumerate(widget.turns))


def test_the_record_holds_each_turn_and_each_question() -> None:
    for x in (2.0, 4.0, 7.0):
        widget = DoublingLoop(x=x)
        turns = len(widget.turns) - 1
        assert widget.nodes == turns + 2 * (turns + 1)  # a product a turn; abs and less for each question


@pytest.mark.parametrize("compare", ["<", "<="])
def test_the_curve_is_what_the_loop_gives(compare: str) -> None:
    for piece in pieces(compare):
        for x in np.linspace(piece["from"], piece["to"], 7)[1:-1]:
            if 2 <= x <= 8:
                widget = DoublingLoop(x=float(x), compare=compare)
                line = piece["first"] + (x - piece["from"]) * piece["slope"]
                assert (widget.value, widget.slope) == (pytest.approx(line), piece["slope"])
    assert [jump["x"] for jump in jumps(compare)] == [3.125, 6.25]
    assert [jump["slope"] for jump in jumps(compare)] == ([32, 16] if compare == "<" else [64, 32])


@pytest.mark.parametrize(
    ("name", "bad", "said"),
    [("x", 1.9, "x is a number from 2 to 8; got 1.9"), ("x", float("nan"), "got nan"), ("h", 0.5, "from 0.001 to 0.4")],
)
def test_bad_numbers_are_refused(name: str, bad: float, said: str) -> None:
    widget = DoublingLoop()
    with pytest.raises(traitlets.TraitError, match=said):
        setattr(widget, name, bad)
    assert (widget.x, widget.h) == (3.0, 0.1)


def test_the_twin_says_it_in_text() -> None:
    table = DoublingLoop(x=3.125, h=1e-3).as_table()
    assert table.caption.endswith("from x = 3.125: slope 32; a central difference with step 0.001 gives -49952")
    assert str(table).splitlines()[-1].split() == ["5", "100.0000", "32.0000", "1.0000"]


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    upper, lower = DoublingLoop().static_figure().axes
    assert (upper.get_ylabel(), lower.get_xlabel()) == ("result", "x")
    assert len(lower.lines) == 4
