"""Lesson 05's widget under mouse and keys: a rule is swapped, and a gradient passes two hooks."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets import CustomGradientRule


def code(on: Any) -> str:
    return on.page.text_content("pre") or ""


def test_floor_with_its_own_rule_and_with_identity(stage: Any) -> None:
    on = stage(CustomGradientRule())
    assert on.summary == "floor(1.7) is 1."
    on.page.locator("[aria-label='Stage of the backward pass'][type=range]").focus()
    on.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert on.summary == "floor(1.7) is 1. The gradient of y is 2, the hook leaves it, and the rule gives x None."
    on.press("End")
    assert on.summary.endswith("The hook on x is not called.")
    on.shot("05-own")
    on.choose("g")
    assert on.summary.endswith("the hook leaves it, and the rule gives x 2, which its hook sees.")
    assert 'gradient_override_map({"Floor": "Identity"})' in code(on)
    on.choose("halves")
    assert "the hook returns 1, and the rule gives x 1" in on.summary
    on.choose("5·g")
    assert "the rule gives x 5" in on.summary
    on.shot("05-five")


def test_nan_from_a_composition(stage: Any) -> None:
    on = stage(CustomGradientRule(step=4), theme="dark")
    on.choose("log(1+eˣ)")
    assert on.summary.startswith(
        "log(1 + exp 1000) is ∞. The gradient of y is 2, the hook leaves it, and the rule gives x NaN"
    )
    assert on.widget.x == 1000.0
    on.shot("05-nan")
    on.choose("g·σ(x)")
    assert on.summary.startswith("log(1 + exp 1000) is 1000.")
    assert "the rule gives x 2" in on.summary
    on.shot("05-sigmoid")


def test_x_moves_along_the_curve(stage: Any) -> None:
    on = stage(CustomGradientRule(f="sign", x=0.9, rule="window", step=4))
    ball = on.page.locator("[role=slider]").first
    ball.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.x == 1.0
    assert "the rule gives x 2" in on.summary
    on.press("ArrowRight")
    assert "the rule gives x 0" in on.summary
    slider = on.page.locator("input[type=range]").first
    slider.focus()
    on.press("End")
    on.settle()
    assert on.widget.g == 3.0


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("x", [-1.8, 0.2, 1.7, 1.9])
def test_the_label_of_x_touches_no_end_of_a_step(stage: Any, x: float, width: int) -> None:
    on = stage(CustomGradientRule(x=x), width=width)
    touched = """plot => {
      const label = plot.querySelector("[role=slider] text").getBoundingClientRect();
      const beside = (end) => end.right <= label.left || end.left >= label.right;
      const apart = (end) => end.bottom <= label.top + 3 || end.top >= label.bottom - 3;
      const ends = [...plot.querySelectorAll("circle[r='3.25']")].map((end) => end.getBoundingClientRect());
      return ends.filter((end) => !beside(end) && !apart(end)).length;
    }"""
    assert on.page.locator(".ak-plot").first.evaluate(touched) == 0
