"""The panels for those who see or move otherwise: high contrast, forced colours, no motion, a narrow window, keys."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from ..conftest import IN_BOTH
from .cells import ATTENTION, LONG, PUSH, SETUP

VIEWS = ("table", "graph", "cost", "memory", "diff", "why")
# Widths that stick out of the panel that holds them.
STICKS_OUT = """root => { const edge = root.getBoundingClientRect();
    const scrolls = e => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX);
    return [...root.querySelectorAll('*')].filter(e => {
        const box = e.getBoundingClientRect();
        if (!box.width || box.right <= edge.right + 1) return false;
        for (let up = e.parentElement; up && up !== root; up = up.parentElement) if (scrolls(up)) return false;
        return true; }).map(e => e.outerHTML.slice(0, 120)); }"""


def everything(bench: Any, look: str) -> list[str]:
    """What axe finds in every view and panel, each of them kept as a picture."""
    found: list[str] = []
    for view in VIEWS:
        bench.view(view)
        expect(bench.inspector.locator(f".akl-tabs [data-v={view}]")).to_have_attribute("aria-selected", "true")
        if view == "diff":
            expect(bench.inspector.locator(".akl-diff-sum")).to_be_visible()
        bench.still()
        bench.shot(f"{look}-{view}")
        found += [f"{look} {view}: {line}" for line in bench.axe(".akl-inspector")]
    bench.view("table")
    found += [f"{look}: {line}" for line in bench.axe(".akl-syllabus")]
    bench.command("autodiff-kit:open-exercises")
    expect(bench.page.locator(".akl-exercises")).to_be_visible()
    found += [f"{look}: {line}" for line in bench.axe(".akl-exercises")]
    bench.command("autodiff-kit:open-inspector")
    return found


def ready(bench: Any) -> None:
    bench.notebook()
    bench.command("autodiff-kit:open-syllabus")
    bench.run(SETUP, PUSH, ATTENTION)
    bench.tape(66)
    bench.row(2).click()


@pytest.mark.parametrize(
    ("theme", "media"),
    [
        pytest.param("JupyterLab Light", {"forced_colors": "active", "color_scheme": "dark"}, marks=pytest.mark.slow),
        pytest.param("JupyterLab Dark", {"forced_colors": "active", "color_scheme": "light"}, marks=pytest.mark.slow),
        pytest.param("JupyterLab Dark High Contrast", {}, marks=pytest.mark.slow),
        pytest.param("JupyterLab Dark", {"contrast": "more"}, marks=pytest.mark.slow),
    ],
    ids=["forced-dark", "forced-light", "high-contrast", "more-contrast"],
)
def test_axe_finds_nothing_where_colours_are_the_systems(
    own_bench: Any, theme: str, media: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    own_bench.command("apputils:change-theme", theme=theme)
    own_bench.page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
    own_bench.page.emulate_media(**media)
    ready(own_bench)
    found = everything(own_bench, request.node.callspec.id)
    own_bench.command("apputils:change-theme", theme="JupyterLab Light")
    assert found == []


@pytest.mark.slow
def test_colours_of_the_system_reach_what_is_drawn(own_bench: Any) -> None:
    """The strip is a canvas and the graph an SVG: neither is coloured by the browser itself."""
    ready(own_bench)
    own_bench.page.emulate_media(forced_colors="active", color_scheme="dark")
    own_bench.still()
    darkest = """() => { const strip = document.querySelector('.akl-strip-canvas');
        const { data } = strip.getContext('2d').getImageData(0, 0, strip.width, strip.height);
        return Math.max(...data.filter((_, k) => k % 4 !== 3 && data[k - k % 4 + 3] > 128)); }"""
    own_bench.page.wait_for_function(f"({darkest})() > 200")
    own_bench.view("graph")
    face = own_bench.inspector.locator(".akl-box-face").first
    assert face.evaluate("one => getComputedStyle(one).fill") == "rgb(0, 0, 0)"
    stroke = face.evaluate("one => getComputedStyle(one).stroke")
    assert max(int(part) for part in re.findall(r"\d+", stroke)[:3]) > 120


@pytest.mark.slow
def test_nothing_moves_by_itself(own_bench: Any) -> None:
    """Where motion is not wanted, playing is one leap; else it takes its steps."""
    ready(own_bench)
    own_bench.page.emulate_media(reduced_motion="reduce")
    own_bench.command("apputils:change-theme", theme="JupyterLab Light")
    own_bench.focus_table()
    own_bench.press("f", "Space")
    expect(own_bench.inspector.locator(".akl-where")).to_have_text("recorded", timeout=1500)
    moving = "document.getAnimations().filter(one => one.effect.target?.closest?.('.akl')).length"
    assert own_bench.js(moving) == 0
    own_bench.page.emulate_media(reduced_motion="no-preference")
    own_bench.press("Shift+Home", "Space")
    expect(own_bench.inspector.locator(".akl-where")).to_have_text(re.compile(r"^[1-9]\d? / 66"))
    own_bench.press("Space")


@pytest.mark.slow
@pytest.mark.parametrize("width", [700, 1024])
def test_a_narrow_window_cuts_nothing_off(bench: Any, width: int) -> None:
    ready(bench)
    bench.page.set_viewport_size({"width": width, "height": 700})
    bench.js("jupyterapp.shell.collapseLeft()")
    for view in VIEWS:
        bench.view(view)
        bench.still()
        bench.shot(f"narrow-{width}-{view}")
        assert bench.inspector.evaluate(STICKS_OUT) == [], view
    bench.command("autodiff-kit:open-exercises")
    assert bench.page.locator(".akl-exercises").evaluate(STICKS_OUT) == []
    bench.js("jupyterapp.shell.collapseRight()")
    bench.command("autodiff-kit:open-syllabus")
    assert bench.page.locator(".akl-syllabus").evaluate(STICKS_OUT) == []


@pytest.mark.slow
@IN_BOTH
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (800, 800), (640, 400)])
def test_a_lesson_has_its_room_again_when_it_is_clicked(bench: Any, width: int, height: int) -> None:
    """The syllabus that was asked for may take the room of a narrow window, until the learner is back in the lesson."""
    page = bench.page
    page.set_viewport_size({"width": width, "height": height})
    bench.open_lesson("01")
    bench.js("jupyterapp.shell.collapseLeft()")
    bench.command("autodiff-kit:open-syllabus")
    expect(page.locator(".akl-syllabus")).to_be_visible()
    lesson = page.locator(".jp-NotebookPanel:visible .jp-WindowedPanel-outer")
    lesson.click()  # in its middle
    page.wait_for_function(
        "jupyterapp.shell.currentWidget.node.clientWidth >= 480 && jupyterapp.shell.currentWidget.isVisible"
    )
    assert page.locator(".akl-syllabus").is_visible() == (width == 1280), "it folds only where it must"


@pytest.mark.slow
def test_what_a_narrow_window_folded_comes_back_in_a_wide_one(bench: Any) -> None:
    page = bench.page
    bench.open_lesson("01")
    bench.command("autodiff-kit:open-syllabus")
    syllabus = page.locator(".akl-syllabus")
    page.locator(".jp-NotebookPanel:visible .jp-WindowedPanel-outer").click()
    for width, visible in ((1280, True), (640, False), (700, False), (1280, True), (640, False), (1280, True)):
        page.set_viewport_size({"width": width, "height": 800})
        bench.still()
        expect(syllabus).to_be_visible(visible=visible)
    bench.js("jupyterapp.shell.collapseLeft()")  # as the learner does, who wants it away
    for width in (640, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for _ in range(3):
            bench.still()
        expect(syllabus).to_be_hidden()


@pytest.mark.slow
def test_no_plain_key_of_any_panel_reaches_the_notebook(bench: Any) -> None:
    """Every key of the table of keys, and those that would change a notebook in command mode."""
    ready(bench)
    page = bench.page
    cells = "jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"
    kinds = "jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.type)"
    before = bench.js(cells), bench.js(kinds)
    bench.js("jupyterapp.shell.currentWidget.content.mode = 'command'")
    bench.js(
        """() => { window.ran = []; jupyterapp.commands.commandExecuted.connect((_, { id }) => {
            if (!id.startsWith('autodiff-kit:')) ran.push(id); }); }"""
    )
    keys = [*".,frnN[]tgcmdwpabxyzv01ojkql", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]
    keys += ["Home", "End", "PageUp", "PageDown", "Enter", "Space", "Escape", "Delete", "Shift+Home", "Shift+End"]
    bench.focus_table()
    bench.press(*keys)
    bench.view("table")
    places = [(".akl-strip", "[role=slider]"), (".akl-syllabus", ".akl-lesson[tabindex='0']")]
    for panel, part in places:
        page.locator(panel).locator(part).or_(page.locator(f"{panel}{part}")).first.focus()
        bench.press(*(key for key in keys if key not in ("Enter", "Space")))
    bench.command("autodiff-kit:open-exercises")
    page.locator(".akl-exercises").focus()
    bench.press(*keys)
    assert bench.js("ran") == []
    assert (bench.js(cells), bench.js(kinds)) == before


@pytest.mark.slow
def test_every_view_of_ten_thousand_nodes(bench: Any) -> None:
    """Long tapes draw as much as there is room for: a few hundred things, and nothing that sticks out."""
    bench.notebook()
    bench.run(SETUP, LONG)
    bench.tape("10\u202f004")
    bench.focus_table()
    bench.press("f", ".", ".")
    for view in VIEWS:
        bench.view(view)
        bench.still()
        bench.shot(f"ten-thousand-{view}")
        assert bench.inspector.evaluate(STICKS_OUT) == [], view
        assert bench.inspector.locator("*").count() < 4000, view
