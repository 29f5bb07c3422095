"""Every lesson as a learner has it on the screen: four windows, two themes, all cells run."""

from __future__ import annotations

import os
from typing import Any

import pytest

from autodiff_kit.lab.server.catalog import lesson_catalog

from ..conftest import PATIENCE

# The window of a small laptop, a narrow one, 1280 x 800 at 200 % zoom, and a telephone.
WINDOWS = ((1280, 800), (800, 800), (640, 400), (360, 640))
THEMES = ("Light", "Dark")
WHOLE = 90_000  # ms that all cells of a lesson may take
# Every cell is laid out, also those that are out of sight.
LAID_OUT = ".jp-Notebook .jp-Cell, .jp-Notebook .jp-Cell * { content-visibility: visible !important }"
# What is wrong with how a lesson stands: it is too narrow; a part leaves the lesson or its widget at the right, and
# cannot be scrolled in a box of its own; a widget stands on other paper than its lesson; the theme hides its text.
FAULTS = """([width, isDark]) => {
  const outer = jupyterapp.shell.currentWidget.content.node.querySelector('.jp-WindowedPanel-outer');
  const scrolls = (e) => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX);
  const isHeld = (e, root) => {
    for (let up = e.parentElement; up !== root; up = up.parentElement) if (scrolls(up)) return true;
  };
  const sticksOut = (root) => [...root.querySelectorAll('*')].filter((e) => {
    const box = e.getBoundingClientRect();
    const leaves = box.right > root.getBoundingClientRect().left + root.clientWidth + 1;
    const isClipped = e.localName === 'g' || e.closest('[clip-path]'); // its box is larger than what is drawn of it
    const isSeen = box.width && box.height && e.checkVisibility({ visibilityProperty: true });
    return leaves && isSeen && !isClipped && !isHeld(e, root);
  });
  const paper = (e) => getComputedStyle(e).backgroundColor;
  const sheet = (e) => (paper(e) === 'rgba(0, 0, 0, 0)' && e.parentElement ? sheet(e.parentElement) : paper(e));
  const isLight = (e) => getComputedStyle(e).color.match(/\\d+/g).slice(0, 3).every((part) => part > 150);
  const widgets = [...outer.querySelectorAll('section.ak, .ak-predict')];
  const out = new Set([outer, ...widgets].flatMap(sticksOut));
  return [
    ...(widgets.length ? [] : ['no widget']),
    ...(outer.clientWidth < Math.min(480, width - 120) ? [`only ${outer.clientWidth} px`] : []),
    ...[document.documentElement, outer].filter((e) => e.scrollWidth > e.clientWidth).map(() => 'it scrolls sideways'),
    ...[...out].map((e) => `sticks out: ${e.outerHTML.slice(0, 120)}`),
    ...widgets.filter((e) => sheet(e) !== sheet(e.parentElement)).map((e) => `in a box: ${e.outerHTML.slice(0, 90)}`),
    ...widgets.filter((e) => isLight(e) !== isDark).map((e) => `colour of ${e.outerHTML.slice(0, 90)}`),
  ].slice(0, 4);
}"""
ERRORS = """() => jupyterapp.shell.currentWidget.content.widgets.flatMap((cell) => cell.model.outputs?.toJSON() ?? [])
  .filter((one) => one.output_type === 'error').map((one) => `${one.ename}: ${one.evalue}`)"""


def shots(bench: Any, name: str) -> None:
    """Pictures of each widget, where somebody asked for pictures."""
    if not os.environ.get("AUTODIFF_KIT_SHOTS"):
        return
    for at, widget in enumerate(bench.page.locator(".jp-Notebook:visible :is(section.ak, .ak-predict):visible").all()):
        widget.evaluate("one => one.scrollIntoView({ block: 'center' })")
        bench.still()
        bench.shot(f"{name}-{at}")


def run_whole(bench: Any, no: str) -> None:
    """Open a lesson beside the syllabus, as it is on a small laptop, and run all its cells."""
    bench.page.set_viewport_size({"width": WINDOWS[0][0], "height": WINDOWS[0][1]})
    bench.command("autodiff-kit:open-syllabus")
    bench.open_lesson(no)
    bench.page.set_default_timeout(WHOLE)
    bench.command("notebook:run-all-cells")
    bench.idle()
    bench.page.set_default_timeout(PATIENCE)
    bench.page.add_style_tag(content=LAID_OUT)


@pytest.mark.slow
def test_all_cells_are_drawn_although_the_page_is_never_idle(own_bench: Any) -> None:
    """JupyterLab itself draws them when the browser is idle, and complains where it waits ten seconds for the last."""
    own_bench.page.add_init_script("window.requestIdleCallback = () => 0")
    own_bench.load()
    own_bench.command("autodiff-kit:open-lesson", no="02", what="lesson")
    own_bench.page.wait_for_function(
        """() => { const { context, content } = jupyterapp.shell.currentWidget ?? {};
            return context?.path?.includes('/02_') && content.widgets.length > 40
                && content.widgets.every((cell) => cell.isAttached); }""",
        timeout=240_000,
    )
    assert own_bench.js(ERRORS) == []


@pytest.mark.slow
@pytest.mark.parametrize("no", list(lesson_catalog()))
def test_a_lesson_fits_every_window_in_both_themes_and_complains_of_nothing(own_bench: Any, no: str) -> None:
    run_whole(own_bench, no)
    assert own_bench.js(ERRORS) == []
    found = {}
    for theme in THEMES:
        own_bench.command("apputils:change-theme", theme=f"JupyterLab {theme}")
        own_bench.page.wait_for_selector(f"body[data-jp-theme-name='JupyterLab {theme}']", state="attached")
        for width, height in WINDOWS:
            own_bench.page.set_viewport_size({"width": width, "height": height})
            for _ in range(3):  # what is drawn for a width, the panels that fold, and what is drawn then
                own_bench.still()
            if faults := own_bench.js(FAULTS, [width, theme == "Dark"]):
                found[f"{theme} {width}"] = faults
            shots(own_bench, f"{no}-{theme.lower()}-{width}")
    own_bench.command("apputils:change-theme", theme="JupyterLab Light")
    assert found == {}
