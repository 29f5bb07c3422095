"""The four widgets under mouse and keys: numbers and pictures change, and they are the lessons' numbers."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets import AdamSlots, FloorDescent, JvpVjp, MaskedAttention


def centre(on: Any, selector: str) -> tuple[float, float]:
    box = on.page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# ------------------------------------------------------------------------------------------------------------ lesson 01
def test_arrows_step_through_the_push_and_the_pull(stage: Any) -> None:
    on = stage(JvpVjp())
    on.page.locator(".ak-tape").first.focus()
    on.press(*["ArrowDown"] * 12)
    assert "Jv = (7, −5, 3)" in on.summary
    on.choose("pull ↑")
    on.page.locator(".ak-tape").first.focus()
    on.press(*["ArrowDown"] * len(on.widget.reverse))
    assert "Both inner products are 18" in on.summary
    on.shot("01-both")


def test_the_double_pull_plays_the_second_tape(stage: Any) -> None:
    on = stage(JvpVjp())
    on.choose("double pull ↑↑")
    on.page.locator('[aria-label="Last step"]').click()
    assert "Two pulls and no push gave Jv = (7, −5, 3)" in on.summary
    rows = on.page.locator(".ak-tape:visible tbody tr")
    assert rows.count() == len(on.widget.second) == 20
    on.shot("01-double")


def test_the_dial_is_dragged_and_keyed(stage: Any) -> None:
    on = stage(JvpVjp())
    x, y = centre(on, ".ak-handle circle.ak-ring")
    on.page.mouse.move(x, y)
    on.page.mouse.down()
    on.page.mouse.move(x - 40, y + 45, steps=6)
    on.page.mouse.up()
    on.settle()
    assert on.widget.v == [-1.0, 0.0, -1.0]
    on.page.locator(".ak-dial:not([hidden]) .ak-handle[tabindex]").first.focus()
    on.press("ArrowUp", "ArrowRight", "PageUp")
    on.settle()
    assert on.widget.v == [0.0, 1.0, 0.0]
    assert [round(t, 9) for t in on.widget.jv] == [2.0, -1.0, 0.0]


def test_sweeps_are_counted_again(stage: Any) -> None:
    on = stage(JvpVjp(), theme="dark")
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
    assert right > left + 200  # the dot goes to the right with the steps,
    assert high < low - 20  # and up with s
    on.shot("06-growth")
    on.choose("straight-through")
    assert lane.is_hidden()


def test_s_over_the_steps_fits_a_narrow_window(stage: Any) -> None:
    on = stage(FloorDescent(anneal=True, step=200), width=360)
    assert on.page.locator(".ak-growth").is_visible()
    assert not on.overflows()
    on.shot("06-growth-360")


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
    assert "−5.6000 still reaches the padding; the kept weights sum to 0.6000" in on.summary
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
    assert "All masked: the weights are NaN" in on.summary
    on.page.locator('[aria-label="Last step"]').click()
    on.page.wait_for_timeout(80)
    assert "NaN" in (on.page.text_content(".ak-batch tfoot") or "")
    on.shot("09-nan")


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
def test_strips_are_painted_by_keys_and_mouse(stage: Any) -> None:
    on = stage(AdamSlots())
    assert "a is at −0.600522, of which ghost −0.500522" in on.summary
    strip = on.page.locator("[role=slider][aria-valuetext^='step']").first
    strip.focus()
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


def test_starting_points(stage: Any) -> None:
    on = stage(AdamSlots())
    on.page.locator("button[data-preset^='row seen']").click()
    assert "dense row is at −1.144207" in on.summary
    assert "lazy row is at −0.195223" in on.summary
    on.page.locator("button[data-preset^='AdamW']").click()
    assert "0.904792" in on.summary
    on.shot("15-adamw")


def test_slots_are_frozen_by_a_button(stage: Any) -> None:
    on = stage(AdamSlots(), theme="dark")
    strip = on.page.locator("[role=slider][aria-valuetext^='step']").first
    strip.focus()
    on.press("Home", "ArrowRight")
    on.page.locator("button[data-key='0freeze']").click()
    assert "a is at −0.100000" in on.summary
    on.page.locator("button[aria-label^='Take back']").click()
    assert "a is at −0.600522" in on.summary


# --------------------------------------------------------------------------------------------------------------- states
def test_a_silent_kernel_is_told_of(stage: Any) -> None:
    on = stage(MaskedAttention())
    on.silent = True
    on.page.locator('[role=radio]:text-is("renormalise")').click()
    on.page.wait_for_timeout(700)
    assert on.page.locator("section.ak").get_attribute("data-state") == "busy"
    assert "5.6000" in (on.page.text_content(".ak-summary") or "")  # nothing new is claimed meanwhile


def test_an_error_of_the_kernel_is_shown(stage: Any) -> None:
    class Broken(MaskedAttention):
        def compute_outputs(self) -> dict[str, Any]:
            if self.design == "additive":
                raise ValueError("c must be below 0")
            return super().compute_outputs()

    on = stage(Broken())
    on.page.locator('[role=radio]:text-is("add c before")').click()
    on.page.wait_for_timeout(300)
    assert "c must be below 0" in (on.page.text_content(".ak-banner") or "")
