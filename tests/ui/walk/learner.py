"""A newcomer at JupyterLab: what she reads, presses and writes."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from ..panels.conftest import Bench

TALLEST = 800  # px of a 13-inch screen
PATIENCE = 30_000  # ms that a state may take to come on a slow machine
WHOLE = 120_000  # ms that a cell may take on a slow machine


class Learner(Bench):
    """One learner with one page; what is asked of the kernel and the server is asked beside her."""

    def __init__(self, page: Page, server: Any) -> None:
        super().__init__(page, server)
        page.set_default_timeout(PATIENCE)
        self.syllabus = page.locator(".akl-syllabus")
        self.exercises = page.locator(".akl-exercises")

    def load(self, more: str = "") -> None:
        """Go where the command line's address leads."""
        self.page.goto(f"{self.server.url}?token={self.server.token}")
        self.page.wait_for_function("window.jupyterapp", timeout=60_000)
        self.js("jupyterapp.restored.then(() => null)")

    # ------------------------------------------------------------ what the metadata and the kernel say
    def told(self, path: str) -> Any:
        """What the server answers."""
        return self.js(
            """async path => { const { baseUrl } = jupyterapp.serviceManager.serverSettings;
                return (await fetch(baseUrl + 'autodiff-kit/' + path)).json(); }""",
            path,
        )

    def kernel(self, expression: str) -> Any:
        """The value of an expression in the notebook's kernel."""
        reply = self.js(
            """async text => {
                const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
                const asked = { code: '', store_history: false, user_expressions: { it: text } };
                return (await kernel.requestExecute(asked).done).content.user_expressions.it; }""",
            expression,
        )
        assert reply["status"] == "ok", reply
        return ast.literal_eval(reply["data"]["text/plain"])

    def numbers(self, expression: str) -> str:
        """A vector of the kernel's as the panels write it: [7 −5 3]."""
        values = self.kernel(f"[float(one) for one in {expression}]")
        return "[" + " ".join(f"{value:g}".replace("-", "−") for value in values) + "]"

    # ------------------------------------------------------------ the notebook
    def at(self, text: str) -> int:
        found = self.js(
            """text => jupyterapp.shell.currentWidget.content.widgets.findIndex(
                cell => cell.model.type === 'code' && cell.model.sharedModel.getSource().includes(text))""",
            text,
        )
        assert found >= 0, f"no cell holds {text!r}"
        return int(found)

    def run_to(self, text: str, begin: int | None = None) -> None:
        """Shift+Enter from the cell that is chosen, up to and including the first one that holds a text."""
        self.page.set_default_timeout(WHOLE)
        self.js(
            """async ([begin, end]) => { const { content } = jupyterapp.shell.currentWidget;
                content.activeCellIndex = begin ?? content.activeCellIndex;
                while (content.activeCellIndex <= end)
                    await jupyterapp.commands.execute('notebook:run-cell-and-select-next'); }""",
            [begin, self.at(text)],
        )
        self.page.set_default_timeout(PATIENCE)
        self.idle()

    def cell(self, text: str) -> Locator:
        """The first code cell that holds a text, in view."""
        index = self.at(text)
        self.js("at => jupyterapp.shell.currentWidget.content.scrollToItem(at, 'start')", index)
        found = self.page.locator(f".jp-Notebook:visible .jp-Cell[data-windowed-list-index='{index}']")
        found.scroll_into_view_if_needed()
        return found

    def printed(self, text: str) -> str:
        """What the first cell that holds a text put out."""
        found: str = self.js(
            """at => jupyterapp.shell.currentWidget.content.widgets[at].model.outputs.toJSON().map(
                one => [one.text ?? one.data?.['text/plain'] ?? one.evalue ?? ''].flat().join('')).join('')""",
            self.at(text),
        )
        return found

    def rewrite(self, text: str, old: str, new: str) -> None:
        """Change a part of the first cell that holds a text."""
        self.js(
            """([at, old, now]) => { const { sharedModel } = jupyterapp.shell.currentWidget.content.widgets[at].model;
                sharedModel.setSource(sharedModel.getSource().replace(old, now)); }""",
            [self.at(text), old, new],
        )

    def write_over(self, text: str, source: str) -> None:
        """Put other source into the first cell that holds a text, choose it, and run it."""
        self.js(
            """([at, source]) => { const { content } = jupyterapp.shell.currentWidget;
                content.activeCellIndex = at; content.activeCell.model.sharedModel.setSource(source); }""",
            [self.at(text), source],
        )
        self.command("notebook:run-cell")
        self.idle()

    def insert_and_run(self, source: str) -> None:
        """A new cell after the one that is chosen."""
        self.command("notebook:insert-cell-below")
        self.js(
            "source => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.setSource(source)", source
        )
        self.command("notebook:run-cell")
        self.idle()

    # ------------------------------------------------------------ the panels
    def where(self) -> Locator:
        return self.inspector.locator(".akl-where")

    def last(self, node: int) -> str:
        """The text of a row's last number."""
        return self.cells(node)[-1]

    def row_of(self, name: str) -> Locator:
        """The row of a named node."""
        named = self.page.locator(".akl-name", has_text=re.compile(f"^{name}$"))
        return self.inspector.locator(".akl-tr:not([hidden])").filter(has=named)

    def count(self) -> int:
        """How many rows the tape has that is shown."""
        return int(re.sub(r"\D", "", self.inspector.locator(".akl-facts").inner_text().split("node")[0]))

    def pick_the_latest(self) -> None:
        """Choose the tape that was recorded last."""
        picker = self.inspector.locator(".akl-tape-pick")
        picker.select_option(index=picker.locator("option").count() - 1)

    def path(self) -> str:
        """Where the notebook in front lies."""
        return str(self.js("jupyterapp.shell.currentWidget.context.path"))

    def question(self, at: int) -> Locator:
        """A question of the exercises panel, opened."""
        card = self.exercises.locator(".akl-q").nth(at)
        if card.locator(".akl-q-head").get_attribute("aria-expanded") != "true":
            card.locator(".akl-q-head").click()
        return card

    def follows_the_score(self, score: float) -> None:
        """The syllabus shows the score, and names what the server calls next."""
        expect(self.syllabus.locator(".akl-syl-head .akl-facts")).to_contain_text(f"{score:g} of")
        expect(self.syllabus.locator(".akl-next")).to_contain_text(self.told("progress")["next"]["text"])

    def ring(self, no: str, state: str) -> None:
        """Wait until a lesson's mark shows a state."""
        row = self.syllabus.locator(f'.akl-lesson[data-no="{no}"]')
        expect(row).to_have_class(re.compile(rf"\bis-{state}\b"))

    def shot(self, name: str) -> None:
        """Keep a picture to look at, where somebody asked for pictures."""
        folder = os.environ.get("AUTODIFF_KIT_SHOTS")
        if folder:
            self.page.screenshot(path=str(Path(folder) / f"walk-{name}.png"))
