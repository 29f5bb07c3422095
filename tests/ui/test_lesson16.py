"""Lesson 16's widget under mouse and keys: three balls, a region, and a target that is dragged."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson16 import ConstrainedDescent

TARGET = "[aria-roledescription='point']"
# Pairs of words in the plane that lie on each other.
TOUCHING = """() => {
  const words = [...document.querySelectorAll(".ak-plot g:nth-of-type(2) text")];
  const boxes = words.map((word) => word.getBoundingClientRect());
  return words.flatMap((word, i) => words.slice(0, i).filter((_, k) => {
    const [a, b] = [boxes[i], boxes[k]];
    return a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  }).map((other) => `${word.textContent}, ${other.textContent}`));
}"""


# Words in the plane that a trail runs through.
ON_A_TRAIL = """() => {
  const spots = [...document.querySelectorAll(".ak-plot .ak-curve.ak-stroke-value")].slice(0, 3).flatMap((trail) => {
    const length = trail.getTotalLength();
    return length ? Array.from({ length: 300 }, (_, k) => trail.getPointAtLength((k / 299) * length)) : [];
  });
  const within = (b) => ({ x, y }) => x > b.x && x < b.x + b.width && y > b.y + 2 && y < b.y + b.height - 2;
  const words = [...document.querySelectorAll(".ak-plot g:nth-of-type(2) text")];
  return words.filter((word) => spots.some(within(word.getBBox()))).map((word) => word.textContent);
}"""


@pytest.mark.parametrize("region", ["half", "disc"])
@pytest.mark.parametrize("at", [0, 8, 32])
def test_words_of_the_plane_are_clear_of_each_other_and_of_the_trails(stage: Any, region: str, at: int) -> None:
    on = stage(ConstrainedDescent(region=region, at=at), width=820)
    for width, words in ((820, 6), (560, 6), (360, 3)):  # on a telephone the table's head names the balls
        on.width(width)
        assert on.page.evaluate("document.querySelectorAll('.ak-plot g:nth-of-type(2) text').length") == words
        assert on.page.evaluate(TOUCHING) == []
        assert on.page.evaluate(ON_A_TRAIL) == [], width


def test_it_opens_at_the_lessons_numbers(stage: Any) -> None:
    on = stage(ConstrainedDescent())
    assert "w₀ is 1.0000 by projection, 1.1000 by the penalty (outside by 0.1000)" in on.summary
    assert "With penalty 9 learning rates below 0.2 are stable" in on.summary
    assert on.page.locator(".ak-stage thead th").all_text_contents() == ["project", "penalise", "reparametrise"]
    assert on.page.locator(".ak-stage tbody tr").count() == 5
    on.shot("16-open")


def test_a_hard_penalty_wants_small_steps(stage: Any) -> None:
    on = stage(ConstrainedDescent(), theme="dark")
    box = on.page.locator("input[type=number]").first
    box.fill("99")
    box.press("Enter")
    assert "only learning rates below 0.02 are stable, and this one is not" in on.summary
    on.shot("16-unstable")
    rate = on.page.locator("input[type=number]").nth(1)
    rate.fill("0.019")
    rate.press("Enter")
    assert "0.5115 by the penalty (inside)" in on.summary  # so small a step has not come far
    assert "With penalty 99 learning rates below 0.02 are stable" in on.summary
    on.shot("16-stable")


def test_the_target_moves_by_keys_and_by_mouse(stage: Any) -> None:
    on = stage(ConstrainedDescent())
    on.page.locator(TARGET).focus()
    on.press("ArrowLeft", "ArrowDown")
    on.settle()
    assert on.widget.target == [1.75, 0.25]
    spot = on.page.locator(f"{TARGET} circle").first.bounding_box()
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x - 250, y - 60, steps=6)
    on.page.mouse.up()
    on.settle()
    assert on.widget.target[0] < 0.5
    assert on.widget.target[1] > 0.25
    assert "by the penalty (inside)" in on.summary
    on.shot("16-inside")


def test_steps_are_walked_without_a_question(stage: Any) -> None:
    on = stage(ConstrainedDescent(at=0))
    assert on.summary.startswith("Step 0: w₀ is −0.7500 by projection, −0.7500 by the penalty (inside), −0.7500")
    on.page.locator("[aria-label='Step'][type=range]").focus()
    on.press("ArrowRight", "ArrowRight")
    assert on.summary.startswith("Step 2:")
    assert on.widget.asked == 0  # where it stands is kept, nothing is computed
    on.press("End")
    assert on.summary.startswith("Step 32:")


def test_the_disc(stage: Any) -> None:
    on = stage(ConstrainedDescent())
    on.choose("disc of radius 1")
    assert "w₀ is 0.9322 by projection" in on.summary
    on.shot("16-disc")
