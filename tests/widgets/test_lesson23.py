"""Lesson 23's widget: sizes of Adam's steps, against the update rule worked out here."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson23 import BETAS1, BETAS2, COUNT, LATE, SEQUENCES, StepSizes


def by_the_rule(gradients: np.ndarray, beta1: float, beta2: float) -> np.ndarray:
    """Each step as a weighted mean of all gradients so far, over the root of that of their squares."""
    sizes = []
    for n in range(1, len(gradients) + 1):
        age = np.arange(n)[::-1]
        mean = np.average(gradients[:n], weights=beta1**age)
        square = np.average(gradients[:n] ** 2, weights=beta2**age)
        sizes.append(abs(mean) / (np.sqrt(square) + 1e-8))
    return np.array(sizes)


@pytest.mark.parametrize("beta2", BETAS2)
@pytest.mark.parametrize("beta1", BETAS1)
@pytest.mark.parametrize("sequence", list(SEQUENCES))
def test_every_size_follows_the_update_rule(sequence: str, beta1: str, beta2: str) -> None:
    widget = StepSizes(sequence=sequence, beta1=beta1, beta2=beta2)
    assert widget.adam == pytest.approx(by_the_rule(SEQUENCES[sequence], float(beta1), float(beta2)), rel=1e-9)
    assert widget.sgd == pytest.approx(np.abs(SEQUENCES[sequence]))
    assert widget.error == ""


@pytest.mark.parametrize("sequence", list(SEQUENCES))
def test_the_loss_times_1000_changes_sgd_alone(sequence: str) -> None:
    one, other = StepSizes(sequence=sequence), StepSizes(sequence=sequence, scale=1000.0)
    assert other.adam == pytest.approx(one.adam, rel=1e-6)
    assert other.sgd == pytest.approx(1000 * np.array(one.sgd))


def test_a_late_gradient_makes_a_long_step_and_moves_on() -> None:
    widget = StepSizes(sequence="late")
    assert widget.adam[:LATE] == [0.0] * LATE
    assert max(widget.adam) == widget.adam[LATE] > 0.7
    assert min(widget.adam[LATE:]) > 0 == max(widget.sgd[LATE + 1 :])


def test_inputs_out_of_range_are_refused() -> None:
    for bad in ({"scale": 0.0}, {"sequence": "falling"}, {"beta1": "1"}):
        with pytest.raises(traitlets.TraitError):
            StepSizes(**bad)


def test_the_twin_says_it_in_text() -> None:
    table = StepSizes(sequence="alternating", scale=10.0).as_table()
    assert table.caption.endswith("alternating gradients, loss times 10")
    assert [row[0] for row in table.rows][-1] == str(COUNT)
    assert table.rows[1][1] == -10.0


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = StepSizes(sequence="random").static_figure().axes[0]
    assert list(axes.lines[0].get_ydata()) == StepSizes(sequence="random").adam
