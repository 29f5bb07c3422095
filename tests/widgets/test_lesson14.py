"""Lesson 14's widget: steps of real optimizers, what they carry over, and how far a weight still rolls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson14 import COUNT, OPTIMIZERS, START, MomentumSteps


def strip(*grads: float | None, rest: float | None = 0.0) -> list[Any]:
    return [*grads, *[rest] * (COUNT - len(grads))]


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_three_gradients_of_one() -> None:
    widget = MomentumSteps()
    assert np.round(widget.steps[:4], 10).tolist() == [-0.1, -0.19, -0.271, -0.2439]
    assert np.round(widget.carried[:4], 10).tolist() == [0.0, -0.09, -0.171, -0.2439]
    assert np.round(widget.slot[:4], 10).tolist() == [0.0, 1.0, 1.9, 2.71]
    assert round(widget.w[3], 10) == -0.561
    assert round(widget.rest - widget.w[3], 6) == -2.439


def test_the_way_left_is_the_last_step_times_b_over_one_less_b() -> None:
    for b in (0.5, 0.8, 0.95):
        widget = MomentumSteps(b=b, at=4, grads=strip(1.0, -0.5, None, 2.0, 0.25))
        np.testing.assert_allclose(widget.rest - widget.w[5], widget.steps[4] * b / (1 - b), rtol=1e-6)


def test_each_gradient_is_worth_the_rate_over_one_less_b_in_the_end() -> None:
    widget = MomentumSteps(b=0.75, at=COUNT - 1, grads=strip(1.0, -2.0, 0.5))
    assert widget.rest == pytest.approx(-0.1 / 0.25 * (1.0 - 2.0 + 0.5), abs=1e-8)


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_path_is_that_of_the_optimizer_alone(optimizer: str) -> None:
    """A run without a tape, and without a second optimizer that is asked beside it."""
    grads = strip(1.0, None, -0.5, 0.0, 2.0, rest=-1.0)
    w, opt, path = ak.Variable(0.0), OPTIMIZERS[optimizer](0.8), [0.0]
    for g in grads:
        if g is not None:
            opt.apply_gradients([(g, w)])
        path.append(float(w))
    widget = MomentumSteps(optimizer=optimizer, b=0.8, grads=grads)
    assert widget.w == path
    assert widget.error == ""
    assert widget.steps[1] is widget.carried[1] is None


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_what_is_carried_over_is_the_step_of_a_zero(optimizer: str) -> None:
    grads = strip(1.0, -0.5, 2.0)
    for k in range(3):
        zeroed = strip(*grads[:k], 0.0)
        there, zero = (MomentumSteps(optimizer=optimizer, grads=g, at=0) for g in (grads, zeroed))
        assert there.carried[k] == pytest.approx(zero.steps[k], abs=1e-15)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_rest_is_where_many_zeros_lead(optimizer: str) -> None:
    widget = MomentumSteps(optimizer=optimizer, at=1, grads=strip(1.0, 2.0, -1.0))
    w, opt = ak.Variable(0.0), OPTIMIZERS[optimizer](0.9)
    for g in (1.0, 2.0, *[0.0] * 2000):
        opt.apply_gradients([(g, w)])
    assert widget.rest == pytest.approx(float(w), abs=1e-6)
    assert widget.roll[0] == widget.w[2]
    assert len(widget.roll) == COUNT - widget.roll_at == COUNT - 1


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_where_zeros_follow_the_way_ahead_is_the_way_taken(optimizer: str) -> None:
    widget = MomentumSteps(optimizer=optimizer, at=2)
    assert widget.roll == pytest.approx(widget.w[3:], abs=1e-12)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_both_parts_of_a_step_are_the_step(optimizer: str) -> None:
    widget = MomentumSteps(optimizer=optimizer, grads=strip(1.0, None, -0.5, 0.0, 2.0))
    for step, carried, own in zip(widget.steps, widget.carried, widget.own, strict=True):
        assert own is None if step is None else carried + own == pytest.approx(step, abs=1e-15)


def test_without_a_memory_nothing_is_carried_and_nothing_rolls() -> None:
    for widget in (MomentumSteps(optimizer="sgd"), MomentumSteps(b=0.0)):
        assert set(widget.carried) == {0.0}
        assert widget.rest == widget.w[-1] == pytest.approx(-0.3)
        assert widget.slot is None


@pytest.mark.parametrize("bad", [[1.0], strip(2.5), strip(float("nan")), strip("1")])
def test_bad_gradients_are_refused(bad: list[Any]) -> None:
    widget = MomentumSteps()
    with pytest.raises(traitlets.TraitError, match="got"):
        widget.grads = bad
    assert widget.grads == START


def test_the_twin_and_the_figure_say_the_same() -> None:
    table = MomentumSteps(grads=strip(1.0, None)).as_table()
    assert table.caption == "momentum, b = 0.9: with zeros after step 3, w ends at -1.0000"
    assert table.rows[0][1:] == (1.0, 0.0, -0.1, -0.1, -0.1, 1.0)
    assert table.rows[1][1:5] == (None, None, None, None)
    assert "slot u" in table.columns
    assert "slot u" not in MomentumSteps(optimizer="sgd").as_table().columns
    widget = MomentumSteps()
    axes = widget.static_figure().axes[0]
    heights = [patch.get_height() for patch in axes.patches]
    assert heights[:6] == pytest.approx([0.0, -0.09, -0.171, -0.1, -0.1, -0.1])
    assert sum(heights[6:]) == pytest.approx(widget.roll[-1] - widget.roll[0])
    assert axes.get_ylabel() == "w"
