"""Lesson 08's widget under mouse and keys: logits that move, a label that is chosen, a level that changes nothing."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson08 import LogitBars

LESSON = "The loss is 1.4076. The gradient is p − 1 at class 1, which is −0.7553, and p at the others; it sums to 0."


def test_the_lessons_number_and_a_logit_moved_by_keys(stage: Any) -> None:
    on = stage(LogitBars())
    assert on.summary == LESSON
    assert "= loss1.4076" in (on.page.text_content(".ak-figures") or "")
    on.shot("08-first")
    on.page.locator("[role=slider][aria-label='logit of class 1']").focus()
    on.press("PageUp", "PageUp", "ArrowUp")
    on.settle()
    assert on.widget.logits == [0.0, 3.25, 2.0]
    assert "sums to 0" in on.summary
    on.press("Home")
    on.settle()
    assert on.widget.logits == [0.0, -4.0, 2.0]
    on.shot("08-keys")


def test_a_logit_is_dragged(stage: Any) -> None:
    on = stage(LogitBars())
    grip = on.page.locator("[role=slider][aria-label='logit of class 0']").bounding_box()
    track = on.page.locator("line[stroke-dasharray]").first.bounding_box()  # from -4 to 4
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x, y - 3 * track["height"] / 8, steps=5)
    on.page.mouse.up()
    on.settle()
    assert on.widget.logits == [3.0, 1.0, 2.0]
    assert "The loss is 2.4076." in on.summary


def test_the_label_is_chosen(stage: Any) -> None:
    on = stage(LogitBars(), theme="dark")
    on.page.locator("[role=radio][aria-label='class 2']").click()
    assert on.summary.startswith("The loss is 0.4076.")
    on.shot("08-label")
    on.press("ArrowRight")
    on.settle()
    assert on.widget.label == 0
    assert on.summary.startswith("The loss is 2.4076.")
    assert on.page.evaluate("document.activeElement.getAttribute('aria-label')") == "class 0"


def test_a_level_changes_nothing_but_the_steps(stage: Any) -> None:
    on = stage(LogitBars())
    box = on.page.locator("input[type=number]").first
    box.fill("1000")
    box.press("Enter")
    assert on.summary == LESSON
    assert "1002.4076" in (on.page.text_content(".ak-figures") or "")
    on.shot("08-level")
    on.choose("step by step")
    assert "At the level 1000 the exponentials overflow or underflow: the loss is NaN" in on.summary
    bill = on.page.locator(".ak-figures").first.locator("div").all_text_contents()
    assert bill == ["Σ exp(z)∞", "p = exp(z) ÷ Σ, at the labelNaN", "−log p = lossNaN"]
    assert "p = e / sum(e)" in (on.page.text_content(".ak-stage code") or "")
    on.shot("08-steps")
    box.fill("0")
    box.press("Enter")
    assert on.summary == LESSON


def test_more_classes(stage: Any) -> None:
    on = stage(LogitBars(label=2))
    on.choose("5")
    assert on.widget.logits == [0.0, 1.0, 2.0, 0.0, 0.0]
    assert on.page.locator("[aria-label^='logit of class']").count() == 5
    on.shot("08-five")
    on.page.locator("[role=radio][aria-label='class 4']").click()
    on.settle()
    on.choose("3")
    assert on.widget.label == 2
    assert on.page.locator("[aria-label^='logit of class']").count() == 3
    assert on.summary.startswith("The loss is 0.4076.")
