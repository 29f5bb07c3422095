"""Lesson 13's widget under mouse and keys: nodes in lanes over the steps, and layers against time."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson13 import TapeMemory

TIME = "[aria-label='How far it has run'][type=range]:visible"
LANES = "[role=radiogroup] [role=radio][aria-label*='nodes alive']"
# px between the cursor of the picture and the middle of the scrubber's thumb, which is 16 px wide
OFF_THE_CURSOR = """range => {
  const box = range.getBoundingClientRect();
  const thumb = box.left + 8 + (range.value / range.max) * (box.width - 16);
  const lines = [...document.querySelectorAll("[data-cursor]")].map((one) => one.getBoundingClientRect());
  return lines.filter((line) => line.height).map((line) => Math.abs(line.left + line.width / 2 - thumb));
}"""

# Which lanes' names a part of the cursor runs through.
CROSSED_NAMES = """cursor => {
  const texts = [...cursor.parentElement.querySelectorAll("text:not([data-reading])")];
  const names = texts.map((one) => [one.textContent, one.getBBox()]);
  const spots = Array.from({ length: 500 }, (_, k) => cursor.getPointAtLength((k / 499) * cursor.getTotalLength()));
  const within = (b) => ({ x, y }) => x > b.x && x < b.x + b.width && y > b.y + 1 && y < b.y + b.height - 1;
  return { names: names.length, crossed: names.filter(([, box]) => spots.some(within(box))).map(([name]) => name) };
}"""


def readings(on: Any) -> list[str]:
    return [text.strip() for text in on.page.locator("[data-reading]:visible").all_text_contents()]


def squares(on: Any, kind: str) -> list[int]:
    """How many squares each lane has of one kind."""
    paths = on.page.locator(f"[data-nodes={kind}]")
    return [
        int(count) for count in paths.evaluate_all("all => all.map((p) => p.getAttribute('d').split('M').length - 1)")
    ]


def test_something_is_drawn_before_the_first_click(stage: Any) -> None:
    on = stage(TapeMemory())
    assert readings(on) == ["120 nodes", "96 nodes", "120 nodes", "5 nodes"]
    assert squares(on, "alive") == [120, 96, 120, 5]
    assert squares(on, "dropped") == [0, 0, 0, 115]
    on.shot("13-open")


def test_time_runs_by_keys(stage: Any) -> None:
    on = stage(TapeMemory())
    on.page.locator(TIME).focus()
    on.press("Home")
    assert on.summary == "Nothing has run yet. Press Play, or move the cursor."
    on.press("ArrowRight", "ArrowRight")
    assert on.summary == "After 2 of 100 steps the one tape holds 10 nodes, all 5 of every step."
    on.press("End")
    assert on.summary.startswith("After 100 steps the one tape holds 500 nodes")
    assert "1600 bytes" in on.summary
    assert on.page.evaluate("model.get('asked')") == 0  # a cursor asks for no new numbers


def test_lanes_are_chosen_by_keys_and_by_a_press_which_also_moves_the_cursor(stage: Any) -> None:
    on = stage(TapeMemory(), theme="dark")
    code = on.page.locator("pre")
    assert code.text_content().splitlines()[0] == "with ak.GradientTape() as tape:"
    on.page.locator(LANES).first.focus()
    on.press("ArrowDown", "ArrowDown")
    assert on.widget.place == "list"
    assert "the list holds the tapes of all steps, with 120 nodes together" in on.summary
    assert "tapes.append(tape)" in code.text_content()
    assert on.page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    last = on.page.locator(LANES).last.locator("rect").first.bounding_box()
    on.page.mouse.click(last["x"] + last["width"] / 2, last["y"] + 10)
    on.still()
    assert (on.widget.place, on.widget.at) == ("step", 50)
    assert "only the newest tape is alive, with 5 nodes" in on.summary
    on.shot("13-lanes")


@pytest.mark.parametrize("view", ["steps", "layers"])
def test_the_scrubber_stands_below_the_cursor(stage: Any, view: str) -> None:
    on = stage(TapeMemory(view=view))
    for width in (820, 420):
        on.width(width)
        for key in ("Home", "PageUp", "End"):
            on.page.locator(TIME).focus()
            on.press(key)
            (apart,) = on.page.locator(TIME).evaluate(OFF_THE_CURSOR)
            assert apart < 1, (width, key)


def test_the_cursor_leaves_the_names_of_the_lanes_free(stage: Any) -> None:
    on = stage(TapeMemory(at=20))
    crossed = on.page.locator("[data-cursor]").first.evaluate(CROSSED_NAMES)
    assert crossed == {"names": 4, "crossed": []}


def test_marks_every_k_layers(stage: Any) -> None:
    on = stage(TapeMemory())
    on.choose("layers of one step")
    assert readings(on) == ["17 held"]
    held = on.page.locator("[data-held]")
    assert held.get_attribute("data-held") == "17"
    assert "190 calls, and 19 values at most" in on.summary
    on.shot("13-layers")
    slider = on.page.locator("[role=slider][aria-label='layers between checkpoints']")
    slider.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.k == 11
    assert on.page.locator(TIME).evaluate("range => range.value") == "130"  # the cursor stays for the comparison
    on.page.get_by_label("A checkpoint every k layers", exact=True).focus()
    on.press("Home")
    on.settle()
    on.page.locator(TIME).focus()
    on.press("End")
    assert "a checkpoint every 1: 100 calls of a layer, and 100 values held" in on.summary
    on.press("ArrowLeft")
    assert "differentiated, and its input dropped" in on.summary


def test_it_plays(stage: Any) -> None:
    on = stage(TapeMemory(n=20, at=0))
    on.page.locator("button[aria-label='Play']:visible").click()
    ended = "document.querySelector('.ak-summary').textContent.startsWith('After 20 steps')"
    on.page.wait_for_function(ended, timeout=10_000)
    assert readings(on) == ["100 nodes", "80 nodes", "100 nodes", "5 nodes"]


@pytest.mark.parametrize("view", ["steps", "layers"])
def test_it_fits_one_screen(stage: Any, view: str) -> None:
    on = stage(TapeMemory(view=view), width=820)
    title, twin = (on.page.locator(part).bounding_box() for part in (".ak-title", ".ak-twin"))
    assert twin["y"] + twin["height"] - title["y"] <= 640
