"""Lesson 21's widget: a box that only answers, a model of its inverse, and where that model may be believed."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson21 import (
    GRID,
    HALVINGS,
    KINDS,
    PAIRS,
    STEPS,
    BlackBox,
    LearnedInverse,
    LearnedInverseModel,
    solve_by_bisection,
)


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_far_outside_of_what_it_saw() -> None:
    widget = LearnedInverse()
    assert widget.right == pytest.approx(2.0, abs=1e-11)
    assert widget.said == pytest.approx(-98310.995, abs=1e-3)
    assert widget.worst == pytest.approx(0.0120, abs=5e-5)
    assert not widget.seen


@pytest.mark.parametrize("kind", ["line", "polynomial"])
@pytest.mark.parametrize(("lo", "hi"), [(-1.0, 1.0), (-2.0, 0.5), (-0.25, 2.0)])
def test_polynomials_end_where_least_squares_does(kind: str, lo: float, hi: float) -> None:
    widget = LearnedInverse(kind=kind, lo=lo, hi=hi)
    fitted = np.polynomial.Polynomial.fit(widget.ys, widget.xs, {"line": 1, "polynomial": 7}[kind])
    inside = (widget.ys[0] <= GRID) & (widget.ys[-1] >= GRID)
    np.testing.assert_allclose(widget.learned[inside], fitted(GRID[inside]), atol=1e-9)


def test_the_network_looks_sane_outside_and_is_not() -> None:
    widget = LearnedInverse(kind="network")
    assert widget.worst < 0.005
    assert 1 < widget.said < 1.6
    assert np.abs(widget.learned).max() < 2.5
    widget.hi = 2.0
    assert widget.seen
    assert abs(widget.said - 2) < 0.1


# --------------------------------------------------------------------------------------------------------- the training
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_the_jacobian_are_slopes_of_the_residuals(kind: str) -> None:
    x = np.linspace(-1.0, 1.5, 9)
    fit = LearnedInverseModel(kind, BlackBox()(x), x)
    fit.train_to(2)
    h = 1e-6
    for j in range(fit.parameters.size):
        sides = []
        for way in (h, -h):
            moved = LearnedInverseModel(kind, fit.y, x)
            moved.parameters = fit.parameters + way * np.eye(fit.parameters.size)[j]
            sides.append(moved(fit.y) - x)
        np.testing.assert_allclose(fit.rows[:, j], (sides[0] - sides[1]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_no_step_makes_the_fit_worse(kind: str) -> None:
    x = np.linspace(-1.5, 1.0, PAIRS)
    fit = LearnedInverseModel(kind, BlackBox()(x), x)
    costs = []
    for step in range(STEPS + 1):
        fit.train_to(step)
        costs.append(float(fit.residuals @ fit.residuals))
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0] / 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_is_the_same_whichever_way_one_got_there(kind: str) -> None:
    there = LearnedInverse(kind=kind, step=7)
    back = LearnedInverse(kind=kind)
    back.step = 12
    back.step = 7
    on = LearnedInverse(kind=kind, step=3)
    on.step = 7
    assert there.learned.tolist() == back.learned.tolist() == on.learned.tolist()


# -------------------------------------------------------------------------------------------------------------- the box
def test_what_is_asked_of_the_box_is_counted() -> None:
    box = BlackBox()
    assert solve_by_bisection(box, -10.0) == pytest.approx(-2.0, abs=1e-10)
    assert box.evaluations == HALVINGS
    assert LearnedInverse().paid == {"pairs": PAIRS, "solver": HALVINGS}


def test_the_box_answers_to_what_the_model_says() -> None:
    widget = LearnedInverse(kind="network", y=3.0)
    assert widget.back == widget.said**3 + widget.said
    assert solve_by_bisection(BlackBox(), 3.0) == widget.right


@pytest.mark.parametrize("bad", [{"lo": 0.0}, {"hi": 0.0}, {"lo": -2.5}, {"hi": 3.0}, {"y": 13.0}, {"kind": "cubic"}])
def test_bad_settings_are_refused(bad: dict[str, object]) -> None:
    widget = LearnedInverse()
    before = widget.said
    (name, value), *_ = bad.items()
    with pytest.raises(traitlets.TraitError):
        setattr(widget, name, value)
    assert widget.said == before


def test_the_twin_says_it_in_text() -> None:
    table = LearnedInverse().as_table()
    assert table.caption == "polynomial after 20 steps; y = 10.00 is outside of what it saw"
    assert str(table).splitlines()[-1].split() == ["the", "right", "x", "2.0000"]
    assert "inside" in LearnedInverse(y=1.0).as_table().caption


def test_what_is_far_off_has_no_decimals() -> None:
    rows = dict(LearnedInverse().as_table().rows)
    assert (rows["the model's x"], rows["the box, given that x"]) == ("-98311", "-9.50e+14")
    assert dict(LearnedInverse(kind="network").as_table().rows)["the model's x"] == "1.3905"


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = LearnedInverse().static_figure().axes[0]
    assert [len(line.get_xdata()) for line in axes.lines] == [101, PAIRS, GRID.size]
