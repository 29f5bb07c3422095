"""Lesson 12's widget: a number through a box, what a record holds of it, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest
import traitlets

from autodiff_kit.widgets.lesson12 import HOLDS, WAYS, VariableState


def found(**how: Any) -> dict[str, Any]:
    widget = VariableState(**how)
    assert widget.error == ""
    scene: dict[str, Any] = widget.scene
    return scene


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_an_assignment_ends_the_path() -> None:
    scene = found()
    assert (scene["put"], scene["y"]) == (3.0, 9.0)
    assert (scene["into_x0"], scene["into_x1"]) == (None, 6.0)
    assert scene["difference"] == 6.0
    assert scene["recorded"] == ["square"]
    assert scene["why"] == "The value went through state."


def test_a_new_value_has_one() -> None:
    scene = found(way="update")
    assert (scene["put"], scene["given"], scene["y"]) == (0.0, 3.0, 9.0)
    assert (scene["into_x0"], scene["into_x1"]) == (6.0, 6.0)
    assert scene["recorded"] == ["add", "square"]


@pytest.mark.parametrize(("hold", "held", "into_x1"), [("copy", 3.0, 6.0), ("reference", 10.0, 20.0)])
def test_what_is_held_decides_what_is_found_later(hold: str, held: float, into_x1: float) -> None:
    scene = found(hold=hold)
    assert (scene["held"], scene["into_x1"]) == (held, into_x1)


def test_a_count_of_writings_makes_it_loud() -> None:
    scene = found(hold="version")
    assert scene["loud"] == "x1 was written to after the square had read it: version 1 then, 2 now"
    assert (scene["held"], scene["into_x0"], scene["into_x1"]) == (None, None, None)
    assert found(hold="version", later=3.0)["loud"]  # the same number, and written all the same


@pytest.mark.parametrize("hold", HOLDS)
def test_nobody_writes_into_a_new_value(hold: str) -> None:
    scene = found(way="update", hold=hold)
    assert (scene["loud"], scene["into_x0"]) == ("", 6.0)


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("x0", "x1", "later"), [(0.0, 0.0, 0.0), (-2.5, 1.5, -10.0), (10.0, 10.0, 3.0)])
def test_slopes_are_those_of_the_square(way: str, x0: float, x1: float, later: float) -> None:
    scene = found(way=way, x0=x0, x1=x1, later=later)
    slope = 2 * (x0 + x1)
    assert scene["y"] == (x0 + x1) ** 2
    assert scene["difference"] == slope  # no rounding: it is moved by a power of 2
    assert scene["into_given"] == slope
    assert found(way="assign", hold="reference", x0=x0, x1=x1, later=later)["into_x1"] == 2 * later


@pytest.mark.parametrize("name", ["x0", "x1", "later"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 10.5])
def test_bad_numbers_are_refused(name: str, bad: float) -> None:
    widget = VariableState()
    before = widget.scene
    with pytest.raises(traitlets.TraitError, match=f"{name} is from -10 to 10; got"):
        setattr(widget, name, bad)
    assert widget.scene == before


def test_no_zero_has_a_sign() -> None:
    for way in WAYS:
        scene = found(way=way, x0=-2.0, x1=2.0, later=0.0)
        assert not any(repr(value) == "-0.0" for value in scene.values())


def test_where_the_step_stands_asks_nothing() -> None:
    widget = VariableState()
    scene = widget.scene
    widget.step = 4
    assert widget.scene is scene


def test_the_twin_says_it_in_text() -> None:
    table = VariableState().as_table()
    assert table.caption == "assign, held by copy"
    assert [row[-1] for row in table.rows] == [None, 6.0, 1.0]
    assert table.rows[1][1:4] == (0.0, 3.0, 10.0)
    assert [row[-1] for row in VariableState(hold="version").as_table().rows] == ["error"] * 3
    assert [row[0] for row in VariableState(way="update").as_table().rows] == ["x0", "x1", "s", "y"]


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    words = [text.get_text() for text in VariableState().static_figure().axes[0].texts]
    assert words == ["3", "x0: gradient None", "0  3  10", "x1: gradient 6"]
