"""Lesson 18's widget under mouse and keys: widths and switches change, and the cost follows."""

from __future__ import annotations

from typing import Any

import pytest

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
    assert on.page.locator(".ak-bill tbody tr").first.locator("td").nth(2).text_content() == "nothing"
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
    codes = on.page.locator(".ak-bill tbody th").all_text_contents()
    assert codes == ["h = ak.tanh(x @ W1 + b1)", "h = ak.tanh(h @ W2 + b2)", "y = h @ W3 + b3", "loss = ak.mean(y**2)"]
    assert "2620 operations forward, 4603 backward: 1.757 times as many." in on.summary
    assert on.page.locator(".ak-bill tbody tr").nth(1).locator("td").nth(2).text_content() == "h, W2 and b2"
    widths = on.page.locator(".ak-bill rect").evaluate_all(
        "bars => bars.map((bar) => bar.getBoundingClientRect().width)"
    )
    assert max(widths) == pytest.approx(widths[3])  # the second line's way back is the longest bar
