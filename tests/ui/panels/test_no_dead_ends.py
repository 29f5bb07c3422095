"""Whatever a learner presses first, what it needs has run; keys that are meant for a control change no cell."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.id)"""
ERRORS = """() => jupyterapp.shell.currentWidget.content.widgets.flatMap(cell => cell.model.outputs?.toJSON() ?? [])
    .filter(output => output.output_type === 'error').map(output => `${output.ename}: ${output.evalue}`)"""
COUNTS = """() => Object.fromEntries(jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code').map(cell => [cell.model.id, cell.model.executionCount]))"""
CHOOSE = """source => {
    const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex(
        cell => cell.model.type === 'code' && cell.model.sharedModel.getSource().includes(source));
    content.activate();
}"""
END_KERNEL = "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()"
REPLACE_ANSWER = """source => jupyterapp.shell.currentWidget.content.widgets
    .find(cell => cell.model.getMetadata('autodiff_kit')?.part === 'answer').model.sharedModel.setSource(source)"""
SAVE = "async () => { await jupyterapp.shell.currentWidget.context.save(); }"


def asked(bench: Any) -> Any:
    """The questions that are drawn."""
    return bench.page.locator(".jp-Notebook:visible .ak-predict")


def test_a_prompt_and_a_cell_far_down_run_what_is_above(bench: Any) -> None:
    bench.open_lesson("12")
    bench.js(CHOOSE, 'predict("assigned-sum")')
    bench.press("Shift+Enter")
    expect(asked(bench)).to_have_count(1)
    bench.idle()
    assert bench.js(ERRORS) == []
    before = bench.js(COUNTS)
    assert sum(count is not None for count in before.values()) == 3, "nothing below has run"
    bench.js(CHOOSE, "tape.explain(y, x0)")
    bench.command("notebook:run-cell")
    bench.idle()
    assert bench.js(ERRORS) == []
    after = bench.js(COUNTS)
    assert [id for id, count in before.items() if count and after[id] != count] == [], "what has run is not run again"


def test_whoever_goes_on_after_the_kernel_ended_is_asked_what_comes_next(bench: Any) -> None:
    bench.open_lesson("12")
    bench.js(CHOOSE, 'predict("assigned-sum")')
    bench.command("notebook:run-cell")
    expect(asked(bench)).to_have_count(1)
    bench.js(SAVE)
    bench.js(END_KERNEL)
    bench.command("autodiff-kit:open-syllabus")
    row = bench.page.locator('.akl-lesson[data-no="12"]')
    if "is-open" not in (row.get_attribute("class") or ""):
        row.locator(".akl-lesson-row").click()
    row.get_by_role("button", name="Go on").click()
    expect(asked(bench).locator("input").first).to_be_enabled()
    bench.idle()
    assert bench.js(ERRORS) == []


@pytest.mark.slow
def test_a_page_that_is_loaded_again_runs_nothing_twice(own_bench: Any) -> None:
    own_bench.open_lesson("12")
    own_bench.js(CHOOSE, "tape.explain(y, x0)")
    own_bench.command("notebook:run-cell")
    own_bench.idle()
    own_bench.js(SAVE)
    before = own_bench.js(COUNTS)
    own_bench.load()
    own_bench.opened("12_")
    own_bench.page.wait_for_timeout(1000)  # the kernel says what it ran
    own_bench.js(CHOOSE, 'predict("assigned-sum")')
    own_bench.command("notebook:run-cell")
    own_bench.idle()
    after = own_bench.js(COUNTS)
    assert [id for id in before if after[id] != before[id]] == ["12-004"]
    own_bench.js(END_KERNEL)


def test_the_first_check_of_a_fresh_exercise_loads_the_questions_and_runs_the_answer(bench: Any) -> None:
    bench.open_lesson("20", "exercise")
    expect(bench.page.locator(".lm-DockPanel-tabBar .lm-mod-current")).to_have_attribute("data-akl-tab", "Exercises")
    bench.command("autodiff-kit:open-exercises")
    card = bench.page.locator(".akl-q").first
    check = card.get_by_role("button", name="Check", exact=True)
    check.click()
    expect(card.locator(".akl-msg")).to_contain_text("Nothing to check yet")
    bench.js(REPLACE_ANSWER, 'raise ValueError("mine")')
    check.click()
    bench.page.wait_for_function(f"({ERRORS})().includes('ValueError: mine')")  # it ran as it stands
    expect(card.locator(".akl-q-state")).not_to_contain_text("checking")
    expect(bench.page.locator(".akl-exercises")).not_to_contain_text("NameError")


@pytest.mark.parametrize("control", [".ak-figure input", ".jp-RenderedMarkdown summary"])
def test_keys_on_a_control_of_a_text_or_an_output_change_no_cell(bench: Any, control: str) -> None:
    bench.open_lesson("14")
    bench.js(CHOOSE, "lesson_figure(")
    bench.command("notebook:run-cell")
    bench.idle()
    cells = bench.js(CELLS)
    part = bench.page.locator(f".jp-Notebook:visible {control}").first
    part.wait_for()
    part.scroll_into_view_if_needed()
    part.focus()
    bench.press("d", "d", "x", "m", "a", "0", "0", "Backspace")
    bench.still()
    expect(part).to_be_focused()
    assert bench.js(CELLS) == cells
    assert bench.page.locator(".jp-Dialog").count() == 0
    if "figure" in control:
        bench.press("Shift+Enter")
        bench.page.wait_for_function(f"({COUNTS})()['14-002'] > 2")


def test_the_list_of_lessons_can_be_used_at_twice_the_size(bench: Any) -> None:
    bench.page.set_viewport_size({"width": 640, "height": 400})
    bench.command("autodiff-kit:open-syllabus")
    bench.page.wait_for_function(  # the rows are drawn anew when news of the progress come
        """() => {
            const last = [...document.querySelectorAll('.akl-lesson')].at(-1);
            last?.scrollIntoView({ block: 'nearest' });
            const shown = [...document.querySelectorAll('.akl-lesson-row')].map(row => row.getBoundingClientRect());
            const box = last?.getBoundingClientRect();
            return box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight + 1
                && shown.filter(({ top, bottom }) => top > 60 && bottom <= innerHeight + 1).length >= 4;
        }"""
    )
    expect(bench.page.get_by_role("searchbox", name="Find a lesson")).to_be_in_viewport()
    bench.shot("syllabus-at-200")


def test_the_search_leads_into_what_it_found(bench: Any) -> None:
    bench.command("autodiff-kit:find-lesson")
    search = bench.page.get_by_role("searchbox", name="Find a lesson")
    expect(search).to_be_focused()
    search.fill("clipp")
    expect(bench.page.locator(".akl-hit mark").first).to_have_text("clipp")  # why it was found
    bench.press("ArrowDown")
    focused = bench.page.locator(".akl-lesson:focus")
    expect(focused).to_have_attribute("data-no", "14")
    bench.press("ArrowUp")
    expect(search).to_be_focused()
    bench.press("Enter")
    expect(focused).to_have_attribute("data-no", "14")
    expect(focused).to_have_class(re.compile("is-open"))
    search.fill("")


def test_the_point_on_the_welcome_page_moves_by_keys_and_by_mouse(bench: Any) -> None:
    bench.command("autodiff-kit:open-welcome")
    welcome = bench.page.locator(".akl-welcome")
    said = welcome.locator(".akl-grad-said")
    welcome.get_by_role("slider", name="x").focus()
    bench.press("Home")
    expect(said).to_contain_text("At x = −4.00")
    box = welcome.locator(".akl-grad-curve").bounding_box()
    bench.page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 20)
    bench.page.mouse.down()
    bench.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20, steps=4)
    bench.page.mouse.up()
    expect(said).to_contain_text("At x = 0.00 the slope of the curve is 0.00")
