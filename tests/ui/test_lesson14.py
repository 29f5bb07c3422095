"""Lesson 14's widget under mouse and keys: gradients are painted, steps carry on."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson14 import MomentumSteps

STRIP = "[aria-roledescription='strip of gradients']"


def test_it_opens_at_the_lessons_number(stage: Any) -> None:
    on = stage(MomentumSteps())
    assert "step 3: the gradient is 1, the step −0.2710, of which −0.1710 is carried over" in on.summary
    assert "moves −2.4390 further, to −3.0000" in on.summary
    assert "ends at −3.0000" in on.page.text_content(".ak-plot svg")
    on.shot("14-open")


def test_keys_paint_and_the_roll_changes(stage: Any) -> None:
    on = stage(MomentumSteps())
    on.page.locator(STRIP).focus()
    on.press("0")
    on.settle()
    assert on.widget.grads[:4] == [1.0, 1.0, 0.0, 0.0]
    assert "the gradient is 0, the step −0.1710, of which −0.1710 is carried over" in on.summary
    on.press("ArrowLeft", "n")
    on.settle()
    assert on.widget.grads[:3] == [1.0, None, 0.0]
    assert "step 2: the gradient is None, and no step is taken" in on.summary
    on.choose("−1")
    on.page.locator(STRIP).focus()
    on.press(" ")
    on.settle()
    assert on.widget.grads[1] == -1.0
    assert "the step 0.0100, of which −0.0900 is carried over" in on.summary
    assert "moves 0.0900 further, to 0" in on.summary  # and not to the speck that the last step leaves
    on.shot("14-brake")


def test_the_mouse_paints_on_the_strip_and_moves_the_cursor_below_it(stage: Any) -> None:
    on = stage(MomentumSteps())
    on.choose("1")
    box = on.page.locator(".ak-plot svg").bounding_box()
    cell = (box["width"] - 78 - 24) / 24
    middle = lambda k: box["x"] + 78 + (k + 0.5) * cell  # noqa: E731
    on.page.mouse.move(middle(3), box["y"] + 15)
    on.page.mouse.down()
    on.page.mouse.move(middle(5), box["y"] + 15, steps=4)
    on.page.mouse.up()
    on.settle()
    assert on.widget.grads[:7] == [1.0] * 6 + [0.0]
    on.page.mouse.click(middle(10), box["y"] + 150)
    assert "step 11: the gradient is 0" in on.summary
    assert on.widget.grads[:7] == [1.0] * 6 + [0.0]


def test_starting_points_and_optimizers(stage: Any) -> None:
    on = stage(MomentumSteps(), theme="dark")
    for start in ("1 1 1, then None", "there and back", "to and fro", "always 1"):
        on.page.get_by_role("button", name=start, exact=True).click()
        on.settle()
        on.shot(f"14-{start.replace(' ', '-').replace(',', '')}")
    assert on.widget.grads == [1.0] * 24
    for label in ("SGD", "Nesterov", "RMSProp", "Adam"):
        on.choose(label)
        assert on.summary.startswith(f"{label}, step 3")
        on.shot(f"14-{label}")


def test_the_memory(stage: Any) -> None:
    on = stage(MomentumSteps())
    on.page.locator("input[type=range]").first.focus()
    on.press("Home")
    assert "of which 0.0000 is carried over" in on.summary
    assert "with zeros from here on it stays there" in on.summary
    assert "keeps none" in on.page.text_content(".ak-plot svg")


def test_readings_stand_at_the_cursor(stage: Any) -> None:
    """The slot, the step and the weight, at the first step and at the last, where there is no room at the right."""
    on = stage(MomentumSteps())
    middle = "document.querySelector('.ak-plot .ak-cell').getBoundingClientRect().left"
    away = f"""[...document.querySelectorAll('[data-reading]')].map((one) => one.getBoundingClientRect())
      .map((box) => Math.max(box.left - {middle}, {middle} - box.right))"""
    on.page.locator(STRIP).focus()
    for key in ("Home", "End"):
        on.press(key)
        on.settle()
        found = on.page.evaluate(away)
        assert len(found) == 3
        assert max(found) < 45, (key, found)
