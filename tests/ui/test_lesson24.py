"""Lesson 24's widget under mouse and keys: numbers, probes and new draws."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson24 import ProbeGradient


def test_new_probes_by_mouse_and_numbers_by_keys(stage: Any) -> None:
    on = stage(ProbeGradient())
    assert "4 probes, 8 calls for 8 numbers." in on.summary
    on.page.locator("button:text-is('new probes')").click()
    on.settle()
    assert on.widget.seed == 1
    on.page.locator("input[type=range]").first.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.n == 9
    assert "8 calls for 9 numbers" in on.summary
    on.shot("24-probes")


def test_the_bars_stand_against_an_axis_with_numbers(stage: Any) -> None:
    on = stage(ProbeGradient())
    numbers = [float(text.replace("−", "-")) for text in on.page.locator("svg [text-anchor=end]").all_text_contents()]
    bars = [*on.widget.gradient, *on.widget.estimate]
    assert min(bars) <= min(numbers) < 0 < max(numbers) <= max(bars)
    assert len(numbers) > 3
