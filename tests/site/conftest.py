"""The static site on a plain static server, and pages in Chromium that ask nothing of another host.

The site under test is the one that ``AUTODIFF_KIT_SITE`` names. Without it one is built (`tests/built_site.py`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, expect, sync_playwright

from tests.built_site import site

__all__ = ["Quiet", "Server", "Visit", "Visitor", "served", "site"]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
STEP = 60_000  # ms that one step may take on a busy machine
PLAYWRIGHTS_OWN = 5000  # ms for which it waits for what is expected
START = 240_000  # ms that Python may take to start there


class Quiet(SimpleHTTPRequestHandler):
    """A plain static server: it knows the types of files, and nothing else."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_: Any) -> None:
        pass

    def copyfile(self, source: Any, outputfile: Any) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # the page was closed
            super().copyfile(source, outputfile)


class Server(ThreadingHTTPServer):
    """Many at once, and a queue for those who come together."""

    request_queue_size = 256
    daemon_threads = True


@contextmanager
def served(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """The address of a folder on a server of its own."""
    server = Server(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with served(site) as found:
        yield found


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=STEP)
    with sync_playwright() as running:
        yield running
    expect.set_options(timeout=PLAYWRIGHTS_OWN)


# What the tests ask of a page of JupyterLite, through the application that it shows.
CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.map(cell => ({
    type: cell.model.type, text: cell.model.sharedModel.getSource(), ran: cell.model.executionCount ?? null,
    outputs: cell.model.type === 'code' ? cell.model.outputs.toJSON() : []}))"""
RUN = """async at => {
    const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = at;
    // A promise of JupyterLab's may never be kept: a cell that is already in view, a kernel that went.
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error('a cell ran for two minutes')), 120_000));
    await Promise.race([jupyterapp.commands.execute('notebook:run-cell'), late]);
    void content.scrollToItem(at, 'center').catch(() => undefined);
}"""
NEW_CELL = """async () => {
    const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.length - 1;
    await jupyterapp.commands.execute('notebook:insert-cell-below');
    return content.activeCellIndex;
}"""
IDLE = """() => { const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
    return kernel && kernel.status === 'idle'; }"""


class Visit:
    """One page of the site: where it is, and what it does there."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        page.set_default_timeout(STEP)

    def notebook(self, path: str, app: str = "notebooks") -> None:
        """Open a notebook, and wait for its kernel."""
        self.page.goto(f"{self.address}/lite/{app}/index.html?path={path}")
        self.started()

    def started(self) -> None:
        """Wait until Python runs in the notebook that is shown."""
        self.page.wait_for_function(IDLE, timeout=START)

    def loaded(self) -> None:
        """Wait until a notebook is shown, with or without Python."""
        self.page.wait_for_function(
            "window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 1", timeout=START
        )

    def cells(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(CELLS)
        return found

    def index(self, start: str) -> int:
        """Which code cell begins with some words, or has a line that does."""
        lines = [cell["text"].splitlines() if cell["type"] == "code" else [] for cell in self.cells()]
        return next(at for at, cell in enumerate(lines) if any(line.startswith(start) for line in cell))

    def run(self, first: int, last: int) -> None:
        """Run cells, one after the other; a cell that fails is one that fails the test."""
        for at in range(first, last + 1):
            if self.cells()[at]["type"] == "code":
                self.execute(at)
        errors = [out for cell in self.cells() for out in cell["outputs"] if out["output_type"] == "error"]
        assert errors == []

    def execute(self, at: int) -> None:
        """Run one cell, whatever comes of it."""
        self.page.evaluate(RUN, at)

    def cell(self, at: int) -> Any:
        """A cell as it is drawn."""
        return self.page.locator(f'.jp-Cell[data-windowed-list-index="{at}"]')

    def write(self, at: int, text: str) -> None:
        """Put text into a cell and run it."""
        self.set_text(at, text)
        self.run(at, at)

    def set_text(self, at: int, text: str) -> None:
        """Put text into a cell."""
        script = "([at, text]) => jupyterapp.shell.currentWidget.content.widgets[at].model.sharedModel.setSource(text)"
        self.page.evaluate(script, [at, text])

    def show(self, at: int) -> Any:
        """Bring a cell into view: what is far from it is not drawn."""
        self.page.evaluate("at => void jupyterapp.shell.currentWidget.content.scrollToItem(at, 'center')", at)
        return self.cell(at)

    def printed(self, text: str) -> str:
        """What a new cell at the end prints."""
        last = self.page.evaluate(NEW_CELL)
        self.write(last, text)
        return "".join("".join(out.get("text", "")) for out in self.cells()[last]["outputs"])

    def command(self, name: str) -> None:
        # Not its result, which may be a widget: the page would be copied through the wire with it.
        self.page.evaluate("name => void jupyterapp.commands.execute(`autodiff-kit:${name}`)", name)

    def syllabus(self) -> Any:
        """The syllabus panel, opened."""
        self.command("open-syllabus")
        return self.page.locator(".akl-syllabus")

    def save(self) -> None:
        self.page.evaluate("async () => { await jupyterapp.shell.currentWidget.context.save(); }")


class Visitor:
    """Somebody with a browser that remembers; each request that leaves the site is noted."""

    context: BrowserContext

    def __init__(self, playwright: Playwright, chromium: str, profile: Path, address: str, **options: Any) -> None:
        self.chromium = playwright.chromium
        self.program = chromium
        self.profile = profile
        self.address = address
        self.options = options
        self.elsewhere: list[str] = []
        self.fetched: list[str] = []
        self.open()

    def open(self) -> None:
        """Start the browser."""
        self.context = self.chromium.launch_persistent_context(
            str(self.profile), executable_path=self.program, headless=True, args=FLAGS,
            viewport={"width": 1280, "height": 900}, accept_downloads=True, **self.options,
        )  # fmt: skip
        self.context.on("request", self._note)

    def come_again(self) -> None:
        """Close the browser, and start it another day."""
        self.context.close()
        self.open()

    def move_to(self, profile: Path) -> None:
        """Close the browser, and start another one that knows nothing of this."""
        self.profile = profile
        self.come_again()

    def _note(self, request: Any) -> None:
        if request.url.startswith(("http:", "https:")):
            known = request.url.startswith(f"{self.address}/")
            (self.fetched if known else self.elsewhere).append(request.url)

    def visit(self) -> Visit:
        return Visit(self.context.new_page(), self.address)


@pytest.fixture
def visitor(playwright: Playwright, chromium: str, address: str, tmp_path: Path) -> Iterator[Visitor]:
    """Somebody who comes for the first time; nothing of the visit may go to another host."""
    here = Visitor(playwright, chromium, tmp_path / "profile", address)
    yield here
    here.context.close()
    assert here.elsewhere == []
