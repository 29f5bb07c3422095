"""What was run and saved is there the next day: answered predictions and widgets as they last stood."""

from __future__ import annotations

import contextlib
import html
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bleach
import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Locator, expect

from ..conftest import IN_BOTH, PATIENCE, axe
from .conftest import TALL, Notebook, Server
from .test_lessons import LESSONS, PLAY

IMAGE = "img[src^='data:image/svg+xml']"
FIRST = {"01": "vector-target", "06": "soft-floor-at-two", "09": "kept-sum", "15": "adam-hundred"}
# Save, and give whether the notebook has anything to save afterwards.
SAVED = """async () => {
    const { context } = jupyterapp.shell.currentWidget;
    await context.save();
    return context.model.dirty;
}"""
# What a strict viewer shows of an output's HTML.
SHOWN = {"b", "br", "caption", "div", "img", "p", "table", "tbody", "td", "th", "thead", "tr"}
DIRTY = "jupyterapp.shell.currentWidget.context.model.dirty"


@contextmanager
def on_a_page(browser: Browser, server: Server, path: str, url: str = "") -> Iterator[Notebook]:
    page = browser.new_page(viewport={"width": 1280, "height": TALL})
    page.set_default_timeout(PATIENCE)
    try:
        yield Notebook(page, server, path, url)
    finally:
        page.close()


def output_of(book: Notebook, text: str) -> Locator:
    return book.cell(text).locator(".akl-saved")


def answered(book: Notebook, prompt: str) -> str:
    """Commit the first answer that a question offers; gives what the box says of it."""
    box = book.cell(prompt).locator(".ak-predict")
    box.locator("input").first.wait_for()
    if box.locator("input[type=range]").count():
        box.locator("input[type=range]").focus()
        book.page.keyboard.press("ArrowRight")
    else:
        box.locator("label").first.click()
    box.locator("button:text-is('Commit my answer')").click()
    box.locator("[role=status]:has-text('Locked')").wait_for()
    return str(box.locator("[role=status]").inner_text())


def changed(book: Notebook, text: str) -> str:
    """Choose something else in a widget; gives its sentence."""
    play = book.play(text)
    before = play.find(".ak-summary").inner_text()
    play.find("[role=radio][aria-checked=false]:visible").first.click()
    expect(play.find(".ak-summary")).not_to_have_text(before)
    expect(play.root).to_have_attribute("data-state", "ready")
    return str(play.find(".ak-summary").inner_text())


def as_a_stranger_sees_it(notebook: Any, source: str) -> str:
    """A cell's HTML after a viewer of other people's notebooks took out styles, scripts and pictures within the page.

    GitHub prefers the HTML of an output and lets through these elements of it; nbviewer and VS Code, without the
    widget's model, prefer it as well and leave it as it is.
    """
    cell = next(one for one in notebook.cells if one.cell_type == "code" and source in one.source)
    shown = "".join(one.data["text/html"] for one in cell.outputs if "text/html" in one.get("data", {}))
    return str(bleach.clean(shown, tags=SHOWN, attributes={"img": ["alt", "src"]}, protocols=["https"], strip=True))


@pytest.mark.slow
@IN_BOTH
@pytest.mark.parametrize("no", FIRST)
def test_the_next_day(no: str, browser: Browser, tmp_path: Path) -> None:
    prompt, widget = f'predict("{FIRST[no]}")', PLAY[no]
    server = Server(tmp_path)
    try:
        with on_a_page(browser, server, LESSONS[no]) as book:
            assert book.js(DIRTY) is False, "a notebook that was only opened has nothing to save"
            book.run_before(prompt)
            answered(book, prompt)
            book.run_after(prompt)
            said = changed(book, widget)
            assert book.js(DIRTY) is True
            assert book.js(SAVED) is False
            verdict = book.cell(prompt).locator(".ak-predict [role=status]").inner_text()
            live = book.js("document.querySelectorAll('.akl-saved section.ak').length")
            assert live, "saving leaves the live widgets where they are"
            assert book.complaints == []
    finally:
        server.end()

    saved = nbformat.read(server.work / LESSONS[no], as_version=4)
    page = HTMLExporter().from_notebook_node(saved)[0]
    assert "model not found" not in page
    assert 'src="data:image/svg+xml' in page
    assert said in html.unescape(page)
    for source, words in ((widget, (said, "<caption>")), (prompt, (verdict,))):
        left = html.unescape(as_a_stranger_sees_it(saved, source))
        assert all(one in left for one in words)
        assert "data:" not in left

    server = Server(tmp_path)
    try:
        with on_a_page(browser, server, LESSONS[no]) as book:
            asked, shown = output_of(book, prompt), output_of(book, widget)
            expect(asked).to_contain_text(verdict)
            expect(asked).to_contain_text("your answer" if no != "09" else "You said")
            shown = output_of(book, widget)
            expect(shown.locator(IMAGE)).to_be_visible()
            assert shown.locator(IMAGE).evaluate("image => image.decode().then(() => image.naturalHeight)") > 100
            expect(shown).to_contain_text(said)
            expect(shown.locator("table")).to_be_visible()
            assert book.page.locator("text=model not found").count() == 0
            assert book.js(DIRTY) is False
            book.shot(f"next-day-{no}")
            for theme in ("JupyterLab Dark", "JupyterLab Light"):
                book.js("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
                book.page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
                assert axe(book.page, ".akl-saved") == [], theme

            shown.get_by_role("button", name="Run to bring it back").click()
            book.cell(widget).locator("section.ak").wait_for(timeout=90_000)
            book.idle()
            expect(output_of(book, widget).locator(".akl-saved-bar")).to_be_hidden()
            expect(book.cell(widget).locator(".ak-summary")).to_have_text(said)  # where the learner left it
            assert book.errors() == []
            assert book.complaints == []
            book.js("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    finally:
        server.end()


@pytest.mark.slow
@IN_BOTH
def test_a_restart_in_the_middle_of_a_drag(notebook: Any) -> None:
    book = notebook(LESSONS["06"])
    book.command("notebook:run-all-cells")
    play = book.play(PLAY["06"])
    handle = play.find(".ak-handle[role=slider]").first
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    book.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    book.page.mouse.down()
    book.page.mouse.move(box["x"] + 40, box["y"], steps=4)
    book.js("void jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    book.page.mouse.move(box["x"] + 80, box["y"], steps=4)
    book.page.mouse.up()
    shown = output_of(book, PLAY["06"])
    expect(shown.locator(".akl-saved-bar")).to_contain_text("as it last stood")
    assert shown.locator("button:visible:not([inert] *)").all_inner_texts() == ["Run to bring it back"]
    book.idle()
    shown.get_by_role("button", name="Run to bring it back").click()
    book.cell(PLAY["06"]).locator("section.ak:not([inert] *)").wait_for(timeout=90_000)
    book.play(PLAY["06"]).choose("linear")
    expect(output_of(book, PLAY["06"]).locator(".akl-saved-bar")).to_be_hidden()


class Cable:
    """A connection to a server that can be pulled out and put in again."""

    def __init__(self, server: Server) -> None:
        self._server = server.port
        self._ends: list[socket.socket] = []
        self._is_in = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = server.url.replace(str(server.port), str(port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self._server if self._is_in else 0))
            except OSError:  # nobody listens
                near.close()
                continue
            self._ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()

    def pull(self) -> None:
        self._is_in = False
        for end in self._ends:
            with contextlib.suppress(OSError):  # it has ended already
                end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    def put_in(self) -> None:
        self._is_in = True


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):  # one end was closed, or the cable pulled
        while data := one.recv(1 << 16):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)


@pytest.mark.slow
@IN_BOTH
def test_the_network_goes_and_comes_back_and_then_the_server(browser: Browser, tmp_path: Path) -> None:
    widget = PLAY["06"]
    server = Server(tmp_path)
    try:
        cable = Cable(server)
        with on_a_page(browser, server, LESSONS["06"], cable.url) as book:
            book.run_before(widget)
            live = book.play(widget)
            shown = output_of(book, widget)
            bar = shown.locator(".akl-saved-bar")
            expect(bar).to_be_hidden()

            cable.pull()
            expect(bar).to_contain_text("The connection to the kernel is lost", timeout=30_000)
            assert shown.locator("button:visible:not([inert] *)").count() == 0
            cable.put_in()
            expect(bar).to_be_hidden(timeout=60_000)
            closed(book)
            said = live.find(".ak-summary").inner_text()
            live.choose("linear")
            expect(live.find(".ak-summary")).not_to_have_text(said)

            server.end()
            expect(bar).to_contain_text("The connection to the kernel is lost", timeout=30_000)
            server = Server(tmp_path, server.port)
            again = shown.get_by_role("button", name="Run to bring it back")
            again.wait_for(timeout=120_000)
            closed(book)
            again.click()
            book.cell(widget).locator("section.ak:not([inert] *)").wait_for(timeout=90_000)
            expect(bar).to_be_hidden()
    finally:
        server.end()


def closed(book: Notebook) -> None:
    """Close what JupyterLab says of a server that did not answer."""
    for button in book.page.locator(".jp-Dialog-button:has-text('Close')").all():
        button.click()
