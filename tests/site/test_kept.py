"""What the service worker keeps, and how: on a small site of its own, without Python."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright

from tests.site.conftest import FLAGS, Quiet, Server
from website import front_page
from website.publish import publish

JUPYTERLITE = """self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
"""
PAGE = '<!doctype html><html><head></head><body><script src="{}"></script></body></html>'
WAIT = 60_000  # ms
CONTROLLED = "() => navigator.serviceWorker.controller !== null"
# Of all that is kept: under which path, and which path its answer names.
KEPT = """async () => {
    const found = {};
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
            const { url } = await cache.match(request);
            found[new URL(request.url).pathname] = url && new URL(url).pathname + new URL(url).search;
        }
    }
    return found;
}"""
KEEP_NOW = """async () => {
    const { active } = await navigator.serviceWorker.ready;
    const urls = performance.getEntriesByType('resource').map(entry => entry.name);
    await new Promise(done => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done;
        active.postMessage({ keep: [location.href, ...urls], now: true }, [port2]); });
}"""
TEXT = "async path => (await fetch(path)).text()"
COMPILED = """async () => {
    const all = await navigator.serviceWorker.getRegistrations();
    return all.some(one => one.scope.endsWith('/compiled/') && one.active?.state === 'activated');
}"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Small:
    """A site of a first page and one of JupyterLite's, each with a script; what is asked of it is noted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.written = time.time()

    def write(self, **texts: str) -> None:
        """Write the site anew, with these texts in its files."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (self.folder / "lite").mkdir()
        offline = (front_page.FRONT / "offline.js").read_text(encoding="utf-8")
        files = {
            "index.html": PAGE.format("first.js").replace(
                "<head>", '<head><script type="module" src="offline.js"></script>'
            ),
            "first.js": "const first = 1;",
            "offline.js": offline,
            "lite/index.html": PAGE.format("part.js?v=1"),
            "lite/part.js": "const part = 1;",
            "lite/service-worker.js": JUPYTERLITE,
        }
        for name, text in {**files, **texts}.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        publish(self.folder)
        self.written += 60  # what was written in the same second, a server calls unchanged
        for path in self.folder.rglob("*"):
            os.utime(path, (self.written, self.written))


def until(page: Any, true: str) -> None:
    """Wait until a script of the page says so."""
    page.evaluate(f"""async () => {{
        const end = Date.now() + {WAIT};
        while (!(await ({true})())) {{
            if (Date.now() > end) throw new Error('it did not come true');
            await new Promise(done => setTimeout(done, 50));
        }}
    }}""")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[tuple[Small, str]]:
    """A small site, and its address."""
    folder = tmp_path / "site"
    folder.mkdir()
    site = Small(folder)

    class Noting(Quiet):
        def do_GET(self) -> None:
            site.asked.append(self.path.partition("?")[0])
            super().do_GET()

    server = Server(("127.0.0.1", 0), functools.partial(Noting, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield site, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(playwright: Playwright, chromium: str, tmp_path: Path) -> Iterator[Any]:
    """A page of a browser that knows nothing yet."""
    context = playwright.chromium.launch_persistent_context(
        str(tmp_path / "profile"), executable_path=chromium, headless=True, args=FLAGS
    )
    page = context.new_page()
    page.set_default_timeout(WAIT)
    yield page
    context.close()


def test_what_is_kept_is_the_networks_own_answer(small: tuple[Small, str], page: Any) -> None:
    """Beside another one a browser keeps nothing compiled; only pages, which are asked for in many ways, name none."""
    site, address = small
    site.write()
    page.goto(f"{address}/")
    page.wait_for_function(CONTROLLED)
    page.goto(f"{address}/lite/index.html?path=a")
    page.evaluate(KEEP_NOW)
    kept = page.evaluate(KEPT)
    assert kept["/lite/part.js"] == "/lite/part.js?v=1"
    assert kept["/offline.js"] == "/offline.js"
    assert kept["/lite/index.html"] == ""
    page.context.set_offline(True)
    page.goto(f"{address}/lite/index.html?path=b")
    assert page.evaluate("part") == 1


def test_scripts_are_compiled_when_a_lessons_page_has_come_to_rest(small: tuple[Small, str], page: Any) -> None:
    site, address = small
    site.write()
    page.goto(f"{address}/")
    page.wait_for_function(CONTROLLED)
    page.goto(f"{address}/lite/index.html")
    assert not page.evaluate(COMPILED)
    until(page, COMPILED)
    assert page.evaluate(KEPT)["/lite/part.js"] == "/lite/part.js?v=1"
    site.asked.clear()
    page.reload()
    for _ in range(WAIT // 100):  # a later visit looks for a newer version, whose scripts may be others
        if "/compile-worker.js" in site.asked:
            break
        page.wait_for_timeout(100)
    assert "/compile-worker.js" in site.asked


def test_a_new_version_takes_over_what_is_the_same(small: tuple[Small, str], page: Any) -> None:
    site, address = small
    site.write(**{"same.txt": "same", "other.txt": "old", "moved.txt": "moved"})
    page.goto(f"{address}/")
    page.wait_for_function(CONTROLLED)
    for name, text in {"same": "same", "other": "old", "moved": "moved"}.items():
        assert page.evaluate(TEXT, f"/{name}.txt") == text
    page.evaluate(KEEP_NOW)
    before = page.evaluate("() => caches.keys()")

    site.write(**{"same.txt": "same", "other.txt": "new", "place.txt": "moved"})
    page.evaluate("async () => { await (await navigator.serviceWorker.ready).update(); }")
    until(page, f"async () => !(await caches.keys()).includes({before[0]!r})")
    site.asked.clear()
    found = {name: page.evaluate(TEXT, f"/{name}.txt") for name in ("same", "other", "place")}
    assert found == {"same": "same", "other": "new", "place": "moved"}
    assert [path for path in site.asked if path.endswith(".txt")] == ["/other.txt"]
    assert len(page.evaluate("() => caches.keys()")) == 1
