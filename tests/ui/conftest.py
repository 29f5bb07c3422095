"""The widgets' front end in a real browser; each question that it asks is answered by the real widget in Python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == HERE:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chrome(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


# A page waits for ever for a promise that is never kept, and so would a test.
WITHIN = """it => {
    const found = (%s);
    const late = (_, fail) => setTimeout(() => fail(new Error('no answer within two minutes')), 120_000);
    return Promise.race([typeof found === 'function' ? found(it) : found, new Promise(late)]);
}"""


def ask(page: Page, script: str, it: Any = None) -> Any:
    """Value of an expression, or of a function of `it`, in the page; promises are waited for, but not without end."""
    return page.evaluate(WITHIN % script, it)


class Stage:
    """One widget on one page."""

    def __init__(self, page: Page, widget: Any, delay: float = 0.0) -> None:
        self.page = page
        self.widget = widget
        self.delay = delay
        self.silent = False
        self.questions = 0
        self.complaints: list[str] = []
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.expose_function("kernel", self.kernel)

    def kernel(self, changes: dict[str, Any]) -> dict[str, Any] | None:
        """What Jupyter does with a message of the front end: set the traits together, send back what differs."""
        if self.silent:
            return None
        self.questions += 1
        if self.delay:
            time.sleep(self.delay)
        before = self.state()
        self.widget.set_state(changes)
        # What the front end sent is not sent back to it, unless the kernel made something else of it.
        return {k: v for k, v in self.state().items() if v != changes.get(k, before.get(k))}

    def state(self) -> dict[str, Any]:
        return {k: v for k, v in self.widget.get_state().items() if not k.startswith("_")}

    def draw(self) -> None:
        self.page.goto((HERE / "page.html").as_uri())
        widget = self.widget
        self.page.evaluate("([text, css, state]) => draw(text, css, state)", [widget._esm, widget._css, self.state()])
        self.page.wait_for_timeout(150)

    @property
    def summary(self) -> str:
        """The sentence under the picture, once the kernel has answered."""
        self.settle()
        return self.page.text_content(".ak-summary") or ""

    def settle(self) -> None:
        self.page.wait_for_function("model.get('asked') === model.get('answered')", timeout=5000)
        self.page.wait_for_timeout(60)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_timeout(60)

    def choose(self, label: str) -> None:
        """Click one of a row of choices."""
        self.page.locator(f'[role=radio]:text-is("{label}")').first.click()
        self.settle()

    def shot(self, name: str) -> None:
        """Keep a picture to look at, where somebody asked for pictures."""
        folder = os.environ.get("AUTODIFF_KIT_SHOTS")
        if folder:
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)

    def overflows(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


Open = Callable[..., Stage]


@pytest.fixture
def stage(chrome: Browser) -> Iterator[Open]:
    """Put a widget on a page: ``stage(widget, theme="dark", width=360)``; nothing may be complained of at the end."""
    opened: list[Stage] = []

    def put(widget: Any, theme: str = "light", width: int = 900, delay: float = 0.0) -> Stage:
        page = chrome.new_page(viewport={"width": width, "height": 900})
        light = "true" if theme == "light" else "false"
        page.add_init_script(
            f"addEventListener('DOMContentLoaded', () => {{ document.body.dataset.jpThemeLight = '{light}' }})"
        )
        on = Stage(page, widget, delay)
        on.draw()
        opened.append(on)
        return on

    yield put
    for on in opened:
        on.page.close()
        assert on.complaints == []
