"""Lesson 10's widget under mouse and keys: stops on the paths from x, and what each of them changes."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson10 import StopGradientPaths


def switch(on: Any, letter: str) -> Any:
    return on.page.locator(f'[role=switch][aria-label^="Path {letter},"]')


def test_the_lessons_numbers_by_clicks(stage: Any) -> None:
    on = stage(StopGradientPaths())
    assert on.summary == ("Without a stop the gradient is [0.2683, −0.3578, −0.0894, 0.1789], which sums to 0.")
    on.page.locator('[data-valve="D"]').click()
    assert (
        "With a stop on D the gradient is [0.2683, −0.3578, −0.0894, 0.1789]: the same as without a stop." in on.summary
    )
    on.shot("10-D")
    on.page.locator('[data-valve="D"]').click()
    on.page.locator('[data-valve="B"]').click()
    on.settle()
    on.page.locator('[data-valve="E"]').click()
    assert (
        "With a stop on B, E the gradient is [0.8944, 0, 0, 0], which sums to 0.8944; without a stop it is"
        in on.summary
    )
    assert on.widget.shut == ["B", "E"]
    on.shot("10-BE")


def test_switches_by_keys(stage: Any) -> None:
    on = stage(StopGradientPaths(), theme="dark")
    switch(on, "D").focus()
    on.press(" ")
    on.settle()
    assert on.widget.shut == ["D"]
    assert switch(on, "D").get_attribute("aria-checked") == "false"
    assert "stopped" in (switch(on, "D").text_content() or "")
    on.shot("10-focus-dark")
    on.press("Enter")
    on.settle()
    assert on.widget.shut == []


def test_free_for_the_gradient_and_not_for_the_hessian(stage: Any) -> None:
    on = stage(StopGradientPaths(shut=["D"]))
    on.choose("v")
    assert "With a stop on D the gradient is [−0.75, −0.25, 0.25, 0.75]: the same as without a stop." in on.summary
    on.choose("first row of the Hessian")
    assert "With a stop on D the row of the Hessian is [0.5, 0, 0, 0]" in on.summary
    assert "without a stop it is [0.375, −0.125, −0.125, −0.125]" in on.summary
    on.shot("10-hessian")


def test_a_number_of_the_learners_own(stage: Any) -> None:
    on = stage(StopGradientPaths())
    on.page.locator("input[type=range]").first.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.x == [1.25, 2.0, 3.0, 4.0]
    assert "which sums to 0." in on.summary


def test_equal_numbers_have_no_spread_to_divide_by(stage: Any) -> None:
    on = stage(StopGradientPaths(x=[2.0, 2.0, 2.0, 2.0], target="v"))
    assert "Without a stop the gradient is [0, 0, 0, 0]" in on.summary
    on.choose("y₀")
    assert "NaN" in on.summary
    on.shot("10-nan")


@pytest.mark.parametrize("asked", [{}, {"target": "y1"}, {"target": "v"}, {"order": 2}])
def test_the_valves_need_no_scrolling_on_a_telephone(stage: Any, asked: dict[str, Any]) -> None:
    on = stage(StopGradientPaths(**asked), width=360)
    assert on.summary
    assert on.page.locator(".ak-scroll:has(.ak-valves)").evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("width", [900, 420, 360])
def test_no_words_leave_their_box(stage: Any, width: int) -> None:
    on = stage(StopGradientPaths(x=[0.25, 8.75, 2.25, 6.75]), width=width)
    wider = """boxes => boxes.map((box) => {
      const frame = box.getBoundingClientRect();
      const lines = [];
      for (let next = box.nextElementSibling; next?.tagName === "text"; next = next.nextElementSibling)
        lines.push(next.getBoundingClientRect());
      return lines.filter((line) => line.left < frame.left || line.right > frame.right).length;
    })"""
    assert on.page.locator(".ak-pipes rect[rx='3']").evaluate_all(wider) == [0] * 5
    on.shot(f"10-words-{width}")
