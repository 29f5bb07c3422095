"""Lesson 08's widget: a loss, its probabilities, and a gradient that sums to 0, by one function and step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson08 import LogitBars

LOSS = math.log(1 + math.e + math.e**2) - 1


def softmax(z: list[float]) -> np.ndarray:
    e = np.exp(np.array(z) - max(z))
    return np.asarray(e / e.sum())


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_the_lessons_loss_and_its_gradient() -> None:
    widget = LogitBars()
    assert widget.loss == pytest.approx(LOSS, abs=1e-11)
    assert f"{widget.loss:.4f}" == "1.4076"
    assert widget.gradient == pytest.approx([0.0900, -0.7553, 0.6652], abs=5e-5)
    assert widget.sums["gradient"] == 0.0
    assert widget.sums["probabilities"] == 1.0
    assert widget.sums["logsumexp"] - widget.sums["told"] == pytest.approx(widget.loss, abs=1e-11)


@pytest.mark.parametrize("level", [-1000.0, -50.0, 100.0, 1000.0])
def test_a_level_changes_nothing(level: float) -> None:
    plain, raised = LogitBars(), LogitBars(level=level)
    assert raised.loss == pytest.approx(plain.loss, abs=1e-11)
    assert raised.gradient == pytest.approx(plain.gradient, abs=1e-11)
    assert raised.sums["logsumexp"] == pytest.approx(plain.sums["logsumexp"] + level)
    assert "total" not in raised.sums  # one function divides nothing


def test_the_steps_agree_until_they_overflow() -> None:
    assert LogitBars(way="steps").loss == pytest.approx(LOSS, abs=1e-11)
    assert LogitBars(way="steps", level=700.0).loss == pytest.approx(LOSS, abs=1e-11)
    for level, logsumexp in ((1000.0, math.inf), (-1000.0, -math.inf)):
        widget = LogitBars(way="steps", level=level)
        assert all(math.isnan(one) for one in (widget.loss, *widget.probabilities, *widget.gradient))
        assert widget.sums["logsumexp"] == logsumexp
        assert widget.sums["total"] == math.exp(logsumexp)
        assert widget.error == ""


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("way", ["exact", "steps"])
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_gradient_is_softmax_minus_one_at_the_label(count: int, way: str) -> None:
    z = np.random.default_rng(count).uniform(-4, 4, count).round(2).tolist()
    for label in range(count):
        widget = LogitBars(logits=z, label=label, way=way)
        p = softmax(z)
        np.testing.assert_allclose(widget.probabilities, p, atol=1e-11)
        np.testing.assert_allclose(widget.gradient, p - (np.arange(count) == label), atol=1e-11)
        assert widget.loss == pytest.approx(-math.log(p[label]), abs=1e-10)
        assert widget.sums["gradient"] == 0.0


@pytest.mark.parametrize("bad", [[1.0], [0.0] * 6, [5.0, 0.0], [float("nan"), 0.0]])
def test_bad_logits_are_refused(bad: list[float]) -> None:
    widget = LogitBars()
    with pytest.raises(traitlets.TraitError, match="logits are 2 to 5 numbers from -4 to 4; got"):
        widget.logits = bad
    assert f"{widget.loss:.4f}" == "1.4076"


def test_a_label_that_is_no_class_is_the_kits_own_error() -> None:
    widget = LogitBars()
    widget.label = 4
    assert "4" in widget.error
    assert f"{widget.loss:.4f}" == "1.4076"


def test_the_twin_says_it_in_text() -> None:
    table = LogitBars(level=100.0).as_table()
    assert table.caption == "The loss is 1.4076, by the kit's own function"
    assert [row[1] for row in table.rows] == [100.0, 101.0, 102.0, ""]
    assert table.rows[-1][3:] == (1.0, 0.0)
    assert LogitBars(way="steps", level=1000.0).as_table().caption == "The loss is nan, step by step"


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = LogitBars().static_figure().axes
    assert [round(bar.get_height(), 4) for bar in axes[2].patches] == [0.09, -0.7553, 0.6652]
    assert [bar.get_height() for bar in LogitBars(way="steps", level=1000.0).static_figure().axes[1].patches] == [
        0,
        0,
        0,
    ]
