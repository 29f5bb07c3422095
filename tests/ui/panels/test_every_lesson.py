"""Every lesson as a learner has it on the screen: four windows, two themes, all cells run."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.lab.server.catalog import lesson_catalog

# The window of a small laptop, a narrow one, 1280 x 800 at 200 % zoom, and a telephone.
WINDOWS = ((1280, 800), (800, 800), (640, 400), (360, 640))
THEMES = ("light", "dark")
WHOLE = 90_000  # ms that all cells of a lesson may take
# Every cell is laid out, also those that are out of sight.
LAID_OUT = ".jp-Notebook .jp-Cell, .jp-Notebook .jp-Cell * { content-visibility: visible !important }"
# What leaves the lesson at its right and cannot be scrolled in a box of its own; a widget may not even do that.
TOO_WIDE = """() => {
  const outer = jupyterapp.shell.currentWidget.content.node.querySelector('.jp-WindowedPanel-outer');
  const edge = outer.getBoundingClientRect().left + outer.clientWidth + 1;
  const scrolls = (e) => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX);
  const isHeld = (e) => {
    for (let up = e.parentElement; up !== outer; up = up.parentElement) if (scrolls(up)) return true;
  };
  const leaves = (e) => {
    const box = e.getBoundingClientRect();
    return box.width && box.height && box.right > edge && e.checkVisibility({ visibilityProperty: true });
  };
  const out = [...outer.querySelectorAll('*')].filter((e) => leaves(e) && !isHeld(e));
  const widgets = [...outer.querySelectorAll('section.ak, .ak-predict')]
    .filter((e) => leaves(e) || e.scrollWidth > e.clientWidth + 1);
  const wider = [document.documentElement, outer].filter((e) => e.scrollWidth > e.clientWidth);
  return [...new Set([...wider, ...out, ...widgets])].map((e) => e.outerHTML.slice(0, 160)).slice(0, 5);
}"""


def shots(bench: Any, name: str) -> None:
    """Pictures of the beginning and of each widget, where somebody asked for pictures."""
    for at, widget in enumerate(bench.page.locator(".jp-Notebook:visible section.ak:visible").all()):
        widget.evaluate("one => one.scrollIntoView({ block: 'center' })")
        bench.still()
        bench.shot(f"{name}-{at}")


@pytest.mark.slow
@pytest.mark.parametrize("no", list(lesson_catalog()))
def test_a_lesson_fits_every_window_in_both_themes_and_complains_of_nothing(bench: Any, no: str) -> None:
    page = bench.page
    page.set_viewport_size({"width": WINDOWS[0][0], "height": WINDOWS[0][1]})
    bench.command("autodiff-kit:open-syllabus")
    bench.command("autodiff-kit:open-lesson", no=no, what="lesson")
    page.wait_for_function("no => jupyterapp.shell.currentWidget?.context?.path?.includes(no + '_')", arg=no)
    bench.idle()
    page.set_default_timeout(WHOLE)
    bench.command("notebook:run-all-cells")
    bench.idle()
    page.set_default_timeout(10_000)
    page.add_style_tag(content=LAID_OUT)
    found = {}
    for theme in THEMES:
        bench.command("apputils:change-theme", theme=f"JupyterLab {theme.capitalize()}")
        page.wait_for_selector(f"body[data-jp-theme-light={'true' if theme == 'light' else 'false'}]", state="attached")
        for width, height in WINDOWS:
            page.set_viewport_size({"width": width, "height": height})
            bench.still()
            bench.still()
            if wide := bench.js(TOO_WIDE):
                found[f"{theme} {width}"] = wide
            shots(bench, f"{no}-{theme}-{width}")
    bench.command("apputils:change-theme", theme="JupyterLab Light")
    assert found == {}
