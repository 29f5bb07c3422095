"""Speed of the static site: from the click to an own gradient on its first page, and to the widget of lesson 01.

Run after ``make site``: ``python -m benchmarks.site_start [FOLDER]``. A first visit begins with an empty browser, a
second one with what the first has kept. Both ask a plain server on this machine, so the network counts for nothing.
"""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LESSON = "notebooks/01_jacobian_vector_products.ipynb"
WAIT = 120_000  # ms
REST = 8_000  # ms in which a page keeps what it has loaded
RAN = "() => /Done|error/.test(document.getElementById('stage').textContent)"
WIDGET = "JvpVjp("
RUN_WIDGET = """async start => {
    const until = async found => { while (!found()) { await new Promise(done => setTimeout(done, 20)); } };
    await until(() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel);
    const { content } = jupyterapp.shell.currentWidget;
    const sources = content.widgets.map(cell => cell.model.sharedModel.getSource());
    for (const found of [text => text.includes('import'), text => text.startsWith(start)]) {
        const at = sources.findIndex(found);
        content.activeCellIndex = at;
        await jupyterapp.commands.execute('notebook:run-cell');
        await content.scrollToItem(at, 'center').catch(() => undefined);
    }
}"""


class Quiet(SimpleHTTPRequestHandler):
    """A static server that says nothing."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def gradient(page: Any, address: str) -> float:
    """Seconds from the click on the first page to the result."""
    page.goto(address)
    began = time.perf_counter()
    page.locator("#run").click()
    page.wait_for_function(RAN, timeout=WAIT)
    return time.perf_counter() - began


def widget(page: Any, address: str) -> float:
    """Seconds from the address of lesson 01 to its widget, when its two cells are run as soon as they can be."""
    began = time.perf_counter()
    page.goto(f"{address}/lite/notebooks/index.html?path={LESSON}")
    page.wait_for_function("() => window.jupyterapp", timeout=WAIT)
    page.evaluate(RUN_WIDGET, WIDGET)
    page.locator(".jp-OutputArea .ak svg").first.wait_for(timeout=WAIT)
    return time.perf_counter() - began


def measure(site: Path) -> None:
    """Print a row for each of the two."""
    from playwright.sync_api import sync_playwright

    browser = next(path for name in BROWSERS if (path := shutil.which(name)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    print(f"{'':28}{'first visit':>14}{'second visit':>14}")
    with sync_playwright() as playwright:
        for name, task in (("own gradient, first page", gradient), ("widget of lesson 01", widget)):
            with tempfile.TemporaryDirectory() as profile:
                found = []
                for _ in range(2):
                    context = playwright.chromium.launch_persistent_context(
                        profile, executable_path=browser, args=FLAGS
                    )
                    page = context.new_page()
                    found.append(task(page, address))
                    page.wait_for_timeout(REST)
                    context.close()
            print(f"{name:28}" + "".join(f"{seconds:12.1f} s" for seconds in found))
    server.shutdown()


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    if (folder / "index.html").exists():
        measure(folder)
    else:
        print(f"{folder} has no site; `make site PYODIDE=…` builds one")
