"""Lesson 03's widget under mouse and keys: the backward pass, step by step, in four ways of choosing."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets import WhereBranches


def picture(on: Any) -> str:
    return on.page.text_content(".ak-tracks svg") or ""


def test_steps_lead_to_the_lessons_number(stage: Any) -> None:
    on = stage(WhereBranches())
    assert "y is [0, 0, 2]: f was chosen in 1 of 3 entries" in on.summary
    assert "= NaN" in picture(on)  # √−1 has run, although 0 was chosen
    assert "0 · ∞" not in picture(on)  # and no gradient is shown yet
    on.page.locator("[aria-label='Stage of the backward pass'][type=range]").focus()
    on.press("ArrowRight", "ArrowRight")
    assert "The gradient of f(x) is [0, 0, 1]" in on.summary
    on.press("ArrowRight")
    assert "The gradient of x is [NaN, NaN, 0.25], since 0 · NaN = NaN" in on.summary
    assert "0 · ∞ = NaN" in picture(on)
    on.press("End")
    assert "that of w is NaN: one NaN makes" in on.summary
    on.shot("03-where")


def test_each_way_of_choosing(stage: Any) -> None:
    on = stage(WhereBranches(step=4), theme="dark")
    for label, words in (
        ("two wheres", "[0, 0, 0.25], that of w is 1.0000"),
        ("zero absorbs", "[0, 0, 0.25], that of w is 1.0000"),
        ("cond", "[None, None, 0.25], that of w is 1.0000"),
        ("where", "[NaN, NaN, 0.25], that of w is NaN"),
    ):
        on.choose(label)
        assert f"The gradient of x is {words}" in on.summary
        on.shot(f"03-{label.replace(' ', '-')}")
    on.choose("log x")
    assert "The gradient of x is [0, NaN, 0.25]" in on.summary
    assert "not run" not in picture(on)
    on.choose("cond")
    assert picture(on).count("not run") == 3


def test_a_number_of_the_learners_own(stage: Any) -> None:
    on = stage(WhereBranches(step=4))
    slider = on.page.locator(".ak-feeds input[type=range]").nth(1)
    slider.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.x == [-1.0, 0.25, 4.0]
    assert "[NaN, 1, 0.25]" in on.summary
    box = on.page.locator("input[type=number]").first
    box.fill("1")
    box.press("Enter")
    assert "[0.5, 1, 0.25], that of w is 1.7500" in on.summary


def test_the_code_is_that_of_the_way(stage: Any) -> None:
    on = stage(WhereBranches())
    assert on.page.text_content(".ak-stage code") == "where(x > 0, √x, 0)"
    on.choose("two wheres")
    assert on.page.text_content(".ak-stage code") == "where(x > 0, √where(x > 0, x, 1), 0)"


@pytest.mark.parametrize("width", [900, 420, 360])
@pytest.mark.parametrize("f", ["sqrt", "log", "reciprocal"])
def test_no_words_leave_their_box(stage: Any, f: str, width: int) -> None:
    on = stage(WhereBranches(f=f, x=[-3.75, 0.25, 8.75], step=3), width=width)
    wider = """boxes => boxes.map((box) => {
      const [frame, lines] = [box.getBoundingClientRect(), []];
      let next = box.nextElementSibling;
      for (; next?.tagName === "text" && lines.length < 2; next = next.nextElementSibling)
        lines.push(next.getBoundingClientRect());
      return lines.filter((line) => line.left < frame.left || line.right > frame.right).length;
    })"""
    found = on.page.locator(".ak-tracks rect[rx='3']").evaluate_all(wider)
    assert found == [0] * 6
    on.shot(f"03-words-{f}-{width}")


def test_sliders_stand_at_the_rows_that_they_set(stage: Any) -> None:
    on = stage(WhereBranches(), width=820)
    middles = """nodes => nodes.map((node) => {
      const box = node.getBoundingClientRect();
      return box.top + box.height / 2;
    })"""
    sliders = on.page.locator(".ak-feeds input[type=range]").evaluate_all(middles)
    names = on.page.locator(".ak-tracks svg text:text-matches('^x[₀₁₂]$')").evaluate_all(middles)
    below = [slider - name for slider, name in zip(sliders, names, strict=True)]
    assert 16 < min(below) <= max(below) < 28  # the track runs on below the name of its value
    assert max(below) - min(below) < 1
