"""Lesson 14's widget under mouse and keys: gradients are painted, steps carry on."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson14 import MomentumSteps

STRIP = "[aria-roledescription='strip of gradients']"
SCRUBBER = "[aria-label='Cursor: step'][type=range]"
READING = "[data-reading='0']"
# px between the cursor and the words that are read at it
AWAY = """[...document.querySelectorAll("[data-reading]")].map((one) => one.getBoundingClientRect()).map((box) => {
  const x = document.querySelector("[data-cursor]").getBoundingClientRect().left;
  return Math.max(box.left - x, x - box.right);
})"""
# px between the cursor and the middle of the scrubber's thumb, which is 16 px wide
OFF_THE_CURSOR = """range => {
  const box = range.getBoundingClientRect();
  const line = document.querySelector("[data-cursor]").getBoundingClientRect();
  const thumb = box.left + 8 + (range.value / range.max) * (box.width - 16);
  return Math.abs(line.left + line.width / 2 - thumb);
}"""


def test_it_opens_at_the_lessons_number(stage: Any) -> None:
    on = stage(MomentumSteps())
    assert "step 3: the gradient is 1, the step −0.2710, of which −0.1710 is carried over" in on.summary
    assert "moves −2.4390 further, to −3.0000" in on.summary
    assert "ends at −3.0000" in on.page.text_content("[data-rest]")
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
    box = on.page.locator(".ak-stage .ak-scrub-pad").bounding_box()
    middle = lambda k: box["x"] + (k + 0.5) * box["width"] / 24  # noqa: E731
    strip = on.page.locator(STRIP).bounding_box()
    on.page.mouse.move(middle(3), strip["y"] + 15)
    on.page.mouse.down()
    on.page.mouse.move(middle(5), strip["y"] + 15, steps=4)
    on.page.mouse.up()
    on.settle()
    assert on.widget.grads[:7] == [1.0] * 6 + [0.0]
    on.page.mouse.click(middle(10), box["y"] + 100)
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
    on.page.get_by_label("momentum b", exact=True).focus()
    on.press("Home")
    assert "of which 0.0000 is carried over" in on.summary
    assert "with zeros from here on it stays there" in on.summary
    assert "no slot" in on.page.text_content(READING)


def test_readings_stand_at_the_cursor_and_the_scrubber_below_it(stage: Any) -> None:
    """At the first step and at the last, where there is no room at the right, in a wide and in a narrow window."""
    on = stage(MomentumSteps())
    on.page.emulate_media(reduced_motion="reduce")  # it stands where it belongs at once
    for width in (820, 420):
        on.width(width)
        on.page.locator(SCRUBBER).focus()
        for key, w in (("Home", "w = −0.1000 u = 1.0000"), ("End", "w = −2.7331 u = 0.2965")):
            on.press(key)
            on.settle()
            assert on.page.text_content(READING).replace("\u2002", " ") == w
            assert max(on.page.evaluate(AWAY)) < 20, (width, key)
            assert on.page.locator(SCRUBBER).evaluate(OFF_THE_CURSOR) < 1, (width, key)


def drops(on: Any, kind: str) -> list[float]:
    """Heights of the bars of one kind, in px, from the left."""
    boxes = "all => all.map((one) => Number(one.getAttribute('height')))"
    return [float(height) for height in on.page.locator(f"[data-drop={kind}]").evaluate_all(boxes)]


def test_each_step_is_a_drop_and_hollow_drops_lie_ahead(stage: Any) -> None:
    on = stage(MomentumSteps())
    carried, own, ahead = (drops(on, kind) for kind in ("carried", "own", "ahead"))
    assert (len(carried), len(own), len(ahead)) == (2, 3, 21)  # the first step carries nothing
    unit = own[0] / 0.1
    assert [height / unit for height in (*carried, *own, *ahead[:2])] == pytest.approx(
        [0.09, 0.171, 0.1, 0.1, 0.1, 0.2439, 0.21951], rel=1e-3
    )
    on.page.emulate_media(reduced_motion="reduce")
    on.page.locator(SCRUBBER).focus()
    on.press("ArrowRight")
    on.settle()
    assert drops(on, "carried")[2] == pytest.approx(ahead[0])  # a zero does what was foreseen
    assert len(drops(on, "ahead")) == 20


def test_a_step_falls_in_its_two_parts(stage: Any) -> None:
    """What is carried over falls first; the own part follows it, and meanwhile the way ahead bends."""
    on = stage(MomentumSteps(at=1), own=True)
    on.frame_by_frame()
    on.page.evaluate("""() => {
      window.seen = [];
      const all = (kind) => [...document.querySelectorAll(`[data-drop=${kind}]`)];
      const last = () => Number(all("carried").at(-1)?.getAttribute("height"));
      new MutationObserver(() => seen.push([all("carried").length, all("own").length, last()]))
        .observe(document.querySelector(".ak-stage"), { childList: true, subtree: true });
    }""")
    on.page.locator(SCRUBBER).focus()
    on.press("ArrowRight")
    on.page.wait_for_function(
        "seen.length && seen.at(-1)[1] === 3 && document.querySelectorAll('[data-drop=ahead]').length === 21"
    )
    on.page.wait_for_function("new Set(seen.map(([, , height]) => height)).size > 3")
    frames = on.page.evaluate("seen")
    assert any(carried == 2 and own == 2 for carried, own, _ in frames)  # the carried part is on its way alone


def test_it_fits_one_screen(stage: Any) -> None:
    on = stage(MomentumSteps(), width=820)
    title, twin = (on.page.locator(part).bounding_box() for part in (".ak-title", ".ak-twin"))
    assert twin["y"] + twin["height"] - title["y"] <= 640
