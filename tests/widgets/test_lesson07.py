"""Lesson 07's widget: five numbers on their own staircase, and what the two ends gather."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson07 import FakeQuantGradients

SPREAD = [-4.0, -3.5, -3.25, 0.0, 5.0]


def column(widget: FakeQuantGradients, name: str) -> list[Any]:
    return [entry[name] for entry in widget.entries]


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_the_lessons_gradient() -> None:
    widget = FakeQuantGradients()
    assert column(widget, "into_x") == [2, 0, 1, 1, 1]
    assert column(widget, "y") == [-3, -3, 0, 0, 6]
    assert column(widget, "side") == ["below", "below", "inside", "inside", "inside"]
    assert widget.ends == {"low": -4, "high": 5, "first": -3, "last": 6, "into_min": 2, "into_max": 0}
    assert list(widget.levels) == [-3, 0, 3, 6]


@pytest.mark.parametrize(
    ("x", "gradient"),
    [
        (SPREAD, [3, 0, 0, 1, 1]),
        ([-4.0, -4.0, -3.5, 0.0, 5.0], [1.5, 1.5, 0, 1, 1]),
        ([-5.0, 0.0, 1.0, 3.5, 4.0], [1, 1, 1, 0, 2]),
        ([-3.0, -1.0, 0.0, 2.0, 6.0], [1, 1, 1, 1, 1]),
    ],
)
def test_what_is_clamped_goes_to_the_extreme_and_equals_share(x: list[float], gradient: list[float]) -> None:
    assert column(FakeQuantGradients(x=x), "into_x") == gradient


def test_a_stopped_end_keeps_what_it_gathered() -> None:
    widget = FakeQuantGradients(min_home=False)
    assert column(widget, "into_x") == [0, 0, 1, 1, 1]
    assert column(widget, "by_min") == [None] * 5
    assert widget.ends["into_min"] == 2
    assert column(FakeQuantGradients(x=[-5.0, 0.0, 1.0, 3.5, 4.0], max_home=False), "into_x") == [1, 1, 1, 0, 0]


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("bits", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_ways_add_up_and_nothing_is_lost(seed: int, bits: int) -> None:
    x = np.random.default_rng(seed).uniform(-6, 6, 5).round(2).tolist()
    widget = FakeQuantGradients(x=x, bits=bits)
    ways = np.array([column(widget, name) for name in ("straight", "by_min", "by_max")])
    np.testing.assert_allclose(ways.sum(axis=0), column(widget, "into_x"))
    assert ways[0].tolist() == [float(side == "inside") for side in column(widget, "side")]
    assert sum(column(widget, "into_x")) == 5
    direct = ak.relax.fake_quant(x, min(x), max(x), bits).numpy()
    np.testing.assert_allclose(column(widget, "y"), direct)
    assert set(np.round(column(widget, "y"), 9)) <= set(np.round(widget.levels, 9))
    assert widget.error == ""


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_zero_is_a_level(bits: int) -> None:
    assert np.abs(FakeQuantGradients(x=[-3.25, -1.0, 0.0, 1.0, 4.5], bits=bits).levels).min() < 1e-12


@pytest.mark.parametrize("bad", [[1.0, 2.0], [-7.0, 0.0, 1.0, 2.0, 3.0], [float("nan"), 0.0, 1.0, 2.0, 3.0]])
def test_bad_numbers_are_refused(bad: list[float]) -> None:
    widget = FakeQuantGradients()
    with pytest.raises(traitlets.TraitError, match="x holds 5 numbers from -6 to 6; got"):
        widget.x = bad
    assert column(widget, "into_x") == [2, 0, 1, 1, 1]


def test_five_equal_numbers_are_no_range_and_it_says_so() -> None:
    widget = FakeQuantGradients()
    widget.x = [1.0] * 5
    assert "min must be below max, got 1.0 and 1.0" in widget.error
    assert column(widget, "into_x") == [2, 0, 1, 1, 1]


def test_the_twin_says_it_in_text() -> None:
    table = FakeQuantGradients().as_table()
    assert table.caption == "2 bits, nudged range (-3, 6): the gradient of the sum is [2 0 1 1 1]"
    assert [row[-1] for row in FakeQuantGradients(x=SPREAD).as_table().rows] == [3, 0, 0, 1, 1]
    assert FakeQuantGradients(min_home=False).as_table().rows[0][5] is None


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    stairs, bars = FakeQuantGradients().static_figure().axes
    assert [patch.get_height() for patch in bars.patches] == [2, 0, 1, 1, 1]
    assert stairs.lines[0].get_ydata().tolist() == [-3, -3, 0, 0, 6]
