"""Lesson 23's widget under mouse and keys: sequences, decay rates and the scale of the loss."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson23 import COUNT, StepSizes


def test_it_opens_with_steps_that_differ_from_the_learning_rate(stage: Any) -> None:
    on = stage(StepSizes())
    assert f"the mean {sum(on.widget.adam) / COUNT:.4f}, the largest 1.0000. SGD: the largest is 1.0000." in on.summary
    drawn = "[...document.querySelectorAll('.ak-curve')].map((one) => one.getBoundingClientRect().height)"
    assert max(on.page.evaluate(drawn)) > 20  # px: more than flat lines
    on.shot("23-open")


def test_equal_gradients_make_steps_of_the_learning_rate(stage: Any) -> None:
    on = stage(StepSizes())
    on.choose("equal")
    assert "the mean 1.0000, the largest 1.0000. SGD: the largest is 1.0000." in on.summary


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
    on = stage(StepSizes(sequence="equal"))
    on.page.locator("input[type=range]").first.focus()
    on.press("End")
    on.settle()
    assert on.widget.scale == 1000.0
    assert "the mean 1.0000, the largest 1.0000. SGD: the largest is 1000.0000." in on.summary
