"""The widgets' front end in a real browser; each question that it asks is answered by the real widget in Python."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from .firefox import launcher

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
# A Firefox that is not Playwright's own has a channel; any will do where its path is given.
OPTIONS: dict[str, dict[str, Any]] = {"chromium": {"args": FLAGS}, "firefox": {"channel": "moz-firefox"}}
HERE = Path(__file__).parent
# ms that a test waits for what should come at once: long, because other processes may have taken the machine.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)
# The kernel of the notebook in front has started, and no cell runs or waits (its status may say idle all the same).
IDLE = """() => {
    const { sessionContext, content } = jupyterapp.shell.currentWidget ?? {};
    const codes = content?.widgets?.filter(cell => cell.model?.type === 'code') ?? [];
    return sessionContext?.session?.kernel?.status === 'idle'
        && codes.every(cell => cell.model.executionState !== 'running');
}"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


# A story that is tried in both browsers: the second waits for `make test-all`.
IN_BOTH = pytest.mark.parametrize(
    "browser", ["chromium", pytest.param("firefox", marks=pytest.mark.slow)], indirect=True
)


class _Running:
    """The browsers of a worker, each started when it is first wanted; their event loop counts as running only while a
    browser test runs.

    Playwright keeps an event loop of its own running in this thread. Other tests of the same worker may start theirs.
    """

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browsers: dict[str, Browser] = {}
        self.stage_page: Page | None = None

    def launched(self, name: str, path: Callable[[], str]) -> Browser:
        """A browser that runs; one that crashed is started again."""
        running = self._browsers.get(name)
        if running is None or not running.is_connected():
            kind, options = getattr(self._playwright, name), OPTIONS[name]
            running = self._browsers[name] = kind.launch(executable_path=path(), **options)
        return running

    @contextmanager
    def shown(self) -> Iterator[None]:
        """A piece of work in the browser; afterwards the loop counts as it did before."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self._loop)
        try:
            yield
        finally:
            asyncio._set_running_loop(before)

    def end(self) -> None:
        with self.shown():
            for running in self._browsers.values():
                running.close()
            self._playwright.stop()


@pytest.fixture(scope="session")
def _browser() -> Iterator[_Running]:
    running = _Running()
    asyncio._set_running_loop(None)
    yield running
    running.end()


@pytest.fixture
def chrome(_browser: _Running, chromium: str) -> Iterator[Browser]:
    """The worker's Chromium."""
    with _browser.shown():
        yield _browser.launched("chromium", lambda: chromium)


@pytest.fixture
def browser(
    request: pytest.FixtureRequest, _browser: _Running, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """The worker's Chromium, or the browser that `IN_BOTH` names."""
    name = getattr(request, "param", "chromium")
    path = request.getfixturevalue(name)

    def program() -> str:
        return path if name == "chromium" else str(launcher(path, tmp_path_factory.mktemp(name)))

    with _browser.shown():
        yield _browser.launched(name, program)


# A page waits for ever for a promise that is never kept, and so would a test.
WITHIN = """it => {
    const found = (%s);
    const late = (_, fail) => setTimeout(() => fail(new Error('no answer within two minutes')), 120_000);
    return Promise.race([typeof found === 'function' ? found(it) : found, new Promise(late)]);
}"""


def ask(page: Page, script: str, it: Any = None) -> Any:
    """Value of an expression, or of a function of `it`, in the page; promises are waited for, but not without end."""
    return page.evaluate(WITHIN % script, it)


# All that JupyterLab itself says on the console, whichever notebook is open; any other word of it is a fault of ours.
OF_JUPYTERLAB = re.compile(
    # A kernel that is exchanged or starts again closes its socket.
    r"Connection lost, reconnecting in \d+ seconds\."
    r"|WebSocket connection to '\S+/api/kernels/\S+' failed: WebSocket is closed before the connection is established\."
    # A kernel that ends still owes an answer to the debugger, or to the box with the history of commands.
    r"|Could not restore the debugger state: Canceled future for debug_request message before replies were done"
    r"|History was unable to be retrieved"
)
# A busy machine starts slowly. JupyterLab counts what a plugin waits for others, so it says this of ours whenever the
# translator is slow, which each of them needs; where it says it of ours alone, they are slow.
SLOW_START = re.compile(
    r"\s*Plugin (?P<id>\S+) (is taking too long|\(with \d+ dependants\) took [\d.]+ms) to activate\."
)


def listen(page: Page, complaints: list[str]) -> None:
    """Note the errors and warnings on the console of a page of JupyterLab."""

    machine_is_busy = False

    def hear(message: ConsoleMessage) -> None:
        nonlocal machine_is_busy
        if message.type not in ("error", "warning") or OF_JUPYTERLAB.fullmatch(message.text):
            return
        slow = SLOW_START.fullmatch(message.text)
        if slow and not slow["id"].startswith("autodiff-kit:"):
            machine_is_busy = True
            complaints[:] = [one for one in complaints if not SLOW_START.match(one)]
        elif not (slow and machine_is_busy):
            complaints.append(f"{message.text} ({message.location})")

    page.on("console", hear)


def axe(page: Page, *roots: str) -> list[str]:
    """What axe-core finds wrong inside parts of a page."""
    found: list[str] = []
    for root in roots:
        violations = Axe().run(page, context=root).response["violations"]
        found += [
            f"{v['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
            for v in violations
            for node in v["nodes"]
        ]
    return found


# To load a page anew starts a process, which takes three times as long as to draw. So a widget is taken away as Jupyter
# does it, and all that it could have left goes too; the body stays, or Chromium would no longer capture the pointer.
EMPTY = """() => {
    window.stop();
    for (let timer = setTimeout(() => 0); timer; timer--) clearTimeout(timer);
    document.activeElement.blur();
    for (const left of document.querySelectorAll('style ~ style, body > :not(script)')) left.remove();
    document.body.prepend(Object.assign(document.createElement('main'), { id: 'cell' }));
    scrollTo(0, 0);
}"""
# The picture is drawn in a microtask after a trait has changed; a frame later it is laid out.
FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
# From now on a frame takes 16 ms of the page's time, however long the machine takes for it.
FRAME_BY_FRAME = """() => {
    let [now, last] = [performance.now(), 0];
    const frame = requestAnimationFrame.bind(window);
    performance.now = () => now;
    window.requestAnimationFrame = act => frame(real => {
        if (real !== last) [now, last] = [now + 16, real];
        act(now);
    });
}"""
AS_USUAL = {"media": "null", "color_scheme": "null", "forced_colors": "null", "reduced_motion": "null"}


class Stage:
    """One widget on one page."""

    def __init__(self, page: Page, widget: Any, delay: float = 0.0) -> None:
        self.page = page
        self.widget = widget
        self.delay = delay
        self.silent = False
        self.questions = 0
        self.complaints: list[str] = []

    def listen(self) -> None:
        """Be the one that the page's messages and complaints go to."""
        self.page.on("console", self._console)
        self.page.on("pageerror", self._error)
        ANSWERS[self.page] = self.kernel

    def leave(self) -> None:
        self.page.remove_listener("console", self._console)
        self.page.remove_listener("pageerror", self._error)
        ANSWERS.pop(self.page, None)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _error(self, error: Any) -> None:
        self.complaints.append(str(error))

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

    def draw(self, theme: str = "light") -> None:
        """Draw the widget as it stands on a page that is empty."""
        if self.page.url == "about:blank":
            self.page.goto((HERE / "page.html").as_uri())
        else:
            self.page.evaluate(EMPTY)
        self.theme(theme)
        widget = self.widget
        self.page.evaluate("([text, css, state]) => draw(text, css, state)", [widget._esm, widget._css, self.state()])
        self.still()

    def theme(self, name: str) -> None:
        """Put JupyterLab's light or dark theme on the page."""
        self.page.evaluate("light => { document.body.dataset.jpThemeLight = light }", str(name == "light").lower())

    def width(self, pixels: int) -> None:
        """Make the window so wide."""
        self.page.set_viewport_size({"width": pixels, "height": 900})
        self.still()

    @property
    def summary(self) -> str:
        """The sentence under the picture, once the kernel has answered."""
        self.settle()
        return self.page.text_content(".ak-summary") or ""

    def settle(self) -> None:
        """Wait until the kernel has answered and the answer is drawn."""
        self.page.wait_for_function("model.get('asked') === model.get('answered')", timeout=PATIENCE)
        self.still()

    def still(self) -> None:
        self.page.evaluate(FRAME)

    def until(self, true: Callable[[], bool]) -> None:
        """Wait until Python says so: what the page sends is heard while the page is asked."""
        end = time.monotonic() + PATIENCE / 1000
        while not true():
            assert time.monotonic() < end, "it did not come true"
            self.page.wait_for_timeout(20)

    def frame_by_frame(self) -> None:
        """Let motion depend on frames alone, so that a slow machine draws as many; for a page of its own."""
        self.page.evaluate(FRAME_BY_FRAME)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.still()

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
# Who answers a page; a function that a page was given stays with it.
ANSWERS: dict[Page, Callable[[dict[str, Any]], dict[str, Any] | None]] = {}


def _new_page(chrome: Browser) -> Page:
    page = chrome.new_page(viewport={"width": 900, "height": 900})
    page.expose_function("kernel", lambda changes: ANSWERS[page](changes) if page in ANSWERS else None)
    return page


def _shared_page(running: _Running, chrome: Browser) -> Page:
    """The worker's page for widgets, as if it were new: no medium, no pointer, no key that is held."""
    page = running.stage_page
    if page is None or page.is_closed() or not page.context.browser:
        page = running.stage_page = _new_page(chrome)
    page.emulate_media(**AS_USUAL)
    page.mouse.move(0, 0)
    return page


@pytest.fixture
def stage(_browser: _Running, chrome: Browser) -> Iterator[Open]:
    """Put a widget on a page: ``stage(widget, theme="dark", width=360)``; nothing may be complained of at the end.

    The first widget of a test takes the worker's page, others get pages of their own; so does a test that changes more
    of a page than its media and size, with ``own=True``.
    """
    opened: list[Stage] = []

    def put(widget: Any, theme: str = "light", width: int = 900, delay: float = 0.0, own: bool = False) -> Stage:
        page = _new_page(chrome) if opened or own else _shared_page(_browser, chrome)
        on = Stage(page, widget, delay)
        opened.append(on)
        on.listen()
        page.set_viewport_size({"width": width, "height": 900})
        on.draw(theme)
        return on

    yield put
    for on in opened:
        on.leave()
        if on.page is not _browser.stage_page:
            on.page.close()
        assert on.complaints == []
