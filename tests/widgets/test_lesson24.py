"""Lesson 24's widget: estimates from probes, their error and their calls."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson24 import ProbeGradient


@pytest.mark.parametrize("n", [2, 8, 16])
def test_the_gradient_is_that_of_the_function(n: int) -> None:
    x = np.linspace(-1, 1, n)
    assert ProbeGradient(n=n).gradient == pytest.approx(np.cos(x) + x / 2)


@pytest.mark.parametrize("n", [2, 5, 16])
@pytest.mark.parametrize("seed", range(4))
def test_one_probe_gives_entries_of_one_size(n: int, seed: int) -> None:
    sizes = np.abs(ProbeGradient(n=n, k=1, seed=seed).estimate)
    assert sizes == pytest.approx(np.full(n, sizes[0]))


@pytest.mark.parametrize(("n", "k"), [(2, 1), (8, 4), (16, 16)])
def test_the_mean_squared_error_over_many_draws_is_the_expected_one(n: int, k: int) -> None:
    widgets = [ProbeGradient(n=n, k=k, seed=seed) for seed in range(100)]
    mean = np.mean([widget.relative_error**2 for widget in widgets])
    assert np.sqrt(mean) == pytest.approx(widgets[0].expected, rel=0.15)
    assert widgets[0].calls == 2 * k


def test_other_seeds_are_other_probes() -> None:
    assert ProbeGradient(seed=0).estimate != ProbeGradient(seed=1).estimate


def test_the_text_form() -> None:
    widget = ProbeGradient(n=2, k=3)
    table = widget.as_table()
    assert table.caption.startswith("3 probes, 6 calls; error ")
    assert table.rows[1] == ("x1", widget.gradient[1], widget.estimate[1])


@pytest.mark.parametrize("bad", [{"n": 1}, {"k": 0}, {"seed": 100}])
def test_out_of_range_is_refused(bad: dict[str, int]) -> None:
    with pytest.raises(traitlets.TraitError):
        ProbeGradient(**bad)


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = ProbeGradient(n=3).static_figure().axes[0]
    assert len(axes.patches) == 2 * 3
