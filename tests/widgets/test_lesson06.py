"""Lesson 06's widget: curves and descents of each backward rule, all from the tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets import FloorDescent
from autodiff_kit.widgets.lesson06 import COUNT, GRID, RULES, annealed, surrogate

CURVED = ("sigmoid", "linear", "filter")


@pytest.mark.parametrize(("s", "value"), [(1.0, "1.6666"), (4.0, "1.5003"), (50.0, "1.5000")])
def test_soft_floor_at_two_is_never_two(s: float, value: str) -> None:
    assert f"{FloorDescent(s=s).at_two:.4f}" == value


@pytest.mark.parametrize(("s", "area"), [(4.0, "0.9975"), (10.0, "1.0000")])
def test_the_area_under_one_step(s: float, area: str) -> None:
    assert f"{FloorDescent(s=s).area:.4f}" == area


@pytest.mark.parametrize(
    ("traits", "end", "arrived"),
    [
        ({"rule": "none"}, "0.3000", None),
        ({"rule": "straight"}, "3.1000", 8),
        ({"rule": "sigmoid", "s": 4.0}, "3.5001", 11),
        ({"rule": "sigmoid", "s": 15.0}, "0.3900", None),
        ({"rule": "sigmoid", "anneal": True}, "3.5000", 13),
    ],
    ids=str,
)
def test_where_each_descent_ends(traits: dict[str, Any], end: str, arrived: int | None) -> None:
    widget = FloorDescent(**traits)
    assert (f"{widget.trail[-1]:.4f}", widget.arrived) == (end, arrived)
    assert len(widget.trail) == len(widget.heights) == len(widget.temperature) == COUNT + 1
    if arrived:
        assert np.floor(widget.trail[arrived]) == 3
        assert not any(np.floor(x) == 3 for x in widget.trail[:arrived])


@pytest.mark.parametrize("anneal", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("s", [2.0, 15.0])
def test_a_descent_is_plain_gradient_descent_on_the_tape(rule: str, s: float, anneal: bool) -> None:
    """Every one of the 200 steps, also those that the widget does not run because nothing moves any more."""
    widget = FloorDescent(rule=rule, s=s, anneal=anneal, start=1.7)
    x, growing = ak.Variable(1.7), anneal and rule in CURVED
    for t in range(COUNT):
        assert widget.trail[t] == float(x)
        with ak.GradientTape() as tape:
            height = surrogate(rule, x, annealed(t + 1) if growing else s)
            loss = (height - 3.0) ** 2
        assert widget.heights[t] == float(height)
        slope = tape.gradient(loss, x)
        if slope is not None:
            x.assign_sub(0.1 * float(slope))
    assert widget.trail[COUNT] == float(x)


def test_floor_itself_hands_back_none() -> None:
    widget = FloorDescent(rule="none")
    assert widget.slope == [None] * GRID.size
    assert widget.area is None
    assert np.asarray(widget.surrogate).tolist() == np.floor(GRID).tolist()


def test_straight_through_is_floor_with_slope_one() -> None:
    widget = FloorDescent(rule="straight")
    assert np.asarray(widget.surrogate).tolist() == np.floor(GRID).tolist()
    assert np.asarray(widget.slope).tolist() == [1.0] * GRID.size
    assert widget.area == pytest.approx(1.0)


@pytest.mark.parametrize("rule", CURVED)
@pytest.mark.parametrize("s", [1.0, 4.0, 20.0])
def test_the_slope_is_that_of_the_curve(rule: str, s: float) -> None:
    """Against differences of the curve itself, away from its corners."""
    widget = FloorDescent(rule=rule, s=s)
    step = GRID[1] - GRID[0]
    rough = (np.asarray(widget.surrogate)[2:] - np.asarray(widget.surrogate)[:-2]) / (2 * step)
    assert np.median(np.abs(rough - np.asarray(widget.slope)[1:-1])) < 0.02 * max(widget.slope)


@pytest.mark.parametrize("rule", CURVED)
@pytest.mark.parametrize("s", [8.0, 20.0])
def test_the_steepest_slope_is_a_quarter_of_s(rule: str, s: float) -> None:
    assert max(FloorDescent(rule=rule, s=s).slope) == pytest.approx(s / 4, rel=0.01)


def test_annealing_grows_from_1_to_20_by_one_factor() -> None:
    widget = FloorDescent(anneal=True)
    grown = np.asarray(widget.temperature[:COUNT])
    assert grown[0] == 1.0
    assert grown[-1] == pytest.approx(20.0)
    np.testing.assert_allclose(grown[1:] / grown[:-1], 20.0 ** (1 / 199))
    assert np.unique(FloorDescent(s=7.0).temperature).tolist() == [7.0]


def test_annealing_shows_the_curve_of_the_step() -> None:
    widget = FloorDescent(anneal=True)
    first = max(widget.slope)
    trail = widget.trail
    widget.step = COUNT
    assert max(widget.slope) > 3 * first
    assert f"{widget.at_two:.4f}" == "1.5000"
    assert widget.trail is trail  # the descent is not run again for a step of it


def test_the_trail_lies_on_the_curve_of_the_step() -> None:
    widget = FloorDescent(anneal=True, step=COUNT)
    there = np.interp(widget.trail, GRID, widget.surrogate)
    np.testing.assert_allclose(widget.on_curve, there, atol=2e-3)
    assert np.max(np.abs(np.asarray(widget.heights) - there)) > 0.1  # the curve was another one then
    assert FloorDescent().on_curve == FloorDescent().heights


def test_the_hard_rules_do_not_anneal() -> None:
    widget = FloorDescent(rule="straight", anneal=True)
    assert np.unique(widget.temperature).tolist() == [1.0]


def test_the_search_starts_where_it_was_put() -> None:
    widget = FloorDescent(rule="straight")
    widget.set_state({"start": 5.5, "asked": 1})
    assert widget.trail[0] == 5.5
    assert np.floor(widget.trail[-1]) == 3


@pytest.mark.parametrize(
    "bad",
    [{"rule": "soft"}, {"s": 0.0}, {"s": 1001.0}, {"start": -0.1}, {"start": 6.1}, {"step": 201}, {"anneal": 2}],
    ids=repr,
)
def test_values_outside_their_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError):
        FloorDescent(**bad)


def test_the_twin_says_it_in_text() -> None:
    assert str(FloorDescent().as_table()).startswith("Descent with rule sigmoid: floor(x) was 3 after 11 steps\n")
    assert "never at 3" in FloorDescent(rule="none").as_table().caption
    rows = FloorDescent().as_table().rows
    assert [row[0] for row in rows][-1] == "200"
    assert rows[-1][1] == FloorDescent().trail[200]
