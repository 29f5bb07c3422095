"""The site as a whole: its first page, without a network, its size, and many who come at once."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.wasm import engine
from website.bytecode import compiler_of

pytestmark = [pytest.mark.slow]
LESSON = "notebooks/01_jacobian_vector_products.ipynb"
COMPRESSED = (".whl", ".packed", ".zip", ".png", ".woff2", ".ico")
MOST_BYTES = 15e6
MOST_BYTES_OF_THE_KIT = 700_000
AT_ONCE = 200
STEP = 120_000  # ms


def seconds_to_result(page: Any) -> float:
    """How long from the click to a gradient of one's own."""
    began = time.perf_counter()
    page.locator("#run").click()
    page.wait_for_function("() => /Done|error/.test(document.getElementById('stage').textContent)", timeout=STEP)
    assert page.locator("#stage").inner_text().startswith("Done"), page.locator("#output").inner_text()
    return time.perf_counter() - began


@pytest.mark.browser
def test_the_first_page_moves_and_is_moved_and_python_agrees(visitor: Any, record_property: Any) -> None:
    page = visitor.visit().page
    asked: list[str] = []  # by the page and its worker; what the service worker keeps, it asks for besides
    page.context.on("request", lambda request: asked.append(request.url) if request.service_worker is None else None)
    page.goto(f"{visitor.address}/")
    said = page.locator("#say").inner_text()
    expect(page.locator("#say")).not_to_have_text(said)  # by itself
    page.locator("#pause").click()
    slider = page.get_by_role("slider", name="Input a")
    slider.focus()
    before = float(slider.get_attribute("aria-valuenow"))
    slider.press("ArrowUp")
    assert float(slider.get_attribute("aria-valuenow")) == pytest.approx(before + 0.1)
    gradients = [
        float(re.sub("−", "-", page.locator(f"svg .input:nth-of-type({k}) .gradient").text_content().split()[-1]))
        for k in (1, 2)
    ]
    record_property("first visit, seconds to a gradient", seconds_to_result(page))
    named = set(page.locator("body").get_attribute("data-files").split())
    of_python = [url.rpartition("/")[2] for url in asked if "/pyodide-" in url]
    assert sorted(one for one in of_python if one in named) == sorted(named)  # each once, all at the click
    named_results = re.findall(r"(\S+) = (-?[\d.]+)", page.locator("#output").inner_text())
    assert [name for name, _ in named_results] == ["y", "dy/da", "dy/db"]
    assert [float(x) for _, x in named_results][1:] == pytest.approx(gradients, abs=0.006)


@pytest.mark.browser
def test_the_first_page_stands_still_when_asked_and_an_endless_program_is_stopped(visitor: Any) -> None:
    page = visitor.visit().page
    page.goto(f"{visitor.address}/")
    moving = "() => document.getAnimations().filter(one => one.playState === 'running').length"
    assert page.evaluate(moving) > 0
    page.locator("#pause").click()
    assert page.evaluate(moving) == 0
    seconds_to_result(page)
    page.locator("#code").fill("while True:\n    pass")
    page.locator("#run").click()
    page.locator("#stop").click()
    expect(page.locator("#output")).to_contain_text("Stopped")
    page.locator("#code").fill("print(6 * 7)")
    seconds_to_result(page)
    expect(page.locator("#output")).to_have_text("42\n")


@pytest.mark.browser
def test_a_second_visit_needs_no_network(visitor: Any) -> None:
    visit = visitor.visit()
    visit.page.goto(f"{visitor.address}/")
    seconds_to_result(visit.page)
    visit.notebook(LESSON)
    visit.run(0, visit.index("lesson("))
    kept = """async () => {
        const { active } = await navigator.serviceWorker.ready;
        const urls = performance.getEntriesByType('resource').map(entry => entry.name);
        await new Promise(done => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done;
            active.postMessage({ keep: [location.href, ...urls], now: true }, [port2]); }); }"""
    visit.page.evaluate(kept)
    visit.page.goto(f"{visitor.address}/")
    visit.page.evaluate(kept)
    visit.page.close()

    visitor.context.set_offline(True)
    again = visitor.visit()
    again.page.goto(f"{visitor.address}/")
    seconds_to_result(again.page)
    again.notebook(LESSON)
    again.run(0, again.index("lesson("))


@pytest.mark.browser
def test_what_travels_to_the_first_widget_is_small(visitor: Any, site: Path) -> None:
    visit = visitor.visit()
    visit.notebook(LESSON)
    visit.run(0, visit.index("JvpVjp("))
    paths = {url.removeprefix(f"{visitor.address}/").split("?")[0].split("#")[0] for url in visitor.fetched}
    files = [site / path for path in paths if (site / path).is_file()]
    sizes = {
        path.name: len(path.read_bytes() if path.suffix in COMPRESSED else gzip.compress(path.read_bytes(), 9))
        for path in files
    }
    assert len(sizes) > 50
    assert sum(sizes.values()) <= MOST_BYTES, sorted(sizes.items(), key=lambda one: -one[1])[:12]


def test_the_kits_own_wheel_is_small(site: Path) -> None:
    (wheel,) = site.glob("lite/static/pyodide-*/autodiff_kit-*.whl")
    assert wheel.stat().st_size < MOST_BYTES_OF_THE_KIT


@pytest.mark.node
def test_python_starts_and_a_lesson_imports_without_compiling(site: Path) -> None:
    (folder,) = site.glob("lite/static/pyodide-*")
    python = json.loads((folder / "pyodide-lock.json").read_bytes())["info"]["python"]
    if engine.node() is None or compiler_of(".".join(python.split(".")[:2])) is None:
        pytest.skip(f"needs node, and Python {python} for the bytecode")
    command = [str(engine.node()), str(Path(__file__).with_name("sources.mjs")), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    modules = json.loads(done.stdout.splitlines()[-1])
    assert "autodiff_kit.widgets" in modules["all"]
    assert modules["from sources"] == []


def test_every_file_has_its_hash_and_no_map_of_sources(site: Path) -> None:
    (listed,) = site.glob("files-*.json")
    files = json.loads(listed.read_bytes())
    there = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert there - set(files) == {listed.name, "compile-worker.js", "service-worker.js", "lite/service-worker.js"}
    assert [name for name in there if name.endswith(".map")] == []
    assert all(hashlib.sha256((site / name).read_bytes()).hexdigest().startswith(sha) for name, sha in files.items())


def test_pages_name_no_other_host_as_a_source(site: Path) -> None:
    """What a page loads by itself; links that a reader follows may lead elsewhere."""
    source = r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["'](?:https?:)?//"""
    sheet = r"""<link\b[^>]*\bhref=["'](?:https?:)?//"""
    loads = re.compile(f"{source}|{sheet}")
    assert [page.name for page in site.rglob("*.html") if loads.search(page.read_text(encoding="utf-8"))] == []


def test_a_class_may_come_at_once(site: Path, address: str) -> None:
    wasm = next(site.rglob("pyodide.asm.wasm"))
    files = [site / "index.html", site / "lite/notebooks/index.html", next(site.rglob("numpy-*.whl")), wasm]

    def load(k: int) -> bool:
        path = files[k % len(files)]
        with urllib.request.urlopen(f"{address}/{path.relative_to(site).as_posix()}", timeout=120) as answer:
            return hashlib.sha256(answer.read()).digest() == known[path]

    known = {path: hashlib.sha256(path.read_bytes()).digest() for path in files}
    with ThreadPoolExecutor(AT_ONCE) as people:
        assert all(people.map(load, range(AT_ONCE)))


def test_lessons_lead_to_the_place_where_they_run(site: Path) -> None:
    pages = sorted((site / "lessons").glob("[0-9][0-9]_*.html"))
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for app, kind in (("notebooks", "notebooks"), ("lab", "notebooks"), ("notebooks", "exercises")):
            assert f"../lite/{app}/index.html?path={kind}/{page.stem}.ipynb" in text
        assert (site / "lite" / "files" / "notebooks" / f"{page.stem}.ipynb").is_file()
        assert "Points that count come from the grader" in text
