"""Lesson 12's widget under mouse and keys: a number goes into a variable, and its gradient."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson12 import WAYS, VariableState


def picture(on: Any) -> str:
    return on.page.text_content(".ak-stage svg[role=img]") or ""


def test_line_by_line_to_the_lessons_number(stage: Any) -> None:
    on = stage(VariableState())
    assert "x1 holds 3 now." in on.summary  # something is drawn before the first click
    on.page.locator("[aria-label='Line of the program'][type=range]").focus()
    on.press("Home")
    assert "x0 holds 3 and x1 holds 0" in on.summary
    on.press("ArrowRight")
    assert "x1 holds 3 now. The tape recorded nothing." in on.summary
    assert "a number is stored" in picture(on)
    on.press("ArrowRight", "ArrowRight")
    assert "its own copy" in picture(on)
    assert "x1 holds 10 now. What the square keeps has not changed." in on.summary
    assert on.page.text_content("[aria-current=step] code") == "x1.assign(10)"
    on.press("ArrowRight")
    assert "The square gives the reading of x1 the gradient 2 · 3 = 6." in on.summary
    assert "dy/dx0" not in picture(on)
    on.press("End")
    assert "y is 9, dy/dx0 is None, dy/dx1 is 6; a finite difference gives 6 for dy/dx0" in on.summary
    on.shot("12-assign")


def test_a_new_value_keeps_the_path(stage: Any) -> None:
    on = stage(VariableState(step=5))
    on.choose("s = x1 + x0")
    assert "dy/dx0 is 6, dy/dx1 is 6" in on.summary
    on.choose("a reference")
    assert "dy/dx0 is 6, dy/dx1 is 6" in on.summary  # nobody writes into s
    assert "reads s: 3" in picture(on)


def test_what_is_held_by_reference_may_be_overwritten(stage: Any) -> None:
    on = stage(VariableState(step=5), theme="dark")
    on.choose("a reference")
    assert "dy/dx0 is None, dy/dx1 is 20" in on.summary
    on.choose("a reference and a version")
    assert "An error: x1 was written to after the square had read it: version 1 then, 2 now." in on.summary
    assert "error" in picture(on)
    assert "dy/dx1" not in picture(on)


def test_numbers_of_the_learners_own(stage: Any) -> None:
    on = stage(VariableState(step=5, hold="reference"))
    box = on.page.locator("input[type=number]").nth(2)
    box.fill("-4")
    box.press("Enter")
    assert "dy/dx1 is −8" in on.summary
    on.page.locator("input[type=range]").first.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.x0 == 3.5
    assert "y is 12.25" in on.summary


@pytest.mark.parametrize("width", [900, 420, 360])
@pytest.mark.parametrize("way", WAYS)
def test_no_words_leave_the_picture(stage: Any, way: str, width: int) -> None:
    on = stage(VariableState(way=way, hold="version", x0=-9.5, x1=9.5, later=-7.5, step=3), width=width)
    outside = """figure => {
      const frame = figure.closest(".ak").getBoundingClientRect();
      return [...figure.querySelectorAll("text")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.left < frame.left || box.right > frame.right;
      }).map((one) => one.textContent);
    }"""
    assert on.page.locator(".ak-stage svg[role=img]").evaluate(outside) == []
    on.shot(f"12-words-{way}-{width}")
