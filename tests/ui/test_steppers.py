"""The buttons of a stepper stand still under the mouse, whatever the texts beside it say."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit import widgets
from autodiff_kit.widgets.bundle import load_front_end

NAMES = sorted(
    name
    for name in set(widgets.__all__) - {"KernelWidget", "Predict"}
    if " Stepper({" in load_front_end(getattr(widgets, name)._front_end).rpartition("\nfunction render(")[2]
)
MOST = 40  # clicks; after that a long way is taken for granted


def test_lessons_have_steppers() -> None:
    assert len(NAMES) >= 13


@pytest.mark.parametrize("width", [860, 640])
@pytest.mark.parametrize("name", NAMES)
def test_clicks_at_one_place_go_to_the_end(stage: Any, name: str, width: int) -> None:
    on = stage(getattr(widgets, name)(), width=width)
    stepper = on.page.locator(".ak-stepper").first
    scrubber = stepper.locator("input[type=range]")
    stepper.locator('button[aria-label="First step"]').click(force=True)
    on.settle()
    step = stepper.locator('button[aria-label="Step"]')
    step.scroll_into_view_if_needed()
    box = step.bounding_box()
    last = min(MOST, round(float(scrubber.get_attribute("max") or 0)))
    assert last > 0
    for at in range(1, last + 1):
        on.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        on.settle()
        assert round(float(scrubber.input_value())) == at
