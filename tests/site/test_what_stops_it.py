"""What keeps Python from running, or a learner from their work: each is said, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright, expect

from tests.site.conftest import CELLS, START, Quiet, Visitor, served
from tests.site.test_site import seconds_to_result

LESSON = "notebooks/09_attention_masking.ipynb"
PAGE = f"lite/notebooks/index.html?path={LESSON}"
RUN = """at => {
    jupyterapp.shell.currentWidget.content.activeCellIndex = at;
    void jupyterapp.commands.execute('notebook:run-cell');
}"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def stranger(playwright: Playwright, chromium: str, address: str, tmp_path: Path) -> Iterator[Any]:
    """Makes somebody whose browser has other options."""
    made: list[Visitor] = []

    def make(*, at: str = address, preferences: dict[str, Any] | None = None, **options: Any) -> Visitor:
        profile = tmp_path / "profile"
        if preferences is not None:
            (profile / "Default").mkdir(parents=True)
            (profile / "Default" / "Preferences").write_text(json.dumps({"profile": preferences}))
        made.append(Visitor(playwright, chromium, profile, at, **options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.context.close()


def test_a_page_without_a_service_worker_says_so_and_leads_to_the_lesson(stranger: Any) -> None:
    visit = stranger(service_workers="block").visit()
    visit.page.goto(f"{visit.address}/{PAGE}")
    expect(visit.page.locator("#opening [role=status]")).to_contain_text("no service worker", timeout=120_000)
    visit.page.get_by_role("link", name="Read the lesson meanwhile").click()
    expect(visit.page.locator("h1")).to_contain_text("Attention masking")


def test_a_page_whose_storage_is_blocked_says_so(stranger: Any) -> None:
    visit = stranger(preferences={"default_content_setting_values": {"cookies": 2}}).visit()
    visit.page.goto(f"{visit.address}/{PAGE}")
    expect(visit.page.locator("#opening [role=status]")).to_contain_text("cookies are blocked")
    visit.page.wait_for_timeout(3000)
    expect(visit.page.locator("#opening [role=status]")).to_contain_text("cookies are blocked")  # for good


class CallsProgramsText(Quiet):
    """A server that does not know what WebAssembly is."""

    extensions_map = Quiet.extensions_map | {".wasm": "text/plain"}


def test_a_server_may_call_the_program_something_else(stranger: Any, site: Path) -> None:
    with served(site, CallsProgramsText) as address:
        visit = stranger(at=address).visit()
        visit.page.goto(f"{address}/")
        seconds_to_result(visit.page)
        visit.notebook(LESSON)
        assert visit.printed("print(6 * 7)") == "42\n"


def test_a_page_of_which_a_part_does_not_come_says_so(stranger: Any) -> None:
    visitor = stranger()
    visitor.context.route("**/build/notebooks/bundle.js*", lambda route: route.abort())
    visit = visitor.visit()
    visit.page.goto(f"{visit.address}/{PAGE}")
    expect(visit.page.locator("#opening h1")).to_contain_text("Attention masking")
    expect(visit.page.locator("#opening [role=status]")).to_contain_text("did not come")
    visitor.context.unroute("**/build/notebooks/bundle.js*")
    visit.page.get_by_role("button", name="Try again").click()
    visit.started()
    expect(visit.page.locator("#opening")).to_have_count(0)


def test_an_endless_cell_is_stopped_with_its_python(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    at = visit.index("lesson(")
    visit.set_text(at, "while True:\n    pass")
    visit.page.evaluate(RUN, at)
    visit.page.wait_for_timeout(1000)
    visit.page.evaluate("() => void jupyterapp.commands.execute('notebook:interrupt-kernel')")
    # The loop has a processor to itself until then: on a busy machine the page answers late.
    visit.page.get_by_role("button", name="Restart Python").click(timeout=START)
    visit.started()
    assert visit.printed("print(6 * 7)") == "42\n"


def test_what_was_written_stays_though_the_page_is_left_at_once(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    at = visit.index("lesson(")
    visit.set_text(at, "# mine")
    visit.page.on("dialog", lambda dialog: dialog.accept())
    visit.page.goto(f"{visitor.address}/lessons/index.html")
    visit.notebook(LESSON)
    assert visit.cells()[at]["text"] == "# mine"


def test_a_check_saves_the_notebook(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.notebook("exercises/09_attention_masking.ipynb")
    visit.run(0, visit.index("q1, q2"))
    at = visit.index("def zero_after(")
    visit.set_text(at, "def zero_after(scores, keep):\n    return scores\nrenormalised = masked_before = zero_after")
    visit.execute(at)
    visit.execute(visit.index("q1.check()"))
    visit.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=5000)
    # Checks, the clock and the menu save as well; none of them takes another's file for a stranger's.
    visit.set_text(at, "# changed")
    visit.page.evaluate(
        "() => { const { context } = jupyterapp.shell.currentWidget; for (let k = 0; k < 3; k++) context.save(); }"
    )
    visit.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=5000)
    visit.save()
    expect(visit.page.locator(".jp-Dialog")).to_have_count(0)


def test_whoever_saves_second_in_two_tabs_is_asked(visitor: Visitor) -> None:
    first, second = (visitor.visit() for _ in range(2))
    for visit in (first, second):
        visit.page.bring_to_front()
        visit.notebook(LESSON)
    at = first.index("lesson(")
    second.set_text(at, "# second")
    second.save()
    second.set_text(at, "# again")
    second.save()  # one's own file is no other's
    expect(second.page.locator(".jp-Dialog")).to_have_count(0)
    first.page.bring_to_front()
    first.set_text(at, "# first")
    first.page.evaluate("() => void jupyterapp.shell.currentWidget.context.save().catch(() => 0)")
    expect(first.page.locator(".jp-Dialog")).to_contain_text("has changed on disk")
    first.page.get_by_role("button", name="Revert").click()
    first.page.wait_for_function(f"at => ({CELLS})()[at].text === '# again'", arg=at)


def test_german_is_chosen_in_the_menu_and_spoken_by_python(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    visit.page.locator(".lm-MenuBar-itemLabel:text-is('Settings')").click()
    visit.page.locator(".lm-Menu-itemLabel:text-is('Language')").click()
    visit.page.locator(".lm-Menu-itemLabel:has-text('Deutsch')").click()
    visit.page.locator(".jp-Dialog button.jp-mod-accept").click()
    visit.page.locator(".lm-MenuBar-itemLabel:text-is('Einstellungen')").wait_for()
    visit.started()
    visit.run(0, visit.index("predict("))
    expect(visit.cell(visit.index("predict(")).locator(".ak-predict")).to_contain_text("Antwort")
    visit.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }")
    visit.started()
    assert visit.printed("import os; print(os.environ['AUTODIFF_KIT_LANGUAGE'])") == "de_DE\n"


def test_a_lesson_is_dark_where_the_system_is(stranger: Any) -> None:
    visit = stranger(color_scheme="dark").visit()
    visit.notebook(LESSON)
    assert visit.page.evaluate("document.body.dataset.jpThemeLight") == "false"


def test_a_lessons_page_leads_back_and_to_the_list_of_files(visitor: Visitor) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    assert visit.page.title() == "09 · Attention masking: what zeroed weights still leak"
    visit.page.locator(".lm-MenuBar-itemLabel:text-is('View')").click()
    with visit.page.context.expect_page() as opened:
        visit.page.locator(".lm-Menu-itemLabel:text-is('File Browser')").click()
    opened.value.wait_for_url("**/lite/lab/index.html*")
    opened.value.close()
    visit.page.keyboard.press("Escape")
    visit.page.get_by_role("link", name="Lesson in the book").click()
    expect(visit.page.locator("h1")).to_contain_text("Attention masking")
    visit.page.go_back()
    visit.page.get_by_role("link", name="autodiff_kit", exact=True).first.click()
    expect(visit.page.locator("#run")).to_be_visible()
