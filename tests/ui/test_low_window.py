"""Widgets in a low window, such as 1280 × 800 at 200 %: the picture stands on one screen with its main control."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit import widgets

LOW = 400  # px of height
ROOM = 286  # px that JupyterLab's bars leave of it
WIDTHS = (480, 400)
FROM_CONTROL_TO_PICTURE = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  return box(".ak-stage svg[role=group]").bottom - box(".ak-stage [role=radiogroup]").top;
}"""


def lower(on: Any, width: int, height: int = LOW) -> None:
    on.page.set_viewport_size({"width": width, "height": height})
    on.still()


@pytest.mark.parametrize("name", ["JvpVjp", "MaskedAttention"])
def test_the_main_control_and_the_picture_stand_on_one_screen(stage: Any, name: str) -> None:
    on = stage(getattr(widgets, name)(), width=WIDTHS[0])
    assert on.page.evaluate(FROM_CONTROL_TO_PICTURE) > ROOM, "a tall window has room for more"
    for width in WIDTHS:
        lower(on, width)
        assert on.page.evaluate(FROM_CONTROL_TO_PICTURE) <= ROOM, width
        on.shot(f"{name}-low-{width}")


def test_other_controls_are_folded_while_the_window_is_low(stage: Any) -> None:
    on = stage(widgets.MaskedAttention(), width=WIDTHS[0])
    sentence, fold = on.page.locator("select"), on.page.locator("summary:text-is('Sentence and dtype')")
    assert sentence.is_visible()
    assert not fold.is_visible()
    lower(on, WIDTHS[0])
    assert not sentence.is_visible()
    fold.click()
    sentence.select_option(index=1)
    on.settle()
    assert on.widget.sentence == 1
    on.width(WIDTHS[0])
    first = on.page.locator(".ak-stage .ak-row").first
    assert first.locator("select, [role=radiogroup]").count() == 3, "all are in their row again"
