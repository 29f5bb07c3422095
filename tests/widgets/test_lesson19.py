"""Lesson 19's widget: every try against NumPy's own step, the rule, the learner's dampings, the end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.data import problem
from autodiff_kit.widgets.lesson19 import MOST, LevenbergMarquardtSteps, curve_named

FAR = [0.05, 1.0]


def by_hand(p: Any, damping: float, metric: str = "columns") -> np.ndarray:
    """One step of the lesson's curve, from formulas."""
    t = curve_named("decay").x
    e = np.exp(p[1] * t)
    J, r = np.stack([e, p[0] * t * e], axis=1), p[0] * e - 2 * np.exp(-t)
    D = np.diag(np.diag(J.T @ J)) if metric == "columns" else np.eye(2)
    return np.linalg.solve(J.T @ J + damping * D, -J.T @ r)


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_five_jacobians_to_the_end() -> None:
    widget = LevenbergMarquardtSteps()
    assert widget.error == ""
    assert widget.end["why"] == "limit"
    assert (widget.end["jacobians"], widget.end["rows"]) == (5, 20)
    assert [one["kept"] for one in widget.tries] == [True] * 5
    np.testing.assert_allclose(widget.end["at"], [2.0, -1.0], atol=1e-9)
    assert widget.as_table().caption.endswith("5 Jacobians, 10 pushes where pulls are 100")


@pytest.mark.parametrize("metric", ["columns", "one"])
@pytest.mark.parametrize("start", [[1.0, 0.0], FAR, [-1.0, 1.0]])
def test_every_step_solves_the_damped_equations(start: list[float], metric: str) -> None:
    for one in LevenbergMarquardtSteps(start=start, metric=metric).tries:
        step = np.subtract(one["to"], one["at"])
        np.testing.assert_allclose(step, by_hand(one["at"], one["damping"], metric), rtol=1e-6, atol=1e-9)


def test_a_step_is_kept_if_and_only_if_the_cost_falls() -> None:
    widget = LevenbergMarquardtSteps(start=FAR)
    assert {one["kept"] for one in widget.tries} == {True, False}
    for one, after in pairwise(widget.tries):
        assert one["kept"] == (one["found"] < one["cost"])
        assert list(after["at"]) == list(one["to"] if one["kept"] else one["at"])
        assert after["damping"] == pytest.approx(one["damping"] * (0.1 if one["kept"] else 10))
        assert after["jacobians"] == one["jacobians"] + one["kept"]
        assert one["promised"] < one["cost"]


def test_the_first_start_of_misra_is_not_done_and_the_second_is() -> None:
    data = problem("Misra1a")
    slow, near = (
        LevenbergMarquardtSteps(curve="misra"),
        LevenbergMarquardtSteps(curve="misra", start=list(data.starts[1])),
    )
    assert (slow.end["why"], len(slow.tries)) == ("open", MOST)
    assert near.end["why"] == "tiny"
    np.testing.assert_allclose(near.end["at"], data.certified, rtol=1e-8)
    assert near.end["cost"] == pytest.approx(data.residual_sum, rel=1e-9)


# -------------------------------------------------------------------------------------------------------- what it shows
def test_the_path_ends_in_the_full_step_and_where_it_stands() -> None:
    now = LevenbergMarquardtSteps().now
    np.testing.assert_allclose(np.subtract(now["path"][0], now["at"]), by_hand([1.0, 0.0], 0.0), rtol=1e-5)
    np.testing.assert_allclose(now["path"][-1], now["at"], atol=1e-6)


def test_the_step_ends_on_the_edge_of_its_region() -> None:
    for damping in (1e-4, 1.0, 100.0):
        widget = LevenbergMarquardtSteps(dampings=[damping])
        step = np.subtract(widget.tries[0]["to"], widget.now["at"])
        assert np.sum((step / widget.now["region"]) ** 2) == pytest.approx(1.0)


def test_the_valley_is_the_cost() -> None:
    widget = LevenbergMarquardtSteps()
    rows = np.array(widget.valley["depths"])
    (left, right), (low, high) = widget.about["view"]
    for j, i in ((0, 0), (40, 30), (89, 71)):
        p = np.array([left + (right - left) * i / 71, low + (high - low) * j / 89])
        assert rows[j, i] == pytest.approx(np.log10(curve_named("decay").cost(p)))


def test_a_damping_of_ones_own_and_the_rule_after_it() -> None:
    widget = LevenbergMarquardtSteps(dampings=[None, 5.0])
    assert [one["damping"] for one in widget.tries[:3]] == pytest.approx([1e-3, 5.0, 0.5])


def test_looking_at_another_step_fits_nothing_anew() -> None:
    widget = LevenbergMarquardtSteps()
    tries = widget.tries
    widget.step = 3
    assert widget.tries is tries
    np.testing.assert_array_equal(widget.now["at"], tries[3]["at"])
    widget.step = MOST  # beyond the end it stays there
    np.testing.assert_array_equal(widget.now["at"], widget.end["at"])
    assert "path" not in widget.now


@pytest.mark.parametrize(
    "bad", [{"start": [1.0]}, {"start": [1.0, float("nan")]}, {"dampings": [0.0]}, {"dampings": [1.0] * (MOST + 1)}]
)
def test_bad_numbers_are_refused(bad: dict[str, Any]) -> None:
    widget = LevenbergMarquardtSteps()
    with pytest.raises(traitlets.TraitError, match="two numbers|at most 30"):
        widget.set_trait(*next(iter(bad.items())))


def test_a_start_outside_of_what_is_drawn_is_brought_to_its_edge() -> None:
    widget = LevenbergMarquardtSteps(start=[0.0, 500.0])
    assert widget.error == ""
    np.testing.assert_array_equal(widget.about["start"], [0.0, 2.0])


def test_a_parameter_that_moves_nothing_stays_for_one_step() -> None:
    first = LevenbergMarquardtSteps(start=[0.0, 1.0]).tries[0]
    assert first["kept"]
    assert first["to"][1] == 1.0
    assert first["to"][0] > 0


def test_a_still_figure_and_a_twin_for_pages_without_a_front_end() -> None:
    widget = LevenbergMarquardtSteps(start=FAR)
    assert len(widget.static_figure().axes[0].lines) == 2
    table = widget.as_table()
    assert len(table.rows) == len(widget.tries)
    assert {row[-1] for row in table.rows} == {"kept", "refused"}
