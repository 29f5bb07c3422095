"""Lesson 17's widget under mouse and keys: arrows and circle are moved, and both means follow."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson17 import GradientClipping

BEFORE, AFTER = "Clip, then mean: [−0.5333, −0.6000]", "Mean, then clip: [−0.5547, −0.8321]"


def tip(on: Any, name: str) -> Any:
    return on.page.locator(f"[role=slider][aria-label^='Tip of arrow {name}']")


def labels(on: Any) -> set[str]:
    return set(on.page.locator("[data-part=words] text").all_text_contents())


def test_it_opens_with_the_lessons_number(stage: Any) -> None:
    on = stage(GradientClipping())
    assert BEFORE in on.summary
    assert f"{AFTER}, 7.9° apart. 3 of 3 gradients are clipped." in on.summary
    assert labels(on) >= {"a, 2 long", "C = 1", "c × 0.1", "7.9°", "clip, then mean", "mean, then clip"}
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
    assert on.page.locator("[data-part=plane] rect").count() == 1  # a zero is a small square
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


# Where the corners of a triangle are drawn, and its centre, in the plane.
CORNERS = """() => [...document.querySelectorAll("[data-part=plane] polygon")].map((one) =>
  [...one.points].map((at) => [at.x, at.y]))"""
CENTRE = """() => {
  const dot = [...document.querySelectorAll("[data-part=plane] .ak-stroke-value")].filter((one) => one.cx).at(-1);
  return [dot.cx.baseVal.value, dot.cy.baseVal.value];
}"""


def test_the_steps_by_keys_and_the_mean_is_the_centre_of_the_triangle(stage: Any) -> None:
    on = stage(GradientClipping(step=0))
    on.page.emulate_media(reduced_motion="reduce")
    assert on.summary == "The gradients are 2, 4 and 10 long. Their mean is [−2.6667, −4.0000], 4.8074 long."
    said = [
        "3 of 3 gradients are longer than C = 1 and are cut to the circle. Their directions stay.",
        "Clip, then mean: [−0.5333, −0.6000], 0.8028 long, the centre of the small triangle.",
        f"{BEFORE}. {AFTER}, 7.9° apart. 3 of 3 gradients are clipped.",
    ]
    on.page.locator("input[aria-label='Steps of clipping and averaging']").focus()
    for step, sentence in enumerate(said, 1):
        on.press("ArrowRight")
        assert on.summary == sentence
        assert on.widget.step == step
        corners, centre = on.page.evaluate(CORNERS)[-1], on.page.evaluate(CENTRE)
        assert centre == pytest.approx([sum(one[k] for one in corners) / 3 for k in range(2)], abs=0.01)
        on.shot(f"17-step-{step}")


WATCHED = """() => {
  const seen = new Set();
  const look = () => seen.add(document.querySelector("[data-part=plane] polygon:last-of-type").getAttribute("points"));
  look();
  document.querySelector("[aria-label='Step']").click();
  return new Promise((done) => {
    const began = performance.now();
    const again = () => { look(); performance.now() - began < 600 ? requestAnimationFrame(again) : done(seen.size); };
    requestAnimationFrame(again);
  });
}"""


@pytest.mark.parametrize("calm", [False, True])
def test_tips_slide_onto_the_circle_or_jump_where_motion_is_not_wanted(stage: Any, calm: bool) -> None:
    on = stage(GradientClipping(step=0), own=True)
    on.frame_by_frame()
    if calm:
        on.page.emulate_media(reduced_motion="reduce")
    places = on.page.evaluate(WATCHED)
    assert places == 2 if calm else places > 3


def test_controls_picture_and_sentence_fit_one_screen(stage: Any) -> None:
    on = stage(GradientClipping(), width=800)
    top, bottom = (on.page.locator(one).first.bounding_box() for one in (".ak-stage", ".ak-summary"))
    assert bottom["y"] + bottom["height"] - top["y"] <= 640


FAULTS_OF_LABELS = """() => {
  const frame = document.querySelector("[data-part=words]").ownerSVGElement.getBoundingClientRect();
  const boxes = [...document.querySelectorAll("[data-part=words] text")].map((text) => text.getBoundingClientRect());
  const out = boxes.filter((b) => b.left < frame.left - 1 || b.right > frame.right + 1).length;
  const over = boxes.filter((a, i) => boxes.slice(0, i).some((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3)).length;
  return [out, over];
}"""


@pytest.mark.parametrize(
    ("X", "C"),
    [
        ([[1, 0], [0, 2], [3, 4]], 1.0),
        ([[1, 0], [0, 2], [3, 4]], 10.0),
        ([[0.5, 0], [0.5, 0], [0.5, 0]], 1.0),
        ([[5, 5], [-5, -5], [5, -5]], 4.0),
        ([[0, 0], [0, 0], [0, 0]], 0.25),
    ],
)
def test_no_words_leave_the_picture_and_none_cover_each_other(stage: Any, X: list[list[float]], C: float) -> None:
    on = stage(GradientClipping(X=X, C=C), width=360)
    for width in (360, 620, 800):
        on.width(width)
        assert not on.overflows()
        assert on.page.evaluate(FAULTS_OF_LABELS) == [0, 0]
        on.shot(f"17-labels-{X[0][0]:g}-{C:g}-{width}")
