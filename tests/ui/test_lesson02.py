"""Lesson 02's widget under mouse and keys: point at a line, put another in its place, and the gradient comes back."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets import UnconnectedPaths

# Names and calls without arguments of the listing that stand on more than one line.
BROKEN = """() => {
  const texts = [...document.querySelectorAll(".ak-listing code")].flatMap((code) => [...code.childNodes])
    .filter((node) => node.nodeType === 3);
  return texts.flatMap((node) => [...node.textContent.matchAll(/\\w+(\\(\\))?/g)].filter((found) => {
    const range = document.createRange();
    range.setStart(node, found.index);
    range.setEnd(node, found.index + found[0].length);
    return range.getClientRects().length > 1;
  }).map((found) => found[0]));
}"""


@pytest.mark.parametrize("at", range(5))
def test_a_narrow_listing_breaks_no_name(stage: Any, at: int) -> None:
    on = stage(UnconnectedPaths(at=at, said=[3, 4, 2, 4, 5], mends=[0, 0, 0, 3, 1]), width=360)
    assert on.page.evaluate(BROKEN) == []
    assert not on.overflows()


def test_a_line_is_pointed_at_and_mended(stage: Any) -> None:
    on = stage(UnconnectedPaths())
    assert on.summary == "A: the gradient is None. Which line breaks the path?"
    assert on.page.locator(".ak-mends").is_hidden()
    assert on.page.locator(".ak-arc-rev").count() == 0  # nothing is given away
    on.page.locator('button[aria-label="Line 4 breaks the path"]').click()
    assert on.summary.endswith("The value left the record. The kernel found line 5, you said line 4.")
    assert on.page.locator(".ak-arc-rev").count() == 1
    assert on.widget.said == [4, -1, -1, -1, -1]
    on.press("ArrowDown", "ArrowDown", "ArrowDown")  # the focus went on to the other lines
    assert "with “p = a”, the gradient is 12. They are connected." in on.summary
    assert on.page.locator(".ak-arc-rev").count() == 5
    on.shot("02-mended")


def test_the_lessons_numbers_by_keys(stage: Any) -> None:
    on = stage(UnconnectedPaths(), theme="dark", width=420)
    on.page.locator('[role=radio][aria-checked="true"]').focus()
    on.press("End")
    assert "E: the gradient is [6, None]." in on.summary
    none = on.page.locator("button:text-is('No line is to blame')")
    none.focus()
    on.press("Enter")
    assert "The kernel found no line, you said no line." in on.summary
    on.press("ArrowDown")
    assert "the gradient is [6, 0]. The variable was not used on this tape." in on.summary
    assert on.widget.mends == [0, 0, 0, 0, 1]
    assert not on.overflows()
    on.page.locator(".ak-twin summary").click()
    assert "[6, 0]" in (on.page.text_content(".ak-twin tbody") or "")
    on.shot("02-narrow-dark")


def test_a_program_is_begun_again(stage: Any) -> None:
    on = stage(UnconnectedPaths(at=3, said=[-1, -1, -1, 4, -1], mends=[0, 0, 0, 2, 0]))
    assert "D: with “b = a - (a - ak.floor(a))”, the gradient is 0." in on.summary
    on.page.locator("button:text-is('Begin again')").click()
    assert on.summary == "D: the gradient is None. Which line breaks the path?"
    assert on.page.evaluate("document.activeElement.dataset.line") == "1"
    on.press("Enter")
    assert "you said line 1" in on.summary
