"""Lesson 23's widget under mouse and keys: sequences, decay rates and the scale of the loss."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson23 import StepSizes


def test_it_opens_with_steps_of_the_learning_rate(stage: Any) -> None:
    on = stage(StepSizes())
    assert "the mean 1.0000, the largest 1.0000. SGD: the largest is 1.0000." in on.summary
    on.shot("23-open")


def test_another_sequence_and_other_rates(stage: Any) -> None:
    on = stage(StepSizes(), theme="dark")
    on.choose("50 zeros, then 1")
    assert f"the largest {max(on.widget.adam):.4f}" in on.summary
    before = max(on.widget.adam)
    on.choose("0.5")
    assert (on.widget.sequence, on.widget.beta1) == ("late", "0.5")
    assert max(on.widget.adam) > before
    on.shot("23-late")


def test_the_loss_is_scaled_by_keys(stage: Any) -> None:
    on = stage(StepSizes())
    on.page.locator("input[type=range]").first.focus()
    on.press("End")
    on.settle()
    assert on.widget.scale == 1000.0
    assert "the mean 1.0000, the largest 1.0000. SGD: the largest is 1000.0000." in on.summary
