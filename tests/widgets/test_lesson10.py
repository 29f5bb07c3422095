"""Lesson 10's widget: what each path carries, on real tapes, with and without stops."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson10 import TARGETS, VALVES, StopGradientPaths

X = np.array([1.0, 2.0, 3.0, 4.0])
FULL = [0.2683, -0.3578, -0.0894, 0.1789]
DESIGNS = {"": FULL, "D": FULL, "E": [0.6708, -0.2236, -0.2236, -0.2236], "BE": [0.8944, 0, 0, 0]}


def test_what_is_asked_without_a_valve_is_the_kits_own_gradient() -> None:
    for target in TARGETS:
        asked = (lambda x: ak.var(x)) if target == "v" else (lambda x, i=int(target[1]): normalised(x)[i])
        np.testing.assert_allclose(StopGradientPaths(target=target).gradient, ak.grad(asked)(X).numpy(), atol=1e-11)
        row = ak.hessian(asked)(X).numpy()[0]
        np.testing.assert_allclose(StopGradientPaths(target=target, order=2).gradient, row, atol=1e-11)


def normalised(x: Any) -> Any:
    return (x - ak.mean(x)) / ak.sqrt(ak.var(x))


@pytest.mark.parametrize("shut", DESIGNS)
def test_the_lessons_numbers(shut: str) -> None:
    widget = StopGradientPaths(shut=list(shut))
    np.testing.assert_allclose(widget.gradient, DESIGNS[shut], atol=5e-5)
    np.testing.assert_allclose(widget.whole, FULL, atol=5e-5)


def test_the_mean_inside_the_variance_carries_a_zero_and_not_a_none() -> None:
    widget = StopGradientPaths(target="v")
    assert widget.carried["D"] == [0.0] * 4
    assert widget.gradient == [-0.75, -0.25, 0.25, 0.75]
    widget.shut = ["D"]
    assert widget.carried["D"] is None
    assert widget.gradient == [-0.75, -0.25, 0.25, 0.75]


def test_a_stop_that_is_free_for_the_gradient_is_not_for_the_hessian() -> None:
    whole, stopped = (StopGradientPaths(target="v", order=2, shut=shut) for shut in ([], ["D"]))
    assert whole.gradient == stopped.whole == [0.375, -0.125, -0.125, -0.125]
    assert stopped.gradient == [0.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("target", ["v", "y2"])
def test_paths_add_up_whatever_is_shut(target: str, order: int) -> None:
    widget = StopGradientPaths(x=[0.5, 7.25, 2.0, 2.75], target=target, order=order)
    for size in range(len(VALVES) + 1):
        for shut in itertools.combinations(VALVES, size):
            widget.shut = list(shut)
            assert widget.error == ""
            carried = [one for one in widget.carried.values() if one is not None]
            total = np.sum(carried, axis=0) if carried else np.zeros(4)
            np.testing.assert_allclose(total, widget.gradient or np.zeros(4), atol=1e-10)
            assert all(widget.carried[letter] is None for letter in shut if letter != "E")


def test_the_values_never_change() -> None:
    assert StopGradientPaths().values == StopGradientPaths(shut=list(VALVES)).values


def test_nothing_comes_through_what_is_not_asked() -> None:
    widget = StopGradientPaths(target="v")
    assert widget.carried["A"] is widget.carried["B"] is None
    assert StopGradientPaths(shut=["E"]).carried["C"] is None
    assert StopGradientPaths(target="v", shut=["E"]).carried["C"] is not None
    assert StopGradientPaths(shut=["A", "B", "E"]).gradient is None


def test_equal_numbers_have_no_deviation() -> None:
    widget = StopGradientPaths(x=[3.0] * 4)
    assert widget.error == ""
    assert np.isnan(widget.gradient).all()


@pytest.mark.parametrize("bad", [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 9.5], [1.0, 2.0, 3.0, float("nan")]])
def test_bad_numbers_are_refused(bad: list[float]) -> None:
    widget = StopGradientPaths()
    with pytest.raises(traitlets.TraitError, match="x holds 4 numbers from 0 to 9; got"):
        widget.x = bad
    assert widget.x == [1.0, 2.0, 3.0, 4.0]


def test_a_valve_that_is_not_there_is_refused() -> None:
    with pytest.raises(traitlets.TraitError):
        StopGradientPaths(shut=["F"])


def test_the_twin_says_it_in_text() -> None:
    table = StopGradientPaths(shut=["E", "B"]).as_table()
    assert table.caption == "The gradient of y0; stopped: B, E"
    assert [row[1] for row in table.rows[1:4]] == [None] * 3
    assert str(table).splitlines()[-2].split()[-4:] == ["0.8944", "0.0000", "0.0000", "0.0000"]


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    labels = [text.get_text() for text in StopGradientPaths(shut=["B", "E"]).static_figure().axes[0].get_xticklabels()]
    assert labels == ["x0: 0.8944", "x1: 0.0000", "x2: 0.0000", "x3: 0.0000"]
    assert StopGradientPaths(shut=["A", "B", "E"]).static_figure() is not None
