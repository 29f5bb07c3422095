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


def test_another_function_takes_probes_of_its_own_length() -> None:
    widget = HessianProbes(probes=[[1.0, -1.0]])
    widget.function = "diagonal"
    assert widget.error == ""
    assert list(widget.rows[0]["v"]) == [1.0, -1.0] * 3


@pytest.mark.parametrize("bad", [[], [[float("nan"), 1.0]], [[11.0, 1.0]], [[]] * (MOST + 1)])
def test_bad_probes_are_refused(bad: Any) -> None:
    widget = HessianProbes()
    with pytest.raises(traitlets.TraitError, match="1 to 60 lists"):
        widget.probes = bad


# --------------------------------------------------------------------------------------------------------- the picture
def test_it_opens_with_the_lessons_first_two_probes() -> None:
    assert [list(row["v"]) for row in HessianProbes(probes=chance(2)).rows] == [[1.0, 1.0], [1.0, -1.0]]
    assert len(HessianProbes().rows) == 1


@pytest.mark.parametrize("kind", ["signs", "normal"])
@pytest.mark.parametrize("estimate", ["trace", "norm"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_squares_add_up_to_what_the_products_give(function: str, estimate: str, kind: str) -> None:
    widget = HessianProbes(function=function, estimate=estimate, kind=kind, probes=chance(7))
    cells, now = widget.cells, widget.found[-1]
    samples = [row["quadratic" if estimate == "trace" else "square"] for row in widget.rows]
    assert np.sum(cells["probe"]) == pytest.approx(samples[-1])
    assert np.sum(cells["mean"]) == pytest.approx(np.mean(samples))
    assert cells["added"]["mean"] ** (1 if estimate == "trace" else 0.5) == pytest.approx(now[estimate])
    assert np.trace(cells["whole"]) == pytest.approx(widget.about[estimate] ** (1 if estimate == "trace" else 2))


def test_signs_cancel_off_the_diagonal_and_nowhere_else() -> None:
    few, many = (HessianProbes(function="twelve", probes=chance(count)).cells for count in (2, MOST))
    whole = np.array(few["whole"])
    np.testing.assert_array_equal(np.diag(few["probe"]), np.diag(whole))
    np.testing.assert_allclose(np.diag(many["mean"]), np.diag(whole))
    off = ~np.eye(12, dtype=bool)
    np.testing.assert_array_equal(np.abs(np.array(few["probe"])[off]), np.abs(whole[off]))
    rest = [np.sqrt(np.mean(np.array(cells["mean"])[off] ** 2)) for cells in (few, many)]
    assert rest[1] < rest[0] / 3


def test_moved_gradients_give_another_sum_than_the_squares() -> None:
    cells = HessianProbes(function="waves", way="moving", h=1.0, probes=chance(5)).cells
    exact = HessianProbes(function="waves", probes=chance(5)).cells
    assert cells["added"] == exact["added"]
    assert abs(cells["given"]["mean"] - cells["added"]["mean"]) > 1
    assert exact["given"]["mean"] == pytest.approx(exact["added"]["mean"])


@pytest.mark.parametrize("kind", ["signs", "normal"])
def test_the_spread_of_one_probe_is_that_of_many(kind: str) -> None:
    seeds = [HessianProbes(function="twelve", kind=kind, probes=chance(MOST), seed=seed) for seed in range(20)]
    for name, of in (("trace", lambda row: row["quadratic"]), ("norm", lambda row: row["square"])):
        samples = np.array([of(row) for widget in seeds for row in widget.rows])
        slope = 1 if name == "trace" else 2 * seeds[0].about["norm"]
        assert seeds[0].about["spread"][name] == pytest.approx(samples.std() / slope, rel=0.08)


def test_the_twin_and_the_figure() -> None:
    widget = HessianProbes(probes=FOUR)
    assert str(widget.as_table()).splitlines()[-2].split() == [
        "4", "7.0000", "25.0000", "5.0000", "1.1547", "3.8730", "0.7454",
    ]  # fmt: skip
    assert str(widget.as_table()).splitlines()[-1].split() == ["whole", "H", "–", "–", "5.0000", "–", "3.8730", "–"]
    assert str(widget.as_table()).splitlines()[2].split() == ["1", "7.0000", "25.0000", "7.0000", "–", "5.0000", "–"]
    one, mean, plot = widget.static_figure().axes
    assert len(one.patches) == len(mean.patches) == 4
    assert mean.patches[1].get_width() == 0  # 1 and −1 cancelled
    assert list(plot.lines[-1].get_ydata()) == [5.0, 5.0]
