"""Speed of the static site: from the click to an own gradient on its first page, and to the widget of lesson 01.

Run after ``make site``: ``python -m benchmarks.site_start [FOLDER] [--times N] [--bare PYODIDE]``. A first visit begins
with an empty browser, a second one with what the first has kept; both ask a plain server on this machine, so the
network counts for nothing. What travels on a first visit is named apart: as a plain server sends it, and compressed.

In the same rounds a bare page starts Python and does nothing else: with the engine of the site, and with Pyodide as it
is published where a folder with it is named. That is the limit of this machine under its load of that moment, which is
printed. The browser's time on the processors depends less on the load.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LESSON = "notebooks/01_jacobian_vector_products.ipynb"
WAIT = 240_000  # ms
REST = 20_000  # ms in which a page keeps what it has loaded, and the browser compiles it
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
TYPES = {".mjs": "text/javascript", ".wasm": "application/wasm"}
COMPRESSED = (".whl", ".packed", ".zip", ".png", ".woff2", ".ico")  # which a server does not compress again
SERVED: set[Path] = set()  # by the servers of this process
BARE_PAGE = """<!doctype html><title>bare</title><button>start</button><script type="module">
document.querySelector('button').onclick = () => {
    const code = `onmessage = async () => {
        const { loadPyodide } = await import('${location.origin}/ENGINE/pyodide.mjs');
        const python = await loadPyodide({ indexURL: '${location.origin}/ENGINE/' });
        postMessage(python.runPython('1 + 1')); }`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    worker.onmessage = event => { document.title = event.data; };
    worker.postMessage('start');
};
</script>"""


def serve(site: Path, pages: dict[str, str], bare: Path | None) -> ThreadingHTTPServer:
    """Serve a site, some pages that it does not have, and another folder under ``/published``."""

    class Handler(SimpleHTTPRequestHandler):
        extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def translate_path(self, path: str) -> str:
            name, _, _ = path.removeprefix("/published/").partition("?")
            published = bare is not None and path.startswith("/published/")
            found = str(bare / name) if published else super().translate_path(path)
            SERVED.add(Path(found))
            return found

        def do_GET(self) -> None:
            if self.path not in pages:
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages[self.path].encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def start_bare(page: Any, address: str) -> float:
    """Seconds from the click on a bare page to Python's first result."""
    page.goto(address)
    began = time.perf_counter()
    page.locator("button").click()
    page.wait_for_function("() => document.title === '2'", timeout=WAIT)
    return time.perf_counter() - began


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


def processor_seconds() -> float:
    """What this process's children have used so far, those of the browser."""
    found = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:
            continue
        found += times.user + times.system
    return found


def travelled(files: set[Path]) -> str:
    """Megabytes of files as they lie there, and as a server that compresses sends them."""
    plain = {path: path.read_bytes() for path in files if path.is_file()}
    small = sum(len(data if path.suffix in COMPRESSED else gzip.compress(data)) for path, data in plain.items())
    return f"{sum(map(len, plain.values())) / 1e6:.1f} MB, compressed {small / 1e6:.1f} MB"


def visit(playwright: Any, browser: str, profile: str, task: Callable[[Any], float]) -> tuple[float, float, str]:
    """Seconds of a visit by the clock and on the processors, and what travelled."""
    context = playwright.chromium.launch_persistent_context(profile, executable_path=browser, args=FLAGS)
    page = context.new_page()
    before = processor_seconds()
    SERVED.clear()
    seconds = task(page)
    used = processor_seconds() - before
    served = travelled(SERVED.copy())
    page.wait_for_timeout(REST)
    context.close()
    return seconds, used, served


def measure(site: Path, times: int, bare: Path | None) -> None:
    """Print the least and the median of each task, for first and second visits."""
    from playwright.sync_api import sync_playwright

    browser = next(path for name in BROWSERS if (path := shutil.which(name)))
    engine = next((site / "lite" / "static").glob("pyodide-*")).relative_to(site).as_posix()
    pages = {"/bare.html": BARE_PAGE.replace("ENGINE", engine)}
    if bare is not None:
        pages["/published.html"] = BARE_PAGE.replace("ENGINE", "published")
    server = serve(site, pages, bare)
    address = f"http://127.0.0.1:{server.server_port}"
    tasks: dict[str, Callable[[Any], float]] = {
        **{f"Python alone, {name[1:-5]}": functools.partial(start_bare, address=address + name) for name in pages},
        "own gradient, first page": functools.partial(gradient, address=address),
        "widget of lesson 01": functools.partial(widget, address=address),
    }
    found: dict[str, tuple[list[tuple[float, float]], ...]] = {name: ([], []) for name in tasks}
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    with sync_playwright() as playwright:
        for _ in range(times):
            for name, task in tasks.items():
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                    for which, visits in zip(("first", "second"), found[name], strict=True):
                        clock, used, served = visit(playwright, browser, profile, task)
                        visits.append((clock, used))
                        print(f"  {name}, {which} visit: {clock:.1f} s ({used:.1f}), {served}", flush=True)
    server.shutdown()
    print(f"load {os.getloadavg()[0]:.1f} at the end; seconds: least, median (on the processors), of {times}")
    print(f"{'':28}{'first visit':>24}{'second visit':>24}")
    for name, both in found.items():
        print(f"{name:28}" + "".join(f"{summary(visits):>24}" for visits in both))


def summary(visits: list[tuple[float, float]]) -> str:
    """The least and the median time, and the median on the processors."""
    clock, used = zip(*visits, strict=True)
    return f"{min(clock):.1f}, {statistics.median(clock):.1f} ({statistics.median(used):.1f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, default=Path("build/site"))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--bare", type=Path, help="a folder with Pyodide as it is published")
    asked = parser.parse_args()
    if (asked.site / "index.html").exists():
        measure(asked.site.resolve(), asked.times, asked.bare)
    else:
        print(f"{asked.site} has no site; `make site PYODIDE=…` builds one")
