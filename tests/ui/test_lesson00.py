"""Lesson 00's widget under mouse and keys: a sweep from any value, and its answers are the lesson's numbers."""

from __future__ import annotations

from typing import Any

import pytest

import autodiff_kit as ak
from autodiff_kit.widgets import JvpVjp, TapeMemory
from autodiff_kit.widgets.lesson00 import FirstTape


def to_the_end(on: Any) -> None:
    on.page.locator('[aria-label="Last step"]').click()


def cells(on: Any) -> list[str]:
    return on.page.locator(".ak-tape td.ak-rev").all_text_contents()


def test_arrows_fill_the_column_upwards(stage: Any) -> None:
    on = stage(FirstTape())
    assert cells(on) == ["", "", "", ""]
    on.page.locator(".ak-tape").focus()
    on.press("ArrowDown", "ArrowDown")
    assert cells(on) == ["", "", "12", "1"]
    assert "y moves z by 12" in (on.page.text_content(".ak-rulebox") or "")
    on.press("ArrowDown", "ArrowDown")
    assert cells(on) == ["36", "24", "12", "1"]
    assert on.summary == "One sweep from z gave dz/dy = 12, dz/db = 24, dz/da = 36."
    on.press("ArrowUp")
    assert cells(on) == ["36", "", "12", "1"]
    on.shot("00-step")


def test_a_sweep_from_the_middle_leaves_what_comes_after_it_none(stage: Any) -> None:
    on = stage(FirstTape())
    on.choose("y")
    to_the_end(on)
    assert cells(on) == ["3", "2", "1", "None"]
    assert on.summary == "One sweep from y gave dy/db = 2, dy/da = 3. z does not lead to y: None."
    on.shot("00-middle")


def test_numbers_move_and_the_sweep_stays(stage: Any) -> None:
    on = stage(FirstTape())
    to_the_end(on)
    box = on.page.locator('input[aria-label="a, as a number"]')
    box.fill("-1")
    box.press("Enter")
    on.settle()
    assert on.widget.at == [-1.0, 3.0, 1.0]
    assert cells(on) == ["−18", "6", "−6", "1"]
    assert "dz/da = −18" in on.summary


def test_the_second_answer_is_the_first_again(stage: Any) -> None:
    on = stage(FirstTape(), theme="dark")
    lines = on.page.locator(".ak-innerline")
    assert "36" not in lines.first.text_content()
    to_the_end(on)
    assert lines.first.text_content().endswith("3636")
    assert lines.last.text_content().endswith("3672")
    on.page.locator('input[aria-label="Times asked, as a number"]').fill("3")
    on.press("Enter")
    on.settle()
    assert lines.last.text_content().endswith("3672108")
    on.shot("00-again-dark")


@pytest.mark.parametrize(
    ("kind", "label", "name", "typed", "taken"),
    [
        (FirstTape, "Times asked", "asks", "3.4", 3),
        (JvpVjp, "n, inputs", "n", "7.5", 8),
        (JvpVjp, "m, outputs", "m", "1.2", 1),
        (TapeMemory, "Steps", "n", "20.6", 21),
        (TapeMemory, "A checkpoint every k layers", "k", "2.5", 3),
    ],
)
def test_a_fraction_becomes_a_whole_number(
    stage: Any, kind: Any, label: str, name: str, typed: str, taken: int
) -> None:
    on = stage(kind(view="layers") if name == "k" else kind())
    on.page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    on.page.locator(f'input[aria-label="{label}, as a number"]').fill(typed)
    on.press("Enter")
    on.settle()
    assert getattr(on.widget, name) == taken
    assert on.widget.error == ""


def test_another_record_is_another_table(stage: Any) -> None:
    on = stage(FirstTape(lambda a, b, c: ak.square(a) * b + c), width=420)
    to_the_end(on)
    assert len(cells(on)) == 6
    on.choose("(a+b)²·b")
    assert len(cells(on)) == 5
    assert on.page.locator("input[aria-label='c, as a number']").count() == 0
    to_the_end(on)
    assert "dz/db = 55" in on.summary
    assert not on.overflows()
    on.shot("00-narrow")
