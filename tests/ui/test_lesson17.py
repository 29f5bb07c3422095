"""Lesson 17's widget under mouse and keys: arrows and circle are moved, and both means follow."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson17 import GradientClipping

BEFORE, AFTER = "Clip, then mean: [−0.5333, −0.6000]", "Mean, then clip: [−0.5547, −0.8321]"


def tip(on: Any, name: str) -> Any:
    return on.page.locator(f"[role=slider][aria-label^='Tip of arrow {name}']")


def test_it_opens_with_the_lessons_number(stage: Any) -> None:
    on = stage(GradientClipping())
    assert BEFORE in on.summary
    assert f"{AFTER}, 7.9° apart. 3 of 3 gradients are clipped." in on.summary
    assert "c × 0.1" in (on.page.locator("svg").nth(1).text_content() or "")
    on.shot("17-open")


def test_an_arrow_by_keys(stage: Any) -> None:
    on = stage(GradientClipping())
    tip(on, "a").focus()
    on.press("ArrowUp", "ArrowRight")
    on.settle()
    assert on.widget.X[0] == [0.5, -0.5]  # its gradient is (−1, 1) now
    assert tip(on, "a").get_attribute("aria-valuetext") == "−1, 1"
    on.press("0")
    assert "2 of 3 gradients are clipped" in on.summary
    assert on.widget.rows[0] == {"gradient": [0.0, 0.0], "length": 0.0, "factor": 1.0, "clipped": [0.0, 0.0]}
    assert on.page.locator("svg").first.locator("rect").count() == 1  # a zero is a small square
    assert tip(on, "a").evaluate("node => node === document.activeElement")
    on.shot("17-zero")


def test_an_arrow_by_mouse_moves_one_mean_and_not_the_other(stage: Any) -> None:
    on = stage(GradientClipping(), theme="dark")
    handle = tip(on, "c")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    origin = on.page.locator("svg circle.ak-cell").first.bounding_box()
    cx, cy = origin["x"] + origin["width"] / 2, origin["y"] + origin["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(cx + (x - cx) / 2, cy + (y - cy) / 2, steps=3)
    on.page.mouse.up()
    assert BEFORE in on.summary  # (−3, −4) is cut to the same arrow as (−6, −8)
    assert AFTER not in on.summary
    assert on.widget.X[2] == [1.5, 2.0]
    on.shot("17-dragged")


def test_the_circle_by_keys_mouse_and_slider(stage: Any) -> None:
    on = stage(GradientClipping())
    rim = on.page.locator("[role=slider][aria-label='Clipping radius C']")
    rim.focus()
    on.press("ArrowRight", "PageUp")
    on.settle()
    assert on.widget.C == 2.25
    on.press("End")
    assert "none is longer than C, and the order does not matter" in on.summary
    assert on.widget.clip_mean == on.widget.mean_clip
    on.press("Home")
    on.settle()
    assert on.widget.C == 0.25
    box = on.page.locator("svg circle.ak-cell").first.bounding_box()
    cx, cy = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    at = rim.locator("circle").nth(2).bounding_box()
    on.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    on.page.mouse.down()
    on.page.mouse.move(cx + 60, cy - 60, steps=4)
    on.page.mouse.up()
    on.settle()
    assert 4 < on.widget.C < 6
    number = on.page.locator("input[type=number]")
    number.fill("4")
    number.press("Enter")
    on.settle()
    assert on.widget.C == 4
    on.shot("17-four")


@pytest.mark.parametrize("X", [[[0.5, 0], [0.5, 0], [0.5, 0]], [[5, 5], [-5, -5], [5, -5]], [[0, 0], [0, 0], [0, 0]]])
def test_no_words_leave_the_plane_and_none_cover_each_other(stage: Any, X: list[list[float]]) -> None:
    on = stage(GradientClipping(X=X), width=360)
    assert not on.overflows()
    found = on.page.locator("svg").evaluate_all("""figures => figures.map((figure) => {
      const frame = figure.getBoundingClientRect();
      const boxes = [...figure.querySelectorAll("text.ak-in-rev")].map((text) => text.getBoundingClientRect());
      const out = boxes.filter((b) => b.left < frame.left - 1 || b.right > frame.right + 1).length;
      const over = boxes.filter((a, i) => boxes.slice(0, i).some((b) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3)).length;
      return [out, over];
    })""")
    assert found == [[0, 0], [0, 0]]
    on.shot(f"17-edge-{X[0][0]:g}-{X[1][0]:g}")
