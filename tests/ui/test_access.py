"""What every widget owes its reader: keys, names, targets, labels that can be read, word of a kernel that is lost."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from autodiff_kit import widgets
from autodiff_kit.widgets import FloorDescent, JvpVjp, Predict

from .conftest import axe

NAMES = sorted(set(widgets.__all__) - {"KernelWidget", "Predict"})
CONTROLS = "button, input, select, summary, [role=slider], [role=switch], [tabindex='0']"

# WCAG's contrast of a node's text to the ground that it is drawn on.
CONTRAST = """node => {
  const parts = (text) => {
    const p = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [...p.slice(0, 3).map((c) => c * scale), p[3] ?? 1];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((c, i) => c * a + ground[i] * (1 - a));
  const ground = (el) => {
    if (!el) return [255, 255, 255];
    const colour = parts(getComputedStyle(el).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, ground(el.parentElement));
  };
  const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const back = ground(node);
  const [x, y] = [light(over(parts(getComputedStyle(node).color), back)), light(back)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_was_just_chosen_can_be_read_under_the_mouse(stage: Any, theme: str) -> None:
    on = stage(FloorDescent(), theme=theme)
    for button in ('[role=radio]:text-is("linear")', "button:has-text('Anneal')"):
        node = on.page.locator(button)
        node.click()  # and the mouse rests there
        on.settle()
        on.page.wait_for_function(f"node => ({CONTRAST})(node) > 4.5", arg=node.element_handle())  # colours glide
        assert node.evaluate("node => node.matches(':hover')")


@pytest.mark.parametrize("name", NAMES)
def test_controls_have_names_and_room_and_it_draws_in_forced_colours_and_in_print(stage: Any, name: str) -> None:
    on = stage(getattr(widgets, name)(), width=360)
    nameless = """nodes => nodes.filter((n) => n.offsetParent !== null || n.ownerSVGElement).filter((n) =>
      !(n.getAttribute("aria-label") || n.getAttribute("aria-labelledby") || n.textContent.trim() || n.labels?.length))
      .map((n) => n.outerHTML.slice(0, 90))"""
    assert on.page.locator(CONTROLS).count() > 0
    assert on.page.locator(CONTROLS).evaluate_all(nameless) == []
    too_small_for_a_finger = """nodes => nodes.filter((n) => n.offsetParent && n.getBoundingClientRect().height < 24)
      .map((n) => n.outerHTML.slice(0, 90))"""
    assert on.page.locator("button, select, input[type=number]").evaluate_all(too_small_for_a_finger) == []

    on.page.emulate_media(forced_colors="active")
    assert on.page.locator(".ak-summary").is_visible()
    on.shot(f"forced-{name}")
    on.page.emulate_media(forced_colors="none", media="print")
    assert on.page.locator(".ak-twin table").is_visible()  # a closed twin cannot be opened on paper
    assert on.page.locator(".ak button:not([aria-checked=true]):visible").count() == 0
    on.shot(f"print-{name}")


def axe_in_both_themes(on: Any, root: str) -> list[str]:
    """What axe-core finds in a widget with all that unfolds in it."""
    on.page.emulate_media(reduced_motion="reduce")  # colours are measured, so none may be on its way
    on.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    found = []
    for theme in ("light", "dark"):
        on.theme(theme)
        on.still()
        found += [f"{theme}: {line}" for line in axe(on.page, root)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_in_a_widget(stage: Any, name: str, width: int) -> None:
    on = stage(getattr(widgets, name)(), width=width)
    assert axe_in_both_themes(on, "section.ak") == []


CHOICES = [{"value": value, "label": label} for value, label in (("a", "the matrix"), ("b", "three numbers"))]
ASKED: list[dict[str, Any]] = [
    {"kind": kind, "choices": CHOICES, "high": 2.0} for kind in ("choice", "several", "number", "slider")
]
ENDED: list[dict[str, Any]] = [
    {"answer": "a"}, {"answer": "a", "truth": "a"}, {"answer": "a", "truth": "b"}, {"skipped": True, "truth": "b"}
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("traits", [*ASKED, *(ASKED[0] | end for end in ENDED)], ids=str)
def test_axe_finds_nothing_in_a_prediction(stage: Any, traits: dict[str, Any]) -> None:
    on = stage(Predict(question="What comes?", **traits))
    assert axe_in_both_themes(on, ".ak-predict") == []


@pytest.mark.parametrize("sweep", ["forward", "reverse", "double", "seam"])
def test_a_narrow_graph_shows_all_its_words(stage: Any, sweep: str) -> None:
    on = stage(JvpVjp(sweep=sweep), width=360)
    on.page.locator('[aria-label="Last step"]').click()
    on.settle()
    assert not on.overflows()
    cut_off = (
        "texts => texts.map((t) => t.getBoundingClientRect()).filter((b) => b.left < 0 || b.right > innerWidth).length"
    )
    assert on.page.locator(".ak-stage svg text").evaluate_all(cut_off) == 0
    on.shot(f"01-narrow-{sweep}")


def test_a_row_of_choices_by_arrows_home_and_end(stage: Any) -> None:
    on = stage(FloorDescent())
    on.page.locator('[role=radio][tabindex="0"]').focus()
    for key, rule in (("ArrowRight", "linear"), ("End", "filter"), ("ArrowRight", "none"), ("ArrowLeft", "filter"),
                      ("Home", "none")):  # fmt: skip
        on.press(key)
        on.settle()
        assert on.widget.rule == rule


def test_the_point_by_keys(stage: Any) -> None:
    on = stage(FloorDescent())
    on.page.locator("[role=slider][aria-label^='Point']").focus()
    on.press("Home", "ArrowRight", "PageUp")
    on.settle()
    assert on.widget.start == 1.1
    on.press("End")
    on.settle()
    assert on.widget.start == 6.0


def test_steps_by_home_end_and_arrows_and_space_plays(stage: Any) -> None:
    on = stage(FloorDescent(rule="straight"))
    on.page.locator("[aria-label='Step of the descent'][type=range]").focus()
    on.press("End")
    on.settle()
    assert on.widget.step == 200
    on.press("Home", "ArrowRight")
    on.settle()
    assert on.widget.step == 1
    on.press(" ")
    assert on.page.locator("[aria-label=Pause]").count() == 1
    on.page.wait_for_function("model.get('step') > 4", timeout=5000)
    on.press(" ")
    assert on.page.locator("[aria-label=Play]").count() == 1
    on.settle()
    stood = on.widget.step
    on.page.wait_for_timeout(250)
    assert on.widget.step == stood > 4


def test_plain_keys_stay_in_a_widget(stage: Any) -> None:
    """In JupyterLab they are commands of the notebook: 0 0 restarts the kernel, b adds a cell."""
    on = stage(JvpVjp())
    on.page.evaluate("window.leaked = []; document.addEventListener('keydown', (e) => leaked.push(e.key))")
    on.page.locator("[role=slider][aria-label^='v0,']:visible").focus()
    on.press("0", "0", "b", "ArrowDown", "ArrowUp", "Escape")
    assert on.page.evaluate("leaked") == ["Escape"]


def test_a_lost_kernel_is_told_of_in_words_and_forgotten_with_its_answer(stage: Any) -> None:
    on = stage(JvpVjp(), own=True)
    on.page.clock.install()
    on.silent = True
    on.page.locator("[role=slider][aria-label^='v0,']:visible").focus()
    on.page.keyboard.press("ArrowUp")
    section, banner = on.page.locator("section.ak"), on.page.locator(".ak-banner")
    on.page.clock.run_for(1000)
    assert section.get_attribute("data-state") == "busy"
    assert banner.is_hidden()
    on.page.clock.run_for(8000)
    assert section.get_attribute("data-state") == "lost"
    assert "No answer from the kernel" in (banner.text_content() or "")
    on.silent = False
    on.page.keyboard.press("ArrowDown")
    for _ in range(50):  # its clock stands still, so the page cannot wait by itself
        on.page.clock.run_for(20)
        if on.page.evaluate("model.get('asked') === model.get('answered')"):
            break
    on.page.clock.run_for(100)
    assert on.questions == 1
    assert section.get_attribute("data-state") == "ready"
    assert banner.is_hidden()


def test_an_answer_that_was_committed_cannot_be_changed(stage: Any) -> None:
    class Told(Predict):
        """With what tells the page that an answer has come; a prediction itself asks for none."""

        def get_state(self, *args: Any, **kwargs: Any) -> Any:
            return {**super().get_state(*args, **kwargs), "asked": 0, "answered": 0}

    widget = Told(question="How much?", kind="number")
    on = stage(widget, theme="dark", width=360)
    box = on.page.locator("input[type=number]")
    assert on.page.locator(".ak-primary").is_disabled()  # nothing is suggested
    box.fill("0.25")
    on.press("Enter")
    on.until(lambda: widget.answer == 0.25)
    expect(box).to_be_hidden()
    assert on.page.locator(".ak-primary").is_hidden()
    assert "Locked: 0.25" in (on.page.text_content("[role=status]") or "")
    assert not on.overflows()


def test_a_widget_that_is_taken_away_leaves_nothing_listening(stage: Any) -> None:
    on = stage(FloorDescent())
    assert on.page.evaluate("Object.values(model.heard).flat().length") > 5
    on.page.evaluate("stop()")
    assert on.page.evaluate("Object.values(model.heard).flat().length") == 0


def test_a_stepper_by_its_buttons_keeps_the_focus_at_both_ends(stage: Any) -> None:
    """A button that can do no more is switched off under the fingers; the next key must not land in the notebook."""
    on = stage(JvpVjp())
    focused = "document.activeElement.closest('.ak-stepper') !== null"
    last = 4  # operations
    on.page.locator('[aria-label="Step"]').focus()
    on.press(*["Enter"] * last)
    on.settle()
    assert on.widget.step == last
    assert on.page.evaluate(focused)
    on.press("Home")
    on.settle()
    assert on.widget.step == 0
    on.page.locator('[aria-label="Last step"]').focus()
    on.press(" ")
    on.settle()
    assert on.widget.step == last
    assert on.page.evaluate(focused)
    on.page.locator('[aria-label="First step"]').focus()
    on.press("Enter")
    on.settle()
    assert on.widget.step == 0
    assert on.page.evaluate(focused)


def test_a_stepper_says_where_it_is_and_moves_by_pages(stage: Any) -> None:
    on = stage(FloorDescent(rule="straight"))
    step = on.page.locator("[aria-label='Step of the descent'][type=range]")
    step.focus()
    on.press("Home", "PageUp")
    on.settle()
    assert on.widget.step == 20
    assert step.get_attribute("aria-valuetext") == "step 20 of 200"
    on.press("PageDown", "ArrowLeft")
    on.settle()
    assert on.widget.step == 0


def test_an_arrow_by_every_key_within_its_reach(stage: Any) -> None:
    on = stage(JvpVjp())
    arrow = on.page.locator("[role=slider][aria-label^='v0,']:visible")
    arrow.focus()
    for key, value in (("0", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("PageDown", 0), ("ArrowLeft", -1),
                       ("ArrowDown", -2), ("PageUp", 0), ("Home", -3), ("ArrowDown", -3), ("End", 3),
                       ("ArrowUp", 3)):  # fmt: skip
        on.press(key)
        on.settle()
        assert on.widget.v[0] == value, key
        assert float((arrow.get_attribute("aria-valuetext") or "").replace("−", "-")) == value
