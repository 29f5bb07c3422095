"""The panels in Notebook 7, which has one notebook a page and no side bars until they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from autodiff_kit.lab.server.catalog import lesson_catalog

from .cells import PULL, PUSH
from .conftest import Bench

LESSONS = len(lesson_catalog())
LESSON = "notebooks/01_jacobian_vector_products.ipynb"
EXERCISE = "exercises/01_jacobian_vector_products.ipynb"


class Notebook7(Bench):
    """A page of Notebook 7 with one notebook."""

    def __init__(self, page: Page, server: Any, path: str) -> None:
        self.at = path
        super().__init__(page, server)

    def load(self, more: str = "") -> None:
        self.page.goto(f"{self.server.url}notebooks/{self.at}?token={self.server.token}")
        self.page.wait_for_function("window.jupyterapp", timeout=60_000)
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.idle()

    def inside(self, panel: str) -> bool:
        """Whether a panel is wholly in the window."""
        return bool(
            self.page.locator(panel).evaluate(
                "one => { const r = one.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth + 1 }"
            )
        )


@pytest.fixture
def paper(chrome: Browser, server: Any) -> Iterator[Any]:
    """Open a notebook: ``paper(path)``; nothing of ours may have complained in the end."""
    opened: list[Notebook7] = []

    def show(path: str) -> Notebook7:
        page = chrome.new_page(viewport={"width": 1280, "height": 800})
        opened.append(Notebook7(page, server, path))
        return opened[-1]

    yield show
    for one in opened:
        one.js("jupyterapp.serviceManager.sessions.shutdownAll()")
        one.page.close()
    ours = [line for one in opened for line in one.complaints if "autodiff" in line or "akl-" in line]
    assert ours == []


@pytest.mark.slow
def test_inspector_marks_and_syllabus(paper: Any) -> None:
    book = paper(LESSON)
    book.run("import autodiff_kit as ak\n" + PUSH, PULL)
    book.tape(12)
    assert book.inside(".akl-inspector")
    expect(book.inspector.locator(".akl-where")).to_have_text("swept")  # word of the second cell has come
    book.focus_table()
    book.press("f", ".", ".", ".", ".")
    expect(book.inspector.locator(".akl-where")).to_have_text("4 / 12")
    assert book.marked("now") == ["a = x[0] * x[1]"]
    book.press("g")
    expect(book.inspector.locator(".akl-box")).to_have_count(12)

    book.press("Alt+Shift+L")
    syllabus = book.page.locator(".akl-syllabus")
    expect(syllabus.locator(".akl-lesson")).to_have_count(LESSONS)
    assert book.inside(".akl-syllabus")
    assert book.inside(".akl-inspector")
    row = syllabus.locator('.akl-lesson[data-no="06"]')
    row.locator(".akl-lesson-row").click()
    with book.page.expect_popup() as other:
        # Other tests share the folder, and may have run lesson 06 before.
        row.get_by_role("button", name=re.compile("^(Start|Go on|Read again)")).click()
    assert "06_" in other.value.url
    other.value.close()


@pytest.mark.slow
def test_exercises_are_checked_and_handed_in(paper: Any) -> None:
    book = paper(EXERCISE)
    book.press("Alt+Shift+E")
    panel = book.page.locator(".akl-exercises")
    first = panel.locator(".akl-q").first
    expect(first).to_be_visible()
    assert book.inside(".akl-exercises")
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".akl-msg")).to_contain_text("Run the notebook’s first cell")
    panel.get_by_role("button", name=re.compile("^Hand in")).click()
    expect(panel.get_by_text(re.compile("Receipt|Save first")).first).to_be_visible()
