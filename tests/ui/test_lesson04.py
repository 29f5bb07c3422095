"""Lesson 04's widget under mouse and keys: the loop's turns, and a difference that steps over a jump."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets import DoublingLoop


def column(on: Any, name: str) -> list[str]:
    return on.page.locator(f".ak-tape td.ak-{name}").all_text_contents()


def figures(on: Any) -> list[str]:
    return on.page.locator(".ak-figures strong").all_text_contents()


def test_the_jump_of_the_lesson(stage: Any) -> None:
    on = stage(DoublingLoop())
    assert "From x = 3 the loop takes 6 turns: the result is 192 and the slope 64." in on.summary
    on.page.locator("button:text-is('3.124')").click()
    assert "the slope 64" in on.summary
    on.page.locator("button:text-is('3.125')").click()
    assert "5 turns: the result is 100 and the slope 32" in on.summary
    box = on.page.locator("input[aria-label='h, step of the difference, as a number']")
    box.fill("0.001")
    box.press("Enter")
    assert "The difference crosses a jump and gives −49952." in on.summary
    assert figures(on) == ["32", "−49952", "17"]
    on.shot("04-jump")


def test_turns_are_added_and_taken(stage: Any) -> None:
    on = stage(DoublingLoop(x=3.1))
    assert column(on, "fwd") == ["1", "2", "4", "8", "16", "32", "64"]
    assert column(on, "rev") == ["64", "32", "16", "8", "4", "2", "1"]
    on.page.locator("[role=slider]").first.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.x == 3.125
    assert column(on, "fwd") == ["1", "2", "4", "8", "16", "32"]
    on.choose("≤ 100")
    assert column(on, "rev") == ["64", "32", "16", "8", "4", "2", "1"]
    on.press("Tab")
    on.shot("04-or-equal")


def test_the_ball_is_dragged_and_stays_in_the_range(stage: Any) -> None:
    on = stage(DoublingLoop(), theme="dark")
    ball = on.page.locator("[role=slider]").first
    at = ball.bounding_box()
    on.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    on.page.mouse.down()
    on.page.mouse.move(at["x"] + 2000, at["y"], steps=5)
    on.page.mouse.up()
    on.settle()
    assert on.widget.x == 8.0
    ball.focus()
    on.press("Home")
    on.settle()
    assert on.widget.x == 2.0
    on.press("PageUp")
    on.settle()
    assert on.widget.x == 3.0
    on.shot("04-drag")
