"""Syllabus and exercises over the real server, and the manners of all three panels."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from autodiff_kit.lab.server.catalog import lesson_catalog
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.prompts import prompts_of

from ..conftest import IN_BOTH
from .cells import ATTENTION, NEARLY, PUSH, SETUP

LESSONS = len(lesson_catalog())


def test_a_first_visit_from_the_syllabus_to_the_exercises(newcomer: Any) -> None:
    """One story, because a server and a page that nobody used yet take as long to start as all that is done there."""
    the_syllabus_opens_a_lesson_resets_it_and_brings_it_back(newcomer)
    questions_are_checked_hinted_and_handed_in(newcomer)


def the_syllabus_opens_a_lesson_resets_it_and_brings_it_back(newcomer: Any) -> None:
    page = newcomer.page
    newcomer.command("autodiff-kit:open-syllabus")
    syllabus = page.locator(".akl-syllabus")
    expect(syllabus.locator(".akl-lesson")).to_have_count(LESSONS)
    expect(syllabus.locator(".akl-primary")).to_have_count(1)
    expect(syllabus.locator(".akl-next")).to_contain_text("00")
    syllabus.locator(".akl-next .akl-primary").click()
    page.wait_for_function("jupyterapp.shell.currentWidget?.context?.path?.includes('00_')", timeout=60_000)

    # A lesson that was opened is begun, whether or not a cell of it ran.
    newcomer.js("jupyterapp.shell.collapseLeft()")
    newcomer.command("autodiff-kit:open-syllabus")
    expect(syllabus.locator('[data-no="00"]')).to_have_class(re.compile("is-begun"))

    syllabus.get_by_label("Find a lesson").fill("no such lesson")
    expect(syllabus.locator(".akl-tree")).to_contain_text("No lesson has")
    syllabus.get_by_label("Find a lesson").fill("")

    syllabus.get_by_role("button", name="Reset progress").first.click()
    dialog = syllabus.get_by_role("alertdialog")
    expect(dialog).to_contain_text("A backup is written first")
    dialog.get_by_role("button", name="Back up and reset").click()
    expect(syllabus.locator('[data-no="00"]')).to_have_class(re.compile("is-none"))
    syllabus.get_by_role("button", name="Undo").click()
    expect(syllabus.locator('[data-no="00"]')).to_have_class(re.compile("is-begun"))


def questions_are_checked_hinted_and_handed_in(newcomer: Any) -> None:
    page = newcomer.page
    newcomer.open_lesson("01", "exercise")
    newcomer.command("autodiff-kit:open-exercises")
    panel = page.locator(".akl-exercises")
    expect(panel.locator(".akl-q").first).to_be_visible()
    newcomer.command("notebook:run-all-cells")
    newcomer.idle()
    first = panel.locator(".akl-q").first
    if first.get_attribute("class").find("is-open") < 0:
        first.locator(".akl-q-head").click()
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".akl-msg")).to_contain_text("Nothing to check yet")
    expect(first).to_contain_text("not tried")

    newcomer.run(NEARLY)
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".akl-q-state")).to_have_text("not yet · 1 try")
    expect(first.locator(".akl-tests .ok").first).to_contain_text("y from push")
    expect(first.locator(".akl-tests .ok").first).to_contain_text("4 of 4")
    expect(first.locator(".akl-tests .no")).to_have_count(1)
    expect(first.locator(".akl-tests .no")).to_contain_text("dx from pull")
    expect(first.locator(".akl-tests .no")).to_contain_text("0 of 4")
    expect(first.get_by_role("button", name="Solution")).to_be_disabled()
    first.get_by_role("button", name=re.compile("^Hint 1")).click()
    expect(first.locator(".akl-hints li")).to_have_count(1)
    panel.get_by_role("button", name=re.compile("^Hand in")).click()
    save = panel.get_by_role("button", name="Save and hand in")
    receipt = panel.get_by_text(re.compile("Receipt"))
    expect(save.or_(receipt).first).to_be_visible()
    if save.is_visible():
        save.click()
    expect(receipt).to_contain_text(re.compile(r"at \d+/\d+/\d+, "))  # the next day a time alone would mislead

    first.get_by_role("button", name="Check").click()
    expect(first.locator(".akl-q-state")).to_have_text("not yet · 2 tries")
    first.get_by_role("button", name="Solution").click()
    solution = first.locator("pre.akl-solution")
    solution.focus()
    page.keyboard.press("ArrowDown")
    expect(solution).to_be_focused()  # it scrolls; another question would have the focus


@pytest.mark.slow
@IN_BOTH
def test_a_lesson_that_was_only_run_is_read_and_neither_predicted_nor_solved(newcomer: Any) -> None:
    newcomer.command("autodiff-kit:open-syllabus")
    newcomer.open_lesson("01")
    newcomer.page.set_default_timeout(90_000)
    newcomer.command("notebook:run-all-cells")
    lesson = newcomer.page.locator('.akl-lesson[data-no="01"]')
    expect(lesson).to_have_class(re.compile("is-read.* is-open"))
    asked = len(prompts_of("01"))
    for fact, counted in (("Read", f"{asked} of {asked} results"), ("Predicted", f"0 of {asked}"), ("Solved", "0 of ")):
        expect(lesson.locator(f"dt:text-is('{fact}') + dd")).to_contain_text(counted)
    totals = newcomer.page.locator(".akl-totals")
    expect(totals).to_contain_text(f"1 of {LESSONS} lessons")
    expect(totals.locator("dt:text-is('Predicted') + dd")).to_contain_text("0 of ")


@pytest.mark.slow
def test_a_prediction_is_right_or_wrong_once_its_result_was_shown(newcomer: Any) -> None:
    mine, asked = Progress(newcomer.server.work), len(prompts_of("01"))
    newcomer.command("autodiff-kit:open-syllabus")
    newcomer.page.locator('.akl-lesson[data-no="01"] .akl-lesson-row').click()
    predicted = newcomer.page.locator("[data-no='01'] dt:text-is('Predicted') + dd")
    for act, said in (
        (lambda: mine.commit_prediction("01", "jv", "a"), f"1 of {asked}"),
        (lambda: mine.reveal_prediction("01", "jv", "b", right=False), f"1 of {asked} · 0 of 1 right"),
    ):
        act()
        newcomer.js("jupyterapp.shell.collapseLeft()")
        newcomer.command("autodiff-kit:open-syllabus")
        expect(predicted).to_have_text(said)


@pytest.mark.slow
def test_the_tabs_of_an_older_workspace_do_not_hide_the_welcome_page(newcomer: Any) -> None:
    page = newcomer.page
    newcomer.notebook()
    folder, text = newcomer.server.work / ".autodiff_kit" / "workspaces", ""
    while "notebook:Untitled" not in text:  # JupyterLab writes the file some time after the notebook is open
        page.wait_for_timeout(100)
        for file in folder.rglob("*.jupyterlab-workspace"):
            text = file.read_text()
    page.goto("about:blank")
    workspace = json.loads(text)
    of_kit = [name for name in workspace["data"] if name.startswith("autodiff-kit:")]
    assert of_kit, "the kit noted its first start"
    for name in of_kit:
        del workspace["data"][name]
    file.write_text(json.dumps(workspace))
    newcomer.load()
    expect(page.locator(".akl-welcome")).to_be_visible()
    expect(page.locator(".lm-TabBar-tabLabel", has_text="Untitled")).to_have_count(1)


def exercise(bench: Any, *cells: str) -> Any:
    """The exercises of lesson 01 with their panel; cells are run below them."""
    bench.open_lesson("01", "exercise")
    bench.command("autodiff-kit:open-exercises")
    panel = bench.page.locator(".akl-exercises")
    expect(panel.locator(".akl-q").first).to_be_visible()
    bench.command("notebook:run-all-cells")
    bench.idle()
    bench.run(*cells)
    return panel


def opened(panel: Any, label: str) -> Any:
    """A question's card, open."""
    card = panel.locator(".akl-q", has=panel.page.locator(f".akl-q-head b:text-is('{label}')"))
    if "is-open" not in (card.get_attribute("class") or ""):
        card.locator(".akl-q-head").click()
    return card


@pytest.mark.slow
def test_the_panel_follows_a_check_in_the_notebook(bench: Any) -> None:
    panel = exercise(bench)
    card = opened(panel, "q2")
    before = card.locator(".akl-q-state").inner_text()
    bench.run("row = column = gradient = lambda *given: 0.0\nq2.check()")
    expect(card.locator(".akl-q-state")).not_to_have_text(before)
    expect(card.locator(".akl-tests .no").first).to_be_visible()


@pytest.mark.slow
def test_what_the_server_cannot_take_is_kept_and_sent_later(bench: Any) -> None:
    page = bench.page
    panel = exercise(bench)
    card = opened(panel, "q3")
    page.route("**/autodiff-kit/exercises/**", lambda route: route.abort())
    card.get_by_role("button", name=re.compile("^Hint 1")).click()
    expect(card.locator(".akl-msg")).to_contain_text("is kept; the result is shown as soon as the server answers")
    bench.command("autodiff-kit:open-syllabus")
    expect(page.locator(".akl-syllabus")).to_contain_text("1 change is kept in this browser")
    page.unroute("**/autodiff-kit/exercises/**")
    bench.command("autodiff-kit:open-exercises")
    bench.js("jupyterapp.shell.collapseRight()")
    bench.command("autodiff-kit:open-exercises")
    expect(card.locator(".akl-hints li")).to_have_count(1)
    expect(card.locator(".akl-hints code")).to_have_text("pull")
    expect(card.locator(".akl-hints")).not_to_contain_text("`")
    bench.complaints[:] = [line for line in bench.complaints if "ERR_FAILED" not in line]


def test_the_lessons_are_walked_with_keys(bench: Any) -> None:
    bench.command("autodiff-kit:open-syllabus")
    tree = bench.page.locator(".akl-tree")
    expect(tree.locator(".akl-lesson")).to_have_count(LESSONS)
    tree.locator('[tabindex="0"]').first.focus()
    bench.press("Home", "ArrowDown", "ArrowDown")
    focused = bench.page.locator(".akl-lesson:focus")
    expect(focused).to_have_attribute("data-no", "02")
    bench.press("ArrowRight")
    expect(focused).to_have_attribute("aria-expanded", "true")
    search = bench.page.locator(".akl-syllabus").get_by_role("searchbox")
    redraw = "box => box.dispatchEvent(new Event('input', { bubbles: true }))"
    search.evaluate(redraw)
    expect(focused).to_have_attribute("data-no", "02")  # what is drawn anew keeps the focus
    button = bench.page.locator(".akl-lesson.is-open").get_by_role("button").last
    button.focus()
    search.evaluate(redraw)
    expect(button).to_be_focused()
    bench.page.locator(".akl-lesson.is-open").focus()
    bench.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize(
    ("theme", "views"),
    [
        ("JupyterLab Dark", ("graph",)),
        pytest.param("JupyterLab Dark", ("cost", "memory", "diff", "why"), marks=pytest.mark.slow),
        pytest.param("JupyterLab Light", ("graph", "cost", "memory", "diff", "why"), marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing(bench: Any, theme: str, views: tuple[str, ...]) -> None:
    bench.command("apputils:change-theme", theme=theme)
    bench.command("autodiff-kit:open-welcome")
    expect(bench.page.locator(".akl-welcome")).to_be_visible()
    found = bench.axe(".akl-welcome")
    bench.notebook()
    bench.command("autodiff-kit:open-syllabus")
    bench.run(SETUP, PUSH, ATTENTION)
    bench.tape(66)
    bench.row(2).click()
    found += bench.axe(".akl-syllabus", ".akl-inspector")
    for view in views:
        bench.view(view)
        bench.settled()
        found += [f"{view}: {line}" for line in bench.axe(".akl-inspector")]
    bench.command("autodiff-kit:open-exercises")
    found += bench.axe(".akl-exercises")
    bench.command("apputils:change-theme", theme="JupyterLab Light")
    assert found == []


@pytest.mark.slow
def test_the_panels_speak_german(own_bench: Any) -> None:
    plugin = "@jupyterlab/translation-extension:plugin"
    put = "([p, locale]) => jupyterapp.serviceManager.settings.save(p, JSON.stringify({ locale }))"
    own_bench.js(put, [plugin, "de_DE"])
    try:
        own_bench.load("&reset")
        own_bench.command("autodiff-kit:open-syllabus")
        expect(own_bench.page.locator(".akl-syllabus h2")).to_have_text("Lehrplan")
        own_bench.command("autodiff-kit:open-inspector")
        expect(own_bench.inspector.locator(".akl-empty h2")).to_have_text("Noch kein Band")
    finally:
        own_bench.js(put, [plugin, "default"])


@pytest.mark.slow
def test_commands_are_in_the_palette_and_keys_are_nobody_elses(bench: Any) -> None:
    names = bench.js("jupyterapp.commands.listCommands().filter(name => name.startsWith('autodiff-kit:'))")
    assert len(names) >= 30
    keys = bench.js("jupyterapp.commands.keyBindings.map(b => [b.command, b.keys.join(' '), b.selector])")
    ours = {(key, selector) for command, key, selector in keys if command.startswith("autodiff-kit:")}
    assert len(ours) == 3
    others = {key for command, key, _ in keys if not command.startswith("autodiff-kit:")}
    assert {key for key, _ in ours}.isdisjoint(others)
    menu = bench.page.locator(".lm-MenuBar-itemLabel", has_text="Autodiff")
    expect(menu).to_be_visible()
