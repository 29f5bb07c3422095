"""Lesson 17's widget: gradients of single examples from the kit, clipped before the mean and after it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson17 import GradientClipping


def assert_near(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, rtol=0, atol=5e-5)


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_the_lessons_numbers() -> None:
    widget = GradientClipping()
    assert [row["gradient"] for row in widget.rows] == [[-2.0, 0.0], [0.0, -4.0], [-6.0, -8.0]]
    assert [row["length"] for row in widget.rows] == [2.0, 4.0, 10.0]
    assert_near(widget.mean["at"], [-2.6667, -4.0])
    assert_near(widget.clip_mean["at"], [-0.5333, -0.6])
    assert_near(widget.mean_clip["at"], [-0.5547, -0.8321])
    assert_near(widget.mean_clip["length"], 1.0)


def test_how_long_a_cut_example_is_changes_nothing_but_the_mean() -> None:
    near_by, far = GradientClipping(), GradientClipping(X=[[1.0, 0.0], [0.0, 2.0], [1.5, 2.0]])
    assert_near(near_by.clip_mean["at"], far.clip_mean["at"])
    assert abs(near_by.mean_clip["at"][1] - far.mean_clip["at"][1]) > 0.01


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("seed", range(8))
def test_it_agrees_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, C = rng.integers(-10, 11, (3, 2)) / 2, float(rng.uniform(0.25, 10))
    widget = GradientClipping(X=X.tolist(), C=C)
    G = -2 * X
    lengths = np.linalg.norm(G, axis=1, keepdims=True)
    clipped = np.where(lengths > C, G / np.where(lengths == 0, 1, lengths) * C, G)
    mean = G.mean(axis=0)
    after = mean * min(1, C / max(np.linalg.norm(mean), 1e-300))
    assert_near(widget.clip_mean["at"], clipped.mean(axis=0))
    assert_near(widget.mean_clip["at"], after)
    assert_near([row["clipped"] for row in widget.rows], clipped)
    if widget.turn is not None:
        a, b = clipped.mean(axis=0), after
        assert_near(math.cos(math.radians(widget.turn)), a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_where_nothing_is_longer_the_order_does_not_matter() -> None:
    widget = GradientClipping(C=10.0)
    assert widget.clip_mean == widget.mean_clip == widget.mean
    assert widget.turn == 0.0


def test_zeros_have_no_sign_and_no_direction() -> None:
    widget = GradientClipping(X=[[0.0, 0.0]] * 3)
    assert widget.turn is None
    assert "-0.0" not in repr(widget.rows) + repr(widget.mean_clip)
    assert [row["factor"] for row in widget.rows] == [1.0] * 3


@pytest.mark.parametrize(
    "bad", [[[1.0, 2.0]], [[1.0], [2.0], [3.0]], [[1.0, 5.5], [0, 0], [0, 0]], [[math.nan, 0], [0, 0], [0, 0]]]
)
def test_bad_examples_are_refused(bad: Any) -> None:
    widget = GradientClipping()
    with pytest.raises(traitlets.TraitError, match="X holds 3 pairs of numbers from -5 to 5; got"):
        widget.X = bad
    assert widget.rows[0]["gradient"] == [-2.0, 0.0]


@pytest.mark.parametrize("step", [-1, 4])
def test_there_are_four_steps(step: int) -> None:
    with pytest.raises(traitlets.TraitError, match="step"):
        GradientClipping(step=step)


def test_a_step_is_only_shown_and_nothing_is_computed_again() -> None:
    widget = GradientClipping()
    rows = widget.rows
    widget.step = 0
    assert widget.rows is rows


def test_the_twin_says_it_in_text() -> None:
    table = GradientClipping().as_table()
    assert table.caption == "Clipped to C = 1"
    assert table.rows[2][1:] == ("[-6.0000 -8.0000]", 10.0, 0.1, "[-0.6000 -0.8000]")
    assert [row[0] for row in table.rows[3:]] == ["mean", "clip, then mean", "mean, then clip"]
    assert table.rows[4][1] == "[-0.5333 -0.6000]"


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    left, right = ({text.get_text() for text in axes.texts} for axes in GradientClipping().static_figure().axes)
    assert left == {"", "a", "b", "c"}
    assert right == left | {"clip, then mean", "mean, then clip"}
