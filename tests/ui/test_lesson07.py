"""Lesson 07's widget under mouse and keys: entries that move, and ends that get gradients."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson07 import FakeQuantGradients

LESSON = "The gradient is [2 0 1 1 1]. x₀ and x₁ are below the nudged range (−3, 6): their 2 goes to min, which is x₀."


def test_the_lessons_number_and_an_entry_moved_by_keys(stage: Any) -> None:
    on = stage(FakeQuantGradients())
    assert on.summary == LESSON
    on.shot("07-first")
    on.page.locator("[role=slider][aria-label='x₁']").focus()
    on.press("ArrowRight", "ArrowRight")
    assert on.summary.startswith("The gradient is [1 1 1 1 1].")
    assert on.widget.x == [-4.0, -3.0, 0.0, 1.0, 5.0]
    on.page.locator("[role=slider][aria-label='x₂']").focus()
    on.press("Home")
    assert on.summary.startswith("The gradient is [")
    assert on.widget.x[2] == -6.0


def test_an_entry_is_dragged(stage: Any) -> None:
    on = stage(FakeQuantGradients())
    ball = on.page.locator("[role=slider][aria-label='x₂'] circle").nth(2).bounding_box()
    x, y = ball["x"] + ball["width"] / 2, ball["y"] + ball["height"] / 2
    last = on.page.locator("[role=slider][aria-label='x₄'] circle").nth(2).bounding_box()
    unit = (last["x"] - ball["x"]) / 5  # px of one unit of x: these two are at 0 and 5
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x - 3.25 * unit, y, steps=6)
    on.page.mouse.up()
    assert "[3 0 0 1 1]" in on.summary
    on.shot("07-dragged")


def test_an_end_is_clicked_and_stops_what_it_got(stage: Any) -> None:
    on = stage(FakeQuantGradients(), theme="dark")
    on.page.locator("[role=switch][aria-label='min of x, −4: gets 2, passes it on']").wait_for()
    end = on.page.locator("[role=switch]").first
    end.click()
    assert on.summary.startswith("The gradient is [0 0 1 1 1].")
    assert "goes to min, which keeps it" in on.summary
    assert end.get_attribute("aria-checked") == "false"
    on.shot("07-stopped")
    end.focus()
    on.press(" ")
    assert on.summary == LESSON


def test_bits_and_a_tie(stage: Any) -> None:
    on = stage(FakeQuantGradients())
    on.page.get_by_role("button", name="A tie").click()
    assert "[1.5 1.5 0 1 1]" in on.summary
    assert "which is x₀ and x₁" in on.summary
    on.shot("07-tie")
    on.choose("4")
    assert on.widget.bits == 4
    on.shot("07-4-bits")
    on.page.get_by_role("button", name="All inside").click()
    on.choose("2")
    assert "All are inside the nudged range (−3, 6), and each keeps its own." in on.summary


TOUCHING = """plot => {
  const names = [...plot.querySelectorAll("svg > g:last-of-type text")].map((name) => name.getBoundingClientRect());
  const touch = (a, b) => a.left < b.right && b.left < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom;
  return [names.length, names.filter((a, i) => names.slice(i + 1).some((b) => touch(a, b))).length];
}"""


@pytest.mark.parametrize("width", [820, 360])
def test_names_of_near_points_do_not_touch(stage: Any, width: int) -> None:
    on = stage(FakeQuantGradients(), width=width)
    for x, bits, names in (
        ([-4.0, -3.5, 0.0, 1.0, 5.0], 2, 5),
        ([-4.0, -4.0, -3.5, 0.0, 5.0], 2, 4),  # two at one place have one name
        ([-4.0, -3.75, -3.5, 0.0, 5.0], 4, 5),
    ):
        on.widget = FakeQuantGradients(x=x, bits=bits)
        on.draw()
        assert on.page.locator(".ak-plot").first.evaluate(TOUCHING) == [names, 0]
