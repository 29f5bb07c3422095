"""The three panels in a real JupyterLab, on the extension as it stands in the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, expect

from ..conftest import IDLE, PATIENCE, ask, axe, listen

HERE = Path(__file__).parent
LAB = HERE.parents[2] / "autodiff_kit" / "lab"
WINDOW: Any = {"width": 1440, "height": 900}
START = 180.0  # seconds that a server may take to start
# The pages tell tests of their application.
EXPOSED = ("--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True")
# An empty page has no storage.
FORGET = "if (origin !== 'null' && !sessionStorage.known) { localStorage.clear(); sessionStorage.known = 'yes'; }"
# Scripts of others. (anywidget gives a widget two seconds to begin, and says so where a busy machine takes longer.)
THEIRS = re.compile(r"/static/lab/|/static/notebook/|/extensions/anywidget/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


FAILED: pytest.StashKey[bool] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """Note where a test failed, also one that is run again."""
    if call.excinfo is not None:
        item.stash[FAILED] = True
    return (yield)


def installed(home: Path, *jupyter_path: str) -> dict[str, str]:
    """What installing the kit adds to an environment, for the checkout as it is now."""
    extensions = home / "share" / "labextensions"
    extensions.mkdir(parents=True)
    (extensions / "autodiff-kit").symlink_to(LAB / "labextension")
    config = home / "etc" / "jupyter_server_config.d"
    config.mkdir(parents=True)
    shutil.copy(LAB / "server_config.json", config / "autodiff_kit.json")
    about = home / "python" / "autodiff_kit_locale-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: autodiff-kit-locale\nVersion: 0\n")
    # JupyterLab offers a language once its own pack for it is there; this one is empty, so only our texts change.
    (home / "python" / "lab_in_german").mkdir()
    (home / "python" / "lab_in_german" / "__init__.py").touch()
    points = "[jupyterlab.locale]\nautodiff_kit = autodiff_kit.lab\n[jupyterlab.languagepack]\nde_DE = lab_in_german\n"
    (about / "entry_points.txt").write_text(points)
    return {
        "JUPYTER_PATH": os.pathsep.join([str(home / "share"), *jupyter_path]),
        "JUPYTER_CONFIG_PATH": str(home / "etc"),
        "PYTHONPATH": os.pathsep.join([str(home / "python"), str(LAB.parents[1])]),
    }


class Server:
    """One ``autodiff-kit lab`` on a folder of its own; unless told otherwise, that of the checkout."""

    def __init__(
        self, home: Path, python: str = sys.executable, kit: dict[str, str] | None = None, *options: str
    ) -> None:
        self.home, self.work = home, home / "work"
        left_out = ("AUTODIFF_KIT_DIR", "AUTODIFF_KIT_LEARNER")
        own = {
            name: str(home / name)
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
        }
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        words = ["lab", "--dir", str(self.work), "--no-browser", "--port", "0", "--", *options]
        self.process = subprocess.Popen(
            [python, "-m", "autodiff_kit", *words, *EXPOSED],
            cwd=home,
            env={**kept, **own, **(installed(home) if kit is None else kit)},
            stdout=subprocess.DEVNULL,
            stderr=(home / "log").open("wb"),
        )
        self.url, self.token = self._address()

    def _address(self) -> tuple[str, str]:
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            for file in (self.home / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json"):
                text = file.read_text()
                if text:
                    about = json.loads(text)
                    return about["url"], about["token"]
            time.sleep(0.1)
        self.end()
        raise RuntimeError(f"the server did not start:\n{(self.home / 'log').read_text()}")

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def prepared(home: Path, kernels: Any) -> Server:
    """A server of the checkout whose kernels are warm."""
    return Server(home, kit=installed(home, *kernels.environment.values()))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, warm_kernels: Any) -> Iterator[Server]:
    """One server for all tests of a worker."""
    one = prepared(tmp_path_factory.mktemp("panels"), warm_kernels)
    yield one
    one.end()


class Bench:
    """A page of JupyterLab, and what a learner does on it."""

    def _failed(self, error: Any) -> None:
        """An error that nobody caught, unless every line of its way is JupyterLab's or anywidget's."""
        stack = error.stack or str(error)
        way = [line for line in stack.splitlines() if "://" in line]
        if not way or not all(THEIRS.search(line) for line in way):
            self.complaints.append(stack)

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        page.set_default_timeout(PATIENCE)
        listen(page, self.complaints)
        page.on("pageerror", self._failed)
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2] if "//" in request.url else ""))
        self.load("&reset")

    def js(self, script: str, it: Any = None) -> Any:
        """What the page answers to a script."""
        return ask(self.page, script, it)

    def load(self, more: str = "") -> None:
        self.page.goto(f"{self.server.url}lab?token={self.server.token}{more}")
        self.page.wait_for_function("window.jupyterapp", timeout=60_000)
        try:
            self.js("jupyterapp.restored.then(() => null)")
        except Error as error:  # a reset may load the page once more
            if "context was destroyed" not in str(error):
                raise
            self.page.wait_for_function("window.jupyterapp", timeout=60_000)
            self.js("jupyterapp.restored.then(() => null)")
        if "reset" in more:  # an empty window is given the welcome page, which takes the focus when it comes
            self.page.wait_for_selector(".akl-welcome, .jp-Launcher", timeout=60_000)
            self.still()

    def command(self, name: str, **args: Any) -> None:
        self.js("async ([name, args]) => { await jupyterapp.commands.execute(name, args); }", [name, args])

    def notebook(self) -> None:
        """A new notebook with a kernel that rests."""
        self.command("notebook:create-new", kernelName="python3", activate=True)
        self.idle()

    def open_lesson(self, no: str, what: str = "lesson") -> None:
        """Open the notebook of a lesson, or that of its exercises."""
        self.command("autodiff-kit:open-lesson", no=no, what=what)
        self.opened(f"{'exercises' if what == 'exercise' else 'notebooks'}/{no}_")

    def opened(self, part: str) -> None:
        """Wait until a notebook whose path holds a text is in front, with a kernel that rests."""
        self.page.wait_for_function(
            "part => jupyterapp.shell.currentWidget?.context?.path?.includes(part)", arg=part, timeout=60_000
        )
        self.page.wait_for_selector(".jp-Notebook:visible .jp-Cell")
        self.idle()

    def idle(self) -> None:
        self.page.wait_for_function(IDLE, timeout=60_000)

    def run(self, *cells: str, wait: bool = True) -> None:
        """Write cells at the end of the notebook, and run them; without waiting the last of them may still run."""
        for source in cells:
            self.js(
                """async ([source, wait]) => {
                    const { content } = jupyterapp.shell.currentWidget;
                    content.activeCellIndex = content.widgets.length - 1;
                    if (content.activeCell.model.sharedModel.getSource().trim())
                        await jupyterapp.commands.execute('notebook:insert-cell-below');
                    content.activeCell.model.sharedModel.setSource(source);
                    const done = jupyterapp.commands.execute('notebook:run-cell');
                    if (wait) await done;
                }""",
                [source, wait],
            )
        if wait:
            self.idle()

    # ------------------------------------------------------------ the inspector
    @property
    def inspector(self) -> Locator:
        return self.page.locator(".akl-inspector")

    def open_inspector(self) -> None:
        self.js("jupyterapp.shell.activateById('autodiff-kit-inspector')")

    def tape(self, nodes: int | str) -> None:
        """Open the inspector, which leaves the focus where it is, and wait until it shows a tape of so many nodes."""
        self.open_inspector()
        count = f"{nodes}"
        expect(self.inspector.locator(".akl-facts")).to_contain_text(f"{count} node")
        expect(self.inspector).to_have_attribute("data-state", re.compile("ready|one"))

    def row(self, node: int) -> Locator:
        return self.inspector.locator(".akl-tr:not([hidden])").filter(
            has=self.page.locator(".akl-id", has_text=re.compile(f"^{node}$"))
        )

    def cells(self, node: int) -> list[str]:
        """Texts of a row's cells, after the number and the name."""
        return [text.strip() for text in self.row(node).locator("[role=gridcell]").all_inner_texts()[1:]]

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focus_table(self) -> None:
        self.inspector.locator(".akl-rows").focus()

    def marked(self, kind: str) -> list[str]:
        """Lines of code that bear a mark."""
        return [line.strip() for line in self.page.locator(f".cm-line.akl-line-{kind}").all_inner_texts()]

    def still(self) -> None:
        """Wait until what was told is drawn: two frames."""
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")

    def settled(self) -> None:
        """Wait until the inspector has what it asked for, and nothing glides any more."""
        expect(self.inspector).to_have_attribute("data-state", re.compile("ready|one"))
        self.still()
        self.js(
            """Promise.allSettled(document.getAnimations().filter(one => one.effect.getComputedTiming().endTime < 1e6)
                .map(one => one.finished)).then(() => null)"""
        )

    def shot(self, name: str) -> None:
        """Keep a picture to look at, where somebody asked for pictures."""
        folder = os.environ.get("AUTODIFF_KIT_SHOTS")
        if folder:
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"))

    def view(self, name: str) -> None:
        self.inspector.locator(f".akl-tabs [data-v={name}]").click()

    def axe(self, *roots: str) -> list[str]:
        """What axe-core finds wrong inside our own panels."""
        return axe(self.page, *roots)


# Notebooks go unsaved: closing them by the menu would ask first. What the panels show goes with them.
TIDY = """async () => {
    const { serviceManager: { sessions }, shell } = jupyterapp;
    for (const one of [...shell.widgets('main')]) one.dispose();
    shell.collapseLeft();
    shell.collapseRight();
    await Promise.all([...sessions.running()].map(s => sessions.shutdown(s.id)));
    await sessions.refreshRunning();  // what was still asked of them has been answered, and said on the console
    document.querySelector('.akl-inspector .akl-tabs [data-v=table]')?.click();
}"""


@contextmanager
def used(one: Bench) -> Iterator[Bench]:
    """JupyterLab for a test; when it is left nothing may have complained, or asked another host."""
    yield one
    complaints, hosts = list(one.complaints), set(one.hosts)
    one.js(TIDY)
    one.complaints.clear()  # what tidying led to is not the next test's
    assert complaints == [], "complaints on the console:\n" + "\n".join(complaints)
    assert hosts <= {one.server.url.split("/")[2], ""}, "no request may leave the server"


@contextmanager
def opened(page: Page, server: Server) -> Iterator[Bench]:
    """JupyterLab on a page of its own."""
    with used(Bench(page, server)) as one:
        yield one


@pytest.fixture(scope="session")
def _contexts(server: Server, _browser: Any) -> Iterator[dict[Browser, BrowserContext]]:
    """A memory of each browser for a worker's tests: JupyterLab's scripts are read and compiled once."""
    kept: dict[Browser, BrowserContext] = {}
    yield kept
    with _browser.shown():
        for one in kept.values():
            one.close()


@pytest.fixture
def _new_page(browser: Browser, server: Server, _contexts: dict[Browser, BrowserContext]) -> Callable[[], Page]:
    """A page on which what another page kept in the browser is forgotten."""

    def page() -> Page:
        if browser not in _contexts:
            _contexts[browser] = browser.new_context(viewport=WINDOW)
        made = _contexts[browser].new_page()
        made.add_init_script(FORGET)
        return made

    return page


@pytest.fixture(scope="session")
def _shared() -> dict[Browser, Bench]:
    """The worker's page of JupyterLab in each browser."""
    return {}


@pytest.fixture
def own_bench(
    browser: Browser, server: Server, _new_page: Callable[[], Page], _shared: dict[Browser, Bench]
) -> Iterator[Bench]:
    """JupyterLab on a page of its own, for a test that loads it again, or changes more than notebooks and size."""
    if browser in _shared:  # two windows on one workspace would get in each other's way
        _shared.pop(browser).page.close()
    page = _new_page()
    try:
        with opened(page, server) as one:
            yield one
    finally:
        page.close()


@pytest.fixture
def bench(
    request: pytest.FixtureRequest,
    browser: Browser,
    server: Server,
    _new_page: Callable[[], Page],
    _shared: dict[Browser, Bench],
) -> Iterator[Bench]:
    """The worker's JupyterLab, whose page is loaded once: of the test before, no notebook, kernel or size is left."""
    one = _shared.pop(browser, None) or Bench(_new_page(), server)
    kept = False
    try:
        with used(one):
            yield one
        kept = FAILED not in request.node.stash  # otherwise nobody knows how it was left
    finally:
        if kept:
            one.page.set_viewport_size(WINDOW)
            _shared[browser] = one
        else:  # a second window on its workspace would wait for it, and every later test would fail
            one.page.close()


@pytest.fixture
def newcomer(browser: Browser, tmp_path: Path, warm_kernels: Any) -> Iterator[Bench]:
    """A JupyterLab on a folder in which nobody has worked."""
    server = prepared(tmp_path, warm_kernels)
    page = browser.new_page(viewport=WINDOW)
    try:
        with opened(page, server) as one:
            yield one
    finally:
        page.close()
        server.end()
