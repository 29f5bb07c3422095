"""The four widgets under mouse and keys: numbers and pictures change, and they are the lessons' numbers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from autodiff_kit.widgets import AdamSlots, FloorDescent, JvpVjp, MaskedAttention
from autodiff_kit.widgets.lesson15 import COUNT


def centre(on: Any, selector: str) -> tuple[float, float]:
    box = on.page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# ------------------------------------------------------------------------------------------------------------ lesson 01
def handle(on: Any, name: str) -> Any:
    return on.page.locator(f"[role=slider][aria-label^='{name},']:visible")


def to_the_end(on: Any) -> None:
    on.page.locator('[aria-label="Last step"]').click()
    on.settle()


def test_it_opens_with_an_operation_that_has_run(stage: Any) -> None:
    on = stage(JvpVjp())
    assert on.summary == "x0·x1: 3·1 + 2·2 = 7: what its two wires bring, added."
    assert on.page.locator("svg path.ak-stroke-fwd").count() > 3


def test_a_push_and_a_pull_agree_on_one_number(stage: Any) -> None:
    on = stage(JvpVjp())
    assert "18" not in (on.page.text_content(".ak-inners") or "")
    to_the_end(on)
    assert "Jv = (7, −5, 3)" in on.summary
    on.choose("← pull u")
    assert on.widget.step == 1
    assert on.summary == "s + x2 holds 2 and sends back 1·2 = 2 to s; 1·2 = 2 to x2."
    on.press("Tab")
    to_the_end(on)
    assert "uJ = (11, 3, −1)" in on.summary
    assert "Both inner products are 18" in on.summary
    on.shot("01-both")


def test_a_join_says_what_was_there_before(stage: Any) -> None:
    on = stage(JvpVjp(sweep="reverse", step=2))
    assert "3·(−1) = −3 to x2, which has 2 and now −1" in on.summary


def test_the_double_pull_gives_jv(stage: Any) -> None:
    on = stage(JvpVjp())
    on.choose("pull twice")
    to_the_end(on)
    assert "Two pulls and no push gave Jv = (7, −5, 3)" in on.summary
    on.shot("01-double")


def test_ribbons_grow_on_the_way_and_stop_at_once_without_motion(stage: Any) -> None:
    on = stage(JvpVjp(step=0), own=True)
    on.frame_by_frame()
    paths = on.page.locator("svg path.ak-stroke-fwd")
    before = paths.count()
    on.page.locator('[aria-label="Step"]').click()
    on.page.wait_for_function("document.querySelectorAll('g[pointer-events=none] text').length === 1")  # on its way
    on.page.emulate_media(reduced_motion="reduce")
    on.page.locator('[aria-label="Step"]').click()
    on.settle()
    assert on.page.locator("g[pointer-events=none] text").count() == 0
    assert paths.count() > before


def test_the_scrubber_stands_between_two_operations_while_it_is_dragged(stage: Any) -> None:
    on = stage(JvpVjp(step=0))
    scrubber = on.page.locator("[aria-label='Step of the sweep'][type=range]")
    box = scrubber.bounding_box()
    on.page.mouse.move(box["x"] + 8, box["y"] + 14)
    on.page.mouse.down()
    on.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 14, steps=4)
    on.still()
    assert on.page.locator("g[pointer-events=none] text").count() == 2
    on.page.mouse.up()
    on.settle()
    assert on.widget.step == 2


def test_a_scrubber_that_is_let_go_near_its_step_returns_to_it(stage: Any) -> None:
    on = stage(JvpVjp(step=2))
    scrubber = on.page.locator("[aria-label='Step of the sweep'][type=range]")
    box = scrubber.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x + box["width"] / 10, y, steps=4)
    assert scrubber.input_value() != "2"
    on.page.mouse.up()
    on.settle()
    assert (on.widget.step, scrubber.input_value()) == (2, "2")


def box_at_rest(node: Any, part: str) -> dict[str, float]:
    """Where a part of a picture is once it has stopped moving."""
    script = """async (node, part) => {
      const frames = async (count) => { while (count--) await new Promise(requestAnimationFrame); };
      const box = () => node.querySelector(part).getBoundingClientRect().toJSON();
      for (let before = null, now = box(); ; before = now, now = box()) {
        if (JSON.stringify(before) === JSON.stringify(now)) return now;
        await frames(8);
      }
    }"""
    return dict(node.evaluate(script, part))


def test_the_cut_is_dragged_and_keyed_and_the_sum_stays(stage: Any) -> None:
    on = stage(JvpVjp())
    on.choose("cut")
    cut = on.page.locator("[role=slider][aria-label^='Cut']")
    cut.focus()
    said = set()
    for key in ("Home", *["ArrowRight"] * 5):
        on.press(key)
        on.settle()
        said.add((cut.get_attribute("aria-valuetext") or "").split(", ")[1])
    assert said == {"sum 18"}
    assert "All pushed, nothing pulled: Jv = (7, −5, 3), and u·(Jv) = 18." in on.summary
    box = box_at_rest(cut, ".ak-ink-fill")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(40, y, steps=6)
    on.page.mouse.up()
    on.settle()
    assert on.widget.step == 0
    assert "(uJ)·v = 18" in on.summary
    on.shot("01-cut")


def test_an_arrow_is_dragged_and_keyed(stage: Any) -> None:
    on = stage(JvpVjp())
    box = handle(on, "v0").locator("circle.ak-ring").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x, y + 24, steps=6)
    on.page.mouse.up()
    on.settle()
    assert on.widget.v == [-1.0, 2.0, -1.0]
    handle(on, "v1").focus()
    on.press("0", "ArrowUp")
    handle(on, "v2").focus()
    on.press("PageUp")
    on.settle()
    assert on.widget.v == [-1.0, 1.0, 1.0]
    to_the_end(on)
    assert f"Jv = ({', '.join(f'{x:g}' for x in on.widget.jv)})".replace("-", "−") in on.summary


def test_sweeps_are_counted_again(stage: Any) -> None:
    on = stage(JvpVjp(), theme="dark")
    on.page.locator(".ak-fold summary").click()
    box = on.page.locator("input[type=number]").last
    box.fill("5")
    box.press("Enter")
    on.settle()
    assert on.widget.sweeps == [64, 5]


# ------------------------------------------------------------------------------------------------------------ lesson 06
def test_where_each_descent_ends(stage: Any) -> None:
    on = stage(FloorDescent())
    ends = {
        "none": "still 0.3",
        "straight-through": "3.1000; floor(x) was 3 after 8",
        "sigmoid": "3.5001; floor(x) was 3 after 11",
    }
    for label, words in ends.items():
        on.choose(label)
        on.page.locator('[aria-label="Last step"]').click()
        assert words in on.summary
    box = on.page.locator(".ak-side input[type=number]").first
    box.fill("15")
    box.press("Enter")
    on.settle()
    on.page.locator('[aria-label="Last step"]').click()
    assert "0.3900" in on.summary
    on.page.locator("button:has-text('Anneal')").click()
    on.settle()
    on.page.locator('[aria-label="Last step"]').click()
    assert "3.5000; floor(x) was 3 after 13" in on.summary
    on.shot("06-annealed")


def test_annealing_shows_s_over_the_steps(stage: Any) -> None:
    on = stage(FloorDescent(), theme="dark")
    lane = on.page.locator(".ak-growth")
    assert lane.is_hidden()
    on.page.locator("button:has-text('Anneal')").click()
    on.settle()
    assert lane.is_visible()
    assert "s = 1" in (lane.text_content() or "")
    places = []
    for button, s in (("Step", 1.02), ("Last step", 20.0)):
        on.page.locator(f'[aria-label="{button}"]').click()
        on.settle()
        assert f"s = {s:g}" in (lane.text_content() or "")
        places.append(centre(on, ".ak-growth circle"))
    (left, low), (right, high) = places
    assert right > left + 150  # the dot goes to the right with the steps,
    assert high < low - 20  # and up with s
    on.shot("06-growth")
    on.choose("straight-through")
    assert lane.is_hidden()


def test_s_over_the_steps_fits_a_narrow_window(stage: Any) -> None:
    on = stage(FloorDescent(anneal=True, step=200), width=360)
    assert on.page.locator(".ak-growth").is_visible()
    assert not on.overflows()
    on.shot("06-growth-360")


def test_the_figures_stay_as_they_are_beside_a_growing_list(stage: Any) -> None:
    on = stage(FloorDescent(), width=600)
    height = ".ak-figures > div"
    before = on.page.locator(height).first.bounding_box()["height"]
    for rule in ("none", "straight-through", "linear", "filter"):
        on.choose(rule)
        on.page.locator('[aria-label="Last step"]').click()
        on.settle()
    assert on.page.locator(".ak-runs tbody tr").count() == 4
    assert on.page.locator(height).first.bounding_box()["height"] == before


def test_where_the_point_has_been_is_drawn_on_the_curve(stage: Any) -> None:
    """Also after the sharpness has grown, and the curve has become another one."""
    on = stage(FloorDescent(anneal=True, step=200))
    off = """plot => {
      const curve = [...plot.querySelectorAll("path.ak-curve")].at(-1);
      const length = curve.getTotalLength();
      const points = Array.from({ length: 2000 }, (_, i) => curve.getPointAtLength((i * length) / 1999));
      const at = (dot) => [dot.cx.baseVal.value, dot.cy.baseVal.value];
      const away = (dot) => Math.min(...points.map(({ x, y }) => Math.hypot(x - at(dot)[0], y - at(dot)[1])));
      return Math.max(...[...plot.querySelectorAll("circle.ak-hollow[opacity]")].map(away));
    }"""
    assert on.page.locator(".ak-plot").first.evaluate(off) < 1.5


def test_the_point_is_dragged(stage: Any) -> None:
    on = stage(FloorDescent())
    x, y = centre(on, ".ak-plot [role=slider], [aria-label^='Point']")
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x + 120, y - 20, steps=8)
    on.page.mouse.up()
    on.settle()
    assert on.widget.start > 1.0


def test_a_slow_kernel_is_never_flooded(stage: Any) -> None:
    """A drag of forty moves asks a kernel that needs 60 ms only a few times, and the last value arrives."""
    on = stage(FloorDescent(), delay=0.06)
    slider = on.page.locator(".ak-side input[type=range]").first
    moves = """async slider => {
      for (let k = 0; k < 40; k += 1) {
        slider.stepUp();
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      return model.get("s");
    }"""
    last = slider.evaluate(moves)
    on.settle()
    assert on.widget.s == last
    assert 1 < on.questions < 20


def test_what_is_being_typed_stays_when_an_answer_comes(stage: Any) -> None:
    on = stage(FloorDescent())
    on.page.locator(".ak-side input[type=number]").focus()
    on.press("Control+A", "1")
    on.page.locator('[role=radio]:text-is("linear")').evaluate("button => button.click()")  # the box keeps the focus
    on.settle()
    on.press("5", "Enter")
    on.settle()
    assert on.widget.s == 15
    assert on.widget.rule == "linear"


# ------------------------------------------------------------------------------------------------------------ lesson 09
def test_masks_are_clicked_and_designs_compared(stage: Any) -> None:
    on = stage(MaskedAttention())
    assert "A gradient of −5.6 still reaches the padding; the kept weights sum to 0.6." in on.summary
    on.choose("renormalise")
    assert "No gradient reaches the padding; the output is 23.3333" in on.summary
    on.page.locator("[role=switch]").first.focus()
    on.press("End", " ")
    on.settle()
    assert on.widget.keep == [True] * 4
    on.page.locator("[role=switch]").last.click()
    on.settle()
    assert on.widget.keep == [True, True, True, False]
    on.choose("−inf before")
    on.page.locator("button:text-is('Mask all')").click()
    assert "All masked: all weights are NaN, because each is 0/0. The gradients are 0 all the same" in on.summary
    on.page.locator('[aria-label="Last step"]').click()
    expect(on.page.locator(".ak-batch tfoot")).to_contain_text("NaN")
    on.shot("09-nan")


@pytest.mark.parametrize("width", [280, 360])
def test_the_title_of_the_arrows_is_whole(stage: Any, width: int) -> None:
    on = stage(MaskedAttention(), width=width)
    title, picture = (on.page.locator(f".ak-bars svg{part}").first.bounding_box() for part in (" > text.ak-strong", ""))
    assert title["x"] + title["width"] <= picture["x"] + picture["width"]


def test_another_sentence_and_the_empty_row(stage: Any) -> None:
    on = stage(MaskedAttention(), theme="dark", width=700)
    on.page.select_option("select", label="rain again")
    on.settle()
    assert on.widget.keep == [True, True, False, False, False, False]
    assert on.page.locator("[role=switch]").count() == 6
    on.shot("09-rain-dark")
    on.choose("renormalise")
    on.page.locator("button:text-is('Mask all')").click()
    on.choose("NaN")
    assert on.widget.empty == "nan"
    assert "NaN" in on.summary


# ------------------------------------------------------------------------------------------------------------ lesson 15
FIRST_STRIP = "[role=slider][aria-valuetext^='step'] >> nth=0"


def test_strips_are_painted_by_keys_and_mouse(stage: Any) -> None:
    on = stage(AdamSlots(at=COUNT - 1))
    assert "a is at −0.600522, of which ghost −0.500522" in on.summary
    on.page.locator(FIRST_STRIP).focus()
    on.press("Home", "ArrowRight", "n")
    on.settle()
    assert on.widget.grads[0][1] is None
    on.press("Shift+End")
    on.settle()
    assert on.widget.grads[0][-1] is None
    assert "a is at −0.100000" in on.summary
    x, y = centre(on, "[role=slider][aria-valuetext^='step'] >> nth=1")
    on.choose("1 value")
    on.page.mouse.click(x, y)
    on.settle()
    assert 1.0 in on.widget.grads[1][1:]


def test_starting_points_of_each_lesson(stage: Any) -> None:
    on = stage(AdamSlots())
    assert on.page.locator("button[data-preset]").count() == 2
    assert on.page.locator('[role=radio]:text-is("AdamW")').count() == 0
    on = stage(AdamSlots(lesson=23, at=COUNT - 1))
    on.page.locator("button[data-preset^='row seen']").click()
    assert "dense row is at −1.144207" in on.summary
    assert "lazy row not seen, no step; lazy row is at −0.195223" in on.summary
    on.page.locator("button[data-preset^='AdamW']").click()
    assert "0.904792" in on.summary
    on.shot("15-adamw")


def test_slots_are_frozen_by_a_button(stage: Any) -> None:
    on = stage(AdamSlots(), theme="dark")
    on.page.locator(FIRST_STRIP).focus()
    on.press("Home", "ArrowRight")
    on.page.locator("button[data-key='0freeze']").click()
    assert "a frozen, no step; a is at −0.100000" in on.summary
    assert on.page.evaluate("document.activeElement.dataset.key") == "0freeze"  # and Enter freezes again
    on.page.locator("button[aria-label^='Take back']").click()
    assert "a got 0, yet moves by" in on.summary
    assert on.page.evaluate("document.activeElement.tagName") == "BUTTON"  # the one that was pressed is gone


# Where the rail, the thumb of the scrubber and the readings are, in px.
AT_THE_CURSOR = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const input = document.querySelector(".ak-scrub input");
  const track = input.getBoundingClientRect();
  const thumb = track.left + 8 + (track.width - 16) * input.value / input.max;
  const rail = box("[data-cursor]").left;
  const readings = [0, 1].map((which) => box(`[data-reading="${which}"]`));
  const away = readings.map(({ left, right }) => Math.min(Math.abs(left - rail), Math.abs(right - rail)));
  return { thumb, rail, away: Math.max(...away), apart: Math.abs(readings[0].top - readings[1].top) };
}"""


@pytest.mark.parametrize("width", [800, 360])
def test_readings_and_scrubber_stand_at_the_cursor(stage: Any, width: int) -> None:
    """Readings as well where both weights are at one place, and where there is no room at the right."""
    on = stage(AdamSlots(), width=width)
    scrubber = on.page.locator(".ak-scrub input")
    scrubber.focus()
    for key in ("Home", "ArrowRight", "End"):
        on.press(key)
        on.settle()
        found = on.page.evaluate(AT_THE_CURSOR)
        assert abs(found["thumb"] - found["rail"]) < 1.5, (key, found)
        assert found["away"] < 20, (key, found)
        assert found["apart"] >= 30, (key, found)
    assert on.widget.at == COUNT - 1


@pytest.mark.parametrize("at", [30, 36, 40, 44, 60])
def test_readings_of_a_narrow_plot_stand_clear_of_its_bars(stage: Any, at: int) -> None:
    on = stage(AdamSlots(at=at), width=360)
    edges = """(selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect())
      .map(({ left, right }) => [left, right])"""
    first_bar = min(left for left, _ in on.page.evaluate(edges, "[data-motion]"))
    readings = on.page.evaluate(edges, "[data-reading], [data-reading] + text")
    assert len(readings) == 4
    assert all(0 <= left < right <= first_bar for left, right in readings), (readings, first_bar)


def test_motion_is_drawn_by_its_cause(stage: Any) -> None:
    """Solid at a gradient, dotted at a zero, dashed where there was no step, and nothing beyond the cursor."""
    on = stage(AdamSlots())
    trails = "[...document.querySelectorAll('[data-trail]')].map((one) => one.dataset.trail)"
    assert on.page.evaluate(trails) == ["0real", "0ghost", "1real", "1none"]
    bars = "[...document.querySelectorAll('[data-motion]')].map((one) => one.dataset.motion)"
    assert on.page.evaluate(bars) == ["0real", "0ghost", "1real"]
    on.page.locator(".ak-scrub input").focus()
    on.press("Home")
    on.settle()
    assert on.page.evaluate(trails) == ["0real", "1real"]
    on.choose("SGD")
    on.press("Home")
    on.page.locator(".ak-scrub-pad").click(position={"x": 300, "y": 100})
    on.settle()
    assert on.widget.at > 0
    assert on.page.evaluate(trails) == ["0real", "0still", "1real", "1none"]


def test_controls_picture_and_sentence_stand_on_one_screen(stage: Any) -> None:
    on = stage(AdamSlots(), width=800)
    height = """document.querySelector(".ak-summary").getBoundingClientRect().bottom
      - document.querySelector(".ak").getBoundingClientRect().top"""
    assert on.page.evaluate(height) <= 640


def test_play_rests_longer_at_a_step_where_motion_is_reduced(stage: Any) -> None:
    on = stage(AdamSlots(at=0))
    on.page.emulate_media(reduced_motion="reduce")
    on.page.evaluate("window.stepped = []; model.on('change:at', () => stepped.push(performance.now()))")
    on.page.locator(".ak-scrub button[aria-label=Play]").click()
    on.page.wait_for_function("stepped.length > 2")
    on.page.locator(".ak-scrub button[aria-label=Pause]").click()
    first, *_, last = times = on.page.evaluate("stepped")
    assert last - first > 200 * (len(times) - 1)  # ms; without that, a step takes 60


# --------------------------------------------------------------------------------------------------------------- states
def test_a_silent_kernel_is_told_of(stage: Any) -> None:
    on = stage(MaskedAttention())
    on.silent = True
    on.page.locator('[role=radio]:text-is("renormalise")').click()
    expect(on.page.locator("section.ak")).to_have_attribute("data-state", "busy")
    assert "5.6" in (on.page.text_content(".ak-summary") or "")  # nothing new is claimed meanwhile


def test_an_error_of_the_kernel_is_shown(stage: Any) -> None:
    class Broken(MaskedAttention):
        def compute_outputs(self) -> dict[str, Any]:
            if self.design == "additive":
                raise ValueError("c must be below 0")
            return super().compute_outputs()

    on = stage(Broken())
    on.page.locator('[role=radio]:text-is("add c before")').click()
    expect(on.page.locator(".ak-banner")).to_contain_text("c must be below 0")
