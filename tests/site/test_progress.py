"""Progress in a browser's storage: after a reload, from two tabs, and as a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.site.conftest import Visit, Visitor
from tests.site.test_lessons_in_browser import LESSONS

LONG = 300_000  # ms
ATTEMPTS = 15  # of each tab
IMPORTS = "from autodiff_kit.lessons.progress import progress"
TRY = """for k in range({n}):
    progress().attempt("{id}", notebook="01_jacobian_vector_products", points=3, outcome="not yet", score=0, ms=1,
                       message="", cell_sha=str(k))"""
# Runs a cell without waiting for it.
BEGIN = """at => {
    jupyterapp.shell.currentWidget.content.activeCellIndex = at;
    window.ran = false;
    void jupyterapp.commands.execute('notebook:run-cell').then(() => { window.ran = true; });
}"""
# Asks for a turn at the progress file, as a kernel does.
TURN = "async ([what, name]) => (await fetch(`../api/autodiff-kit/${what}/${name}`, { method: 'POST' })).status"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_progress_is_there_after_a_reload_and_from_two_tabs(visitor: Visitor) -> None:
    tabs = {}
    for no in ("01", "06"):  # each in front of the one before: JupyterLab gives a page behind it no current notebook
        tabs[no] = began(visitor, no, app="lab")
        expect(tabs[no].syllabus().locator(f'[data-no="{no}"]')).to_have_class(re.compile("is-begun"))
    first = tabs["01"]
    first.page.bring_to_front()
    first.page.reload()
    first.notebook(f"notebooks/{LESSONS['01']}", app="lab")
    expect(first.syllabus().locator('[data-no="01"]')).to_have_class(re.compile("is-begun"))
    first.run(0, first.index("lesson("))
    for no in tabs:
        expect(first.syllabus().locator(f'[data-no="{no}"]')).to_have_class(re.compile("is-begun"))


def began(visitor: Visitor, no: str = "01", app: str = "notebooks") -> Visit:
    """A lesson whose first cell has run."""
    visit = visitor.visit()
    visit.notebook(f"notebooks/{LESSONS[no]}", app)
    visit.run(0, visit.index("lesson("))
    return visit


def test_two_tabs_that_check_at_once_lose_no_attempt(visitor: Visitor) -> None:
    tabs = {"jvp-1": began(visitor), "jvp-2": began(visitor, "06")}
    at = {id: visit.index("lesson(") for id, visit in tabs.items()}
    for id, visit in tabs.items():
        visit.write(at[id], IMPORTS)
        visit.set_text(at[id], TRY.format(n=ATTEMPTS, id=id))
    for id, visit in tabs.items():
        visit.page.evaluate(BEGIN, at[id])
    for id, visit in tabs.items():
        visit.page.wait_for_function("ran", timeout=LONG)
        assert visit.cells()[at[id]]["outputs"] == []
    for visit in tabs.values():
        assert visit.printed('print(*(progress().question(id).tries for id in ("jvp-1", "jvp-2")))').split() == [
            str(ATTEMPTS)
        ] * len(tabs)


def test_the_syllabus_resets_brings_back_and_exports(visitor: Visitor) -> None:
    panel = began(visitor).syllabus()
    row = panel.locator('[data-no="01"]')
    expect(row).to_have_class(re.compile("is-begun"))
    with panel.page.expect_download() as loaded:
        panel.get_by_role("button", name="Export").click()
    assert "01" in Path(loaded.value.path()).read_text()
    panel.get_by_role("button", name="Reset progress").click()
    panel.page.get_by_role("button", name="Back up and reset").click()
    expect(row).not_to_have_class(re.compile("is-begun"))
    panel.page.get_by_role("button", name="Undo").click()
    expect(row).to_have_class(re.compile("is-begun"))


def test_a_turn_at_the_file_ends_before_the_next_begins(visitor: Visitor) -> None:
    first, second = (visitor.visit().page for _ in range(2))
    for page in (first, second):
        page.goto(f"{visitor.address}/lite/notebooks/index.html?path=notebooks/{LESSONS['01']}")
        page.evaluate("() => navigator.serviceWorker.ready")
        page.wait_for_function("navigator.serviceWorker.controller")
    assert first.evaluate(TURN, ["take", "one"]) == 204
    second.evaluate(f"() => void ({TURN})(['take', 'two']).then(status => (window.mine = status))")
    second.wait_for_timeout(1000)
    assert second.evaluate("window.mine ?? null") is None
    assert first.evaluate(TURN, ["give", "one"]) == 204
    second.wait_for_function("window.mine === 204")
    assert second.evaluate(TURN, ["give", "two"]) == 204
    assert first.evaluate(TURN, ["take", "three"]) == 204


def test_progress_is_carried_to_another_browser_as_a_file(visitor: Visitor, tmp_path: Path) -> None:
    visit = began(visitor)
    panel = visit.syllabus()
    expect(panel.locator(".akl-keep")).to_contain_text("in this browser alone")
    with visit.page.expect_download() as loaded:
        panel.get_by_role("button", name="Save it as a file").click()
    assert re.fullmatch(r"autodiff_kit-progress-[\dTZ-]+\.db", loaded.value.suggested_filename)
    file = tmp_path / "progress.db"
    loaded.value.save_as(file)

    visitor.move_to(tmp_path / "another")
    visit = began(visitor, "06")
    panel = visit.syllabus()
    for name, said in ((Path(__file__), "This is not a progress file"), (file, "was added")):
        with visit.page.expect_file_chooser() as chooser:
            panel.get_by_role("button", name="Add a file").click()
        chooser.value.set_files(name)
        expect(panel.locator(".akl-toast")).to_contain_text(said)
    for no in ("01", "06"):
        expect(panel.locator(f'[data-no="{no}"]')).to_have_class(re.compile("is-begun"))


# What fails in the page's storage: every write, as where it is full; or a read, as where somebody cleared it.
FAILING = {
    "full": """() => {
        IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError'); };
    }""",
    "cleared": "() => jupyterapp.serviceManager.contents.delete('.autodiff_kit/progress.db')",
}


@pytest.mark.parametrize("way", FAILING)
def test_a_store_that_fails_is_said_and_progress_goes_on(visitor: Visitor, way: str) -> None:
    visit = began(visitor)
    visit.page.evaluate(FAILING[way])
    said = visit.printed(f"{IMPORTS}\nprogress().begin_lesson('06')\nprint(*progress().summary().lessons)")
    assert "export_progress() gives you a file" in said
    assert said.split()[-2:] == ["01", "06"]
