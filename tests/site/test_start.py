"""Python's way into the page is shown as it goes: what is loaded, what it waits for, and what to do where it fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.site.conftest import START, Visitor

MEGABYTE = 1e6
ENGINE = "**/pyodide.asm.wasm"
LESSON = "notebooks/03_where_cond.ipynb"
# Notes each sentence and each number that the banner shows, in order.
NOTED = """() => {
    window.shown = [];
    const look = () => {
        const text = document.querySelector('.akl-start')?.innerText;
        if (text && shown.at(-1) !== text) shown.push(text);
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}"""
# Holds JupyterLite's list of checkpoints back until `release` is called.
HOLD_CHECKPOINTS = """() => {
    const held = new Promise(done => { window.release = done; });
    const wait = setInterval(() => {
        const contents = window.jupyterapp?.serviceManager.contents;
        if (contents) {
            clearInterval(wait);
            const asked = contents.listCheckpoints.bind(contents);
            contents.listCheckpoints = path => held.then(() => asked(path));
        }
    }, 1);
}"""
CHECKPOINTS = "async path => (await jupyterapp.serviceManager.contents.listCheckpoints(path)).length"
PANELS_AND_KERNELS = """() => {
    const { shell, serviceManager } = jupyterapp;
    return [[...shell.widgets('main')].length, [...serviceManager.kernels.running()].length];
}"""
# The buttons over whose middle something lies that came later.
COVERED = """() => [...document.querySelectorAll('button')].filter(one => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const above = width && one.checkVisibility() && document.elementFromPoint(x + width / 2, y + height / 2);
    return above && above.closest('.Toastify, .akl-start') && !above.contains(one) && !one.contains(above);
}).map(one => one.innerText)"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_way_of_python_into_the_page_is_shown(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.page.add_init_script(f"addEventListener('DOMContentLoaded', {NOTED})")
    held: list[Route] = []  # from this machine it comes before the page is drawn
    visitor.context.route(ENGINE, lambda route: held.append(route))
    visit.page.goto(f"{visitor.address}/lite/notebooks/index.html?path={LESSON}")
    banner = visit.page.locator(".akl-start")
    expect(banner).to_contain_text("Cells that you run wait for it.")
    assert visit.page.evaluate(COVERED) == []
    for route in held:
        route.continue_()
    visitor.context.unroute(ENGINE)
    visit.started()
    expect(banner).to_have_count(0)
    shown = "\n".join(visit.page.evaluate("shown"))
    stages = [shown.find(words) for words in ("is being loaded", "Python starts", "Python runs and imports")]
    assert -1 not in stages
    assert stages == sorted(stages)
    loaded, total = re.findall(r"([\d.]+) of ([\d.]+) MB", shown)[-1]
    assert 0 < float(loaded) <= float(total)


def test_python_starts_once_and_with_the_page(visitor: Visitor) -> None:
    """At the second visit, too, and without taking the service worker from other tabs."""
    for _ in range(2):
        visit = visitor.visit()
        workers: list[str] = []
        said: list[str] = []
        visit.page.on("worker", lambda worker, workers=workers: workers.append(worker.url))
        visit.page.on("console", lambda message, said=said: said.append(message.text))
        visit.notebook(LESSON)
        assert visit.printed("print(6 * 7)") == "42\n"
        assert [url.rsplit("/", 1)[-1] for url in workers] == ["early_worker.mjs"]
        assert not [text for text in said if "unregistering" in text]


def test_a_kernel_waits_for_no_checkpoint(visitor: Visitor) -> None:
    """JupyterLab's own request, after the checkpoint, starts no second kernel, and opens no second panel."""
    visit = visitor.visit()
    visit.page.add_init_script(f"addEventListener('DOMContentLoaded', {HOLD_CHECKPOINTS})")
    visit.notebook(LESSON)
    assert visit.printed("print(6 * 7)") == "42\n"
    visit.page.evaluate("release()")
    visit.page.wait_for_function(CHECKPOINTS, arg=LESSON)
    assert visit.printed("print(6 * 8)") == "48\n"
    assert visit.page.evaluate(PANELS_AND_KERNELS) == [1, 1]


def test_a_lessons_own_page_leaves_consoles_and_editors_to_the_lab(visitor: Visitor) -> None:
    visit = visitor.visit()
    plugins = ("@jupyterlab/console-extension:tracker", "@jupyterlab/fileeditor-extension:plugin")
    for app, there in (("notebooks", False), ("lab", True)):
        visit.notebook(LESSON, app)
        found = visit.page.evaluate("names => names.map(name => jupyterapp.hasPlugin(name))", plugins)
        assert found == [there, there], app


def test_a_connection_that_breaks_is_told_and_tried_again(visitor: Visitor) -> None:
    visit = visitor.visit()
    visitor.context.route(ENGINE, lambda route: route.abort())
    visit.page.goto(f"{visitor.address}/lite/notebooks/index.html?path={LESSON}")
    banner = visit.page.locator(".akl-start")
    expect(banner).to_contain_text("Python could not be loaded", timeout=START)
    visitor.context.unroute(ENGINE)
    banner.get_by_role("button", name="Try again").click()
    visit.started()
    expect(banner).to_have_count(0)


def test_matplotlib_is_loaded_by_the_cell_that_imports_it(visitor: Visitor, site: Path) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    first = visit.index("lesson(")
    visit.run(0, first)

    def fetched() -> set[str]:  # once by the kernel's worker, and once by the service worker for it
        return {url for url in visitor.fetched if "/matplotlib-" in url}

    assert fetched() == set()
    visit.set_text(first, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    visit.execute(first)
    assert len(fetched()) == 1
    outputs = str(visit.cells()[first]["outputs"])
    # A site for tests may lack it.
    has_it = next(site.rglob("matplotlib-*.whl")).stat().st_size > MEGABYTE
    assert ("image/png" in outputs) if has_it else ("This site was built without matplotlib" in outputs), outputs
