"""Lesson 18's widget under mouse and keys: widths and switches change, and the cost follows."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson18 import BackwardCost


def test_it_opens_with_the_lessons_number(stage: Any) -> None:
    on = stage(BackwardCost())
    assert "2240 operations forward, 3840 backward: 1.714 times as many." in on.summary
    on.shot("18-open")


def pressed(on: Any) -> list[str]:
    return on.page.locator("button[aria-pressed=true]").all_text_contents()


def test_what_is_asked_for_by_mouse_and_keys(stage: Any) -> None:
    on = stage(BackwardCost())
    assert pressed(on) == ["W1", "W2", "W3"]
    on.page.locator("button:text-is('x')").click()
    assert "4480 backward: 2.000 times as many." in on.summary
    for name in ("x", "W1"):
        on.page.locator(f"button:text-is('{name}')").focus()
        on.press("Enter")
        on.settle()
    assert on.widget.wanted == [False, False, True, True]
    assert "The backward pass ends 1 line early, because no gradient before it is wanted." in on.summary
    assert on.page.locator(".ak-stage svg .ak-none-box").count() == 3  # two for the first line, one before the second
    on.shot("18-frozen")
    for name in ("W2", "W3"):
        on.page.locator(f"button:text-is('{name}')").click()
        on.settle()
    assert "2240 operations forward, none backward: no gradient is asked for." in on.summary


def test_widths_by_keys_and_by_number(stage: Any) -> None:
    on = stage(BackwardCost(), theme="dark")
    on.page.locator("input[type=range]").first.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.sizes == [5, 8, 8, 2]
    assert "2400 operations forward, 4000 backward: 1.667 times" in on.summary
    box = on.page.locator("input[type=number]").last
    box.fill("20")
    box.press("Enter")
    on.settle()
    assert on.widget.batch == 20
    assert "4800 operations forward, 8000 backward: 1.667 times" in on.summary
    on.shot("18-widths")


def test_the_other_program(stage: Any) -> None:
    on = stage(BackwardCost())
    on.choose("biases, tanh and a loss")
    rows = on.page.locator(".ak-twin tbody tr")
    codes = rows.locator("th").all_text_contents()[:-1]
    assert codes == ["h = ak.tanh(x @ W1 + b1)", "h = ak.tanh(h @ W2 + b2)", "y = h @ W3 + b3", "loss = ak.mean(y**2)"]
    assert "2620 operations forward, 4603 backward: 1.757 times as many." in on.summary
    assert rows.nth(1).locator("td").nth(2).text_content() == "h, W2 and b2"


def test_lines_run_forward_and_then_back(stage: Any) -> None:
    on = stage(BackwardCost(step=0))
    assert on.summary == "Nothing has run yet. Press play."
    on.page.emulate_media(reduced_motion="reduce")
    on.page.locator("[aria-label^='Lines that have run'][type=range]").focus()
    on.press("ArrowRight", "ArrowRight")
    assert on.summary == "Forward, h = h @ W2: 1280 operations."
    on.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert on.summary == "Backward through h = h @ W2: 2560 operations, for the gradient of h and W2."
    assert "3200" in on.page.locator(".ak-stage svg text").all_text_contents()  # what has come together so far
    on.press("End")
    assert "3840 = 1.714×" in on.page.locator(".ak-stage svg text").all_text_contents()
    on.shot("18-steps")


def test_controls_picture_and_sentence_fit_one_screen(stage: Any) -> None:
    on = stage(BackwardCost(), width=800)
    top, bottom = (on.page.locator(one).first.bounding_box() for one in (".ak-stage", ".ak-summary"))
    assert bottom["y"] + bottom["height"] - top["y"] <= 640
