"""Lesson 20's widget: every product against the whole Hessian, every estimate against its own sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson20 import MOST, HessianProbes, exact_hessian

FOUR = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
FUNCTIONS = ("two", "diagonal", "twelve", "waves")


def chance(count: int) -> list[list[float]]:
    return [[] for _ in range(count)]


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize("way", ["product", "moving"])
def test_all_four_signs_give_trace_and_norm(way: str) -> None:
    widget = HessianProbes(probes=FOUR, way=way)
    assert widget.error == ""
    np.testing.assert_allclose([row["quadratic"] for row in widget.rows], [7, 3, 3, 7], rtol=1e-9)
    np.testing.assert_allclose([row["square"] for row in widget.rows], [25, 5, 5, 25], rtol=1e-9)
    assert widget.found[-1]["trace"] == pytest.approx(5.0)
    assert widget.found[-1]["norm"] == pytest.approx(15**0.5)
    assert widget.about["hessian"] == [[2.0, 1.0], [1.0, 3.0]]


def test_one_probe_of_a_diagonal_is_enough() -> None:
    widget = HessianProbes(function="diagonal", probes=chance(3))
    assert [one["trace"] for one in widget.found] == [21.0] * 3
    assert [one["trace_error"] for one in widget.found] == [None, 0.0, 0.0]
    normal = HessianProbes(function="diagonal", probes=chance(3), kind="normal")
    assert normal.found[-1]["trace_error"] > 1


# -------------------------------------------------------------------------------------------------- products, estimates
@pytest.mark.parametrize("kind", ["signs", "normal"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_product_is_the_hessians(function: str, kind: str) -> None:
    widget = HessianProbes(function=function, kind=kind, probes=chance(9))
    H = np.array(exact_hessian(function)[0])
    for row in widget.rows:
        np.testing.assert_allclose(row["moved"], H @ row["v"], rtol=1e-10, atol=1e-10)
        assert row["quadratic"] == pytest.approx(row["v"] @ H @ row["v"])


def test_every_estimate_is_that_of_the_probes_so_far() -> None:
    widget = HessianProbes(function="twelve", probes=chance(12))
    for k in (2, 5, 12):
        quadratics = np.array([row["quadratic"] for row in widget.rows[:k]])
        squares = np.array([row["square"] for row in widget.rows[:k]])
        now = widget.found[k - 1]
        assert now["trace"] == pytest.approx(quadratics.mean())
        assert now["trace_error"] == pytest.approx(quadratics.std(ddof=1) / k**0.5)
        assert now["norm"] == pytest.approx(squares.mean() ** 0.5)
        assert now["norm_error"] == pytest.approx(squares.std(ddof=1) / k**0.5 / (2 * now["norm"]))


def test_the_truth_is_within_a_few_errors() -> None:
    for seed in range(5):
        widget = HessianProbes(function="twelve", probes=chance(MOST), seed=seed)
        now = widget.found[-1]
        assert abs(now["trace"] - widget.about["trace"]) < 4 * now["trace_error"]
        assert abs(now["norm"] - widget.about["norm"]) < 4 * now["norm_error"]


def test_moving_is_right_in_between_and_wrong_at_both_ends() -> None:
    right = HessianProbes(function="waves", probes=chance(5)).found[-1]["trace"]
    off = {
        h: abs(HessianProbes(function="waves", probes=chance(5), way="moving", h=h).found[-1]["trace"] - right)
        for h in (0.3, 1e-5, 1e-12)
    }
    assert off[1e-5] < 1e-7
    assert off[0.3] > 1e-2
    assert off[1e-12] > 100 * off[1e-5]


# -------------------------------------------------------------------------------------------------------- what is asked
def test_chance_is_the_seeds_and_the_place_decides() -> None:
    first, longer = HessianProbes(probes=chance(2)), HessianProbes(probes=chance(3))
    assert [list(row["v"]) for row in longer.rows[:2]] == [list(row["v"]) for row in first.rows]
    drawn = [list(row["v"]) for row in HessianProbes(function="twelve", probes=chance(3)).rows]
    other = [list(row["v"]) for row in HessianProbes(function="twelve", probes=chance(3), seed=1).rows]
    assert drawn != other
    assert drawn[0] != drawn[1]


def test_the_next_probe_is_shown_before_it_counts() -> None:
    widget = HessianProbes(next_signs=[1.0, -1.0])
    assert widget.rows == []
    assert list(widget.ahead["moved"]) == [1.0, -2.0]
    assert (widget.ahead["quadratic"], widget.ahead["square"]) == (3.0, 5.0)
    assert widget.found == []
    assert list(widget.static_figure().axes[0].lines[-1].get_ydata()) == [5.0, 5.0]


def test_another_function_takes_probes_of_its_own_length() -> None:
    widget = HessianProbes(probes=[[1.0, -1.0]], next_signs=[1.0, -1.0])
    widget.function = "diagonal"
    assert widget.error == ""
    assert list(widget.ahead["v"]) == [1.0, -1.0] * 3


@pytest.mark.parametrize("bad", [[[float("nan"), 1.0]], [[11.0, 1.0]], [[]] * (MOST + 1)])
def test_bad_probes_are_refused(bad: Any) -> None:
    widget = HessianProbes()
    with pytest.raises(traitlets.TraitError, match="at most 60 lists"):
        widget.probes = bad


def test_the_twin_and_the_figure() -> None:
    widget = HessianProbes(probes=FOUR)
    assert str(widget.as_table()).splitlines()[-3].split() == [
        "4", "7.0000", "25.0000", "5.0000", "1.1547", "3.8730", "0.7454",
    ]  # fmt: skip
    assert str(widget.as_table()).splitlines()[-2].split() == ["next", "7.0000", "25.0000", "–", "–", "–", "–"]
    assert str(widget.as_table()).splitlines()[-1].split() == ["whole", "H", "–", "–", "5.0000", "–", "3.8730", "–"]
    assert len(widget.static_figure().axes[0].containers) == 1
