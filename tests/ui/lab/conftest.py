"""The lessons in a real JupyterLab, started as a learner starts it, in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, Locator, Page

from ..conftest import IDLE, PATIENCE, ask, listen

HERE = Path(__file__).parent
TALL = 1100  # px of the window's height
START = 180.0  # seconds that a server may take to start
WHOLE = 90_000  # ms that all cells of a notebook may take


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


class Server:
    """One ``autodiff-kit lab`` on a folder of its own."""

    def __init__(self, home: Path, port: int | None = None) -> None:
        self.home = home
        self.work = home / "work"
        self.port = port or _free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autodiff_kit", "lab", "--dir", str(self.work), "--no-browser",
             "--port", str(self.port), "--", "--LabApp.expose_app_in_browser=True"],
            env=self._environment(), stdout=subprocess.DEVNULL, stderr=(home / "log").open("wb"),
        )  # fmt: skip
        self.url, self.token = self._address()

    def _environment(self) -> dict[str, str]:
        """That of a learner who has no settings yet: nothing of this machine's, nothing that pytest needs."""
        left_out = ("MPLBACKEND", "AUTODIFF_KIT_DIR", "AUTODIFF_KIT_LEARNER")
        own = {
            name: str(self.home / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR")
        }
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        return {**kept, **own, "IPYTHONDIR": str(self.home / "ipython")}

    def _address(self) -> tuple[str, str]:
        """Address and token, from the file that a server leaves for `jupyter server list`."""
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            for file in (self.home / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json"):
                about = json.loads(file.read_text() or "{}")
                if about:
                    return about["url"], about["token"]
            time.sleep(0.1)
        self.end()
        raise RuntimeError(f"the server did not start:\n{(self.home / 'log').read_text()}")

    def end(self) -> list[psutil.Process]:
        """Stop the server as Ctrl-C does; give the kernels that outlived it, after ending them too."""
        children = psutil.Process(self.process.pid).children(recursive=True) if self.process.poll() is None else []
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        _, left = psutil.wait_procs(children, timeout=10)
        for child in left:
            child.kill()
        return left


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all lessons; nothing of it runs on, and its folder goes."""
    home = tmp_path_factory.mktemp("lab")
    one = Server(home)
    yield one
    left = one.end()
    shutil.rmtree(home, ignore_errors=True)
    assert left == [], "kernels ran on after the server had ended"


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, page: Page, server: Server, path: str, url: str = "") -> None:
        self.page = page
        self.complaints: list[str] = []
        listen(page, self.complaints)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(f"{url or server.url}lab/tree/{path}?token={server.token}&reset")
        self.ready()

    def js(self, script: str, it: Any = None) -> Any:
        """What the page answers to a script."""
        return ask(self.page, script, it)

    def ready(self) -> None:
        """Wait until the notebook is drawn and its kernel rests; put the side bar away."""
        self.page.wait_for_function(
            "window.jupyterapp && document.querySelector('.jp-Notebook .jp-Cell')", timeout=60_000
        )
        self.js("jupyterapp.shell.collapseLeft()")
        self.idle()

    def idle(self) -> None:
        self.page.wait_for_function(IDLE, timeout=60_000)

    def command(self, name: str, at: int | None = None) -> None:
        """Do what a menu does; `at` names the cell that is chosen before. Returns when it is done."""
        self.page.set_default_timeout(WHOLE)
        self.js(
            """async ([name, at]) => {
                if (at !== null) jupyterapp.shell.currentWidget.content.activeCellIndex = at;
                await jupyterapp.commands.execute(name);
            }""",
            [name, at],
        )
        self.page.set_default_timeout(PATIENCE)
        self.idle()

    def cell_of(self, text: str) -> int:
        """The number of the first code cell whose source holds a text."""
        found = self.js(
            """text => jupyterapp.shell.currentWidget.content.widgets.findIndex(
                cell => cell.model.type === 'code' && cell.model.sharedModel.getSource().includes(text))""",
            text,
        )
        assert found >= 0, f"no cell holds {text!r}"
        return int(found)

    def cell(self, text: str) -> Locator:
        """The first code cell whose source holds a text, in view."""
        index = self.cell_of(text)
        self.js("at => jupyterapp.shell.currentWidget.content.scrollToItem(at, 'start')", index)
        cell = self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")
        cell.scroll_into_view_if_needed()
        return cell

    def run_before(self, text: str) -> None:
        """Run all up to and including the first cell that holds a text."""
        self.command("notebook:run-all-above", self.cell_of(text) + 1)

    def run_after(self, text: str) -> None:
        self.command("notebook:run-all-below", self.cell_of(text) + 1)

    def errors(self) -> list[str]:
        """What cells put out as errors."""
        found: list[str] = self.js(
            """() => jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code').flatMap(
                cell => cell.model.outputs.toJSON().filter(one => one.output_type === 'error').map(
                    one => cell.model.sharedModel.getSource() + ' -> ' + `${one.ename}: ${one.evalue}`))"""
        )
        return found

    def not_run(self) -> int:
        """How many code cells have no number."""
        count: int = self.js(
            """() => jupyterapp.shell.currentWidget.content.widgets.filter(
                cell => cell.model.type === 'code' && !cell.model.executionCount).length"""
        )
        return count

    def printed(self, text: str) -> str:
        """What the first cell that holds a text put out as text."""
        found: str = self.js(
            """at => jupyterapp.shell.currentWidget.content.widgets[at].model.outputs.toJSON().map(
                one => [one.text ?? one.data?.['text/plain'] ?? ''].flat().join('')).join('')""",
            self.cell_of(text),
        )
        return found

    def write(self, text: str, source: str) -> None:
        """Put other source into the first cell that holds a text."""
        self.js(
            "([at, source]) => jupyterapp.shell.currentWidget.content.widgets[at].model.sharedModel.setSource(source)",
            [self.cell_of(text), source],
        )

    def starter_of(self, check: str) -> str:
        """The source of the code cell before a check."""
        source: str = self.js(
            "at => jupyterapp.shell.currentWidget.content.widgets[at - 1].model.sharedModel.getSource()",
            self.cell_of(check),
        )
        return source

    def play(self, text: str) -> Play:
        """The widget that a cell shows."""
        return Play(self, self.cell(text).locator("section.ak"))

    def shot(self, name: str) -> None:
        """Keep pictures from top to bottom, where somebody asked for pictures."""
        folder = os.environ.get("AUTODIFF_KIT_SHOTS")
        if not folder:
            return
        down = "(() => { const o = document.querySelector('.jp-WindowedPanel-outer'); const b = o.scrollTop; o.scrollTop += o.clientHeight - 60; return o.scrollTop > b + 5 })()"  # noqa: E501
        self.js("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
        for number in range(40):
            self.page.wait_for_timeout(500)
            self.page.screenshot(path=str(Path(folder) / f"{name}-{number:02d}.png"))
            if not self.js(down):
                break


class Play:
    """A widget in its cell, under a learner's hands."""

    def __init__(self, notebook: Notebook, root: Locator) -> None:
        self.notebook = notebook
        self.page = notebook.page
        self.root = root
        root.wait_for()

    def find(self, selector: str) -> Locator:
        return self.root.locator(selector)

    def says(self, text: str) -> None:
        """Wait until the sentence under the picture holds a text."""
        self.find(f".ak-summary:has-text('{text}')").wait_for(timeout=PATIENCE)

    def choose(self, label: str) -> None:
        self.find(f'[role=radio]:text-is("{label}")').first.click()

    def keys(self, selector: str, *keys: str) -> None:
        """Put the focus somewhere, and press keys."""
        self.find(selector).first.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, selector: str, x: float, y: float) -> None:
        """Drag a part by so many pixels."""
        part = self.find(selector).first
        part.scroll_into_view_if_needed()
        box = part.bounding_box()
        assert box
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.move(*at)
        self.page.mouse.down()
        self.page.mouse.move(at[0] + x, at[1] + y, steps=6)
        self.page.mouse.up()

    def picture(self) -> str:
        """All that is drawn; two pictures are compared to see that something moved."""
        return str(self.find(".ak-stage").evaluate("stage => stage.innerHTML"))

    def numbers(self, selector: str) -> list[str]:
        """What stands in the boxes that are in view."""
        return [box.input_value() for box in self.find(f"{selector}:visible").all()]


Open = Callable[..., Notebook]


@pytest.fixture
def notebook(server: Server, browser: Browser) -> Iterator[Open]:
    """Open a notebook: ``notebook("notebooks/01_….ipynb")``."""
    opened: list[Notebook] = []

    def show(path: str) -> Notebook:
        page = browser.new_page(viewport={"width": 1200, "height": TALL})
        page.set_default_timeout(PATIENCE)
        one = Notebook(page, server, path)
        opened.append(one)
        return one

    yield show
    for one in opened:
        one.js("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        one.page.close()
        assert one.complaints == []
