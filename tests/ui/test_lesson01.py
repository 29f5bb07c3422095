"""Lesson 01's widget: another nudge is drawn although the step stays."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson01 import JvpVjp

NUMBERS = "[...document.querySelectorAll('.ak-stage svg[role=group] text')].map((one) => one.textContent)"


def test_another_nudge_is_drawn_where_the_step_stays(stage: Any) -> None:
    on = stage(JvpVjp())
    before = on.page.evaluate(NUMBERS)
    on.page.locator('[role=slider][aria-label^="v0"]').first.focus()
    on.press("ArrowUp", "ArrowUp")
    on.settle()
    on.page.wait_for_function(f"before => JSON.stringify({NUMBERS}) !== JSON.stringify(before)", arg=before)
    drawn = on.page.evaluate(NUMBERS)
    on.width(880)  # a change of the width draws everything
    assert on.page.evaluate(NUMBERS) == drawn
