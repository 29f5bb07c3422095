"""Another kernel, two tabs on one notebook, a kernel that dies: the inspector shows what belongs to the notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from autodiff_kit.lab.server.subshell_status import SUBSHELL_REQUESTS

from .cells import ONE, PUSH
from .conftest import Bench

IMPORT = "import autodiff_kit as ak\n"


class Second(Bench):
    """Another tab, in a workspace of its own, on a notebook that is open already."""

    def __init__(self, page: Page, server: Any, path: str) -> None:
        self.path = path
        super().__init__(page, server)

    def load(self, more: str = "") -> None:
        self.page.goto(f"{self.server.url}lab/workspaces/second/tree/{self.path}?token={self.server.token}{more}")
        self.page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext", timeout=60_000)
        self.idle()


@pytest.mark.slow
def test_another_kernel_takes_over(bench: Any) -> None:
    bench.notebook()
    bench.run(IMPORT + PUSH)
    bench.tape(12)
    bench.js("jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name: 'python3' })")
    bench.idle()
    bench.tape(12)  # what was sent stays until there is something new
    bench.run(IMPORT + ONE)
    bench.tape(1)
    expect(bench.inspector.locator(".akl-tape-pick option")).to_have_count(1)

    # One that dies in the middle of a cell is started anew by Jupyter; what was sent stays, and it goes on.
    bench.run(PUSH)
    bench.tape(12)
    bench.js(
        """() => void jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute(
            { code: 'import os; os._exit(1)' })"""
    )
    bench.page.locator(".jp-Dialog .jp-mod-accept").click(timeout=60_000)
    bench.idle()
    bench.tape(12)
    bench.run(IMPORT + ONE)
    bench.tape(1)

    # A tape that the kernel cannot tell of: the reason is said, what was shown stays, and it is not asked for again.
    bench.run(
        "from autodiff_kit.lab.kernel import serialize\nasked = []\n"
        "serialize.TapeSerializer.header = lambda self: 1 / asked.append(1)",
        PUSH,
    )
    expect(bench.inspector.locator(".akl-banners")).to_contain_text(
        "Another tape could not be shown, so this is still the one before it: the kernel could not"
    )
    expect(bench.inspector).to_have_attribute("data-state", "one")
    for _ in range(3):
        bench.run("asked")
    before, _, after = bench.page.locator(".jp-OutputArea-output").all_inner_texts()[-3:]
    assert before == after, "each time the kernel was idle, it was asked once more"


KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"


def test_a_notebook_shows_its_own_tape_also_while_its_kernel_is_busy(bench: Any) -> None:
    bench.notebook()
    bench.run(IMPORT + PUSH)
    bench.tape(12)
    first = bench.js("jupyterapp.shell.currentWidget.id")
    bench.notebook()
    bench.run(IMPORT + ONE)
    bench.tape(1)
    second = bench.js("jupyterapp.shell.currentWidget.id")
    for _ in range(2):
        bench.run("import time\nwhile True: time.sleep(0.05)", wait=False)
        expect(bench.inspector.locator(".akl-banners")).to_contain_text("The kernel is running")
        bench.js("id => jupyterapp.shell.activateById(id)", first)
        bench.tape(12)
        bench.js("id => jupyterapp.shell.activateById(id)", second)
        bench.tape(1)
        expect(bench.inspector.locator(".akl-banners")).to_contain_text("The kernel is running")
        bench.js(f"{KERNEL}.interrupt()")
        bench.idle()


# Asked on a subshell, as the inspector and widgets ask: the answer comes at once, and ends with an idle of its own.
ANSWERED_BESIDE = f"""async () => {{
    const kernel = {KERNEL};
    const comm = kernel.createComm('autodiff_kit:tape');
    await comm.subshellStarted;
    await comm.open().done;
    await comm.send({{ v: 1, id: 1, ask: 'tape.list' }}).done;
}}"""


def test_a_cell_that_runs_is_not_called_idle_by_an_answer_beside_it(bench: Any) -> None:
    bench.notebook()
    bench.run(IMPORT + ONE)
    bench.tape(1)
    told = bench.inspector.locator(".akl-banners")
    bench.run("import time\nwhile True: time.sleep(0.05)", wait=False)
    expect(told).to_contain_text("The kernel is running")
    bench.js(ANSWERED_BESIDE)
    bench.page.wait_for_function(f"{KERNEL}.status === 'idle'")  # which says nothing of the cell
    bench.page.wait_for_timeout(500)  # longer than the inspector takes to say otherwise
    expect(told).to_contain_text("The kernel is running")
    bench.js(f"{KERNEL}.interrupt()")
    expect(told).not_to_contain_text("The kernel is running")


def test_requests_about_subshells_do_not_change_what_jupyterlab_calls_busy(bench: Any) -> None:
    config = json.loads(bench.page.locator("#jupyter-config-data").text_content())
    assert set(SUBSHELL_REQUESTS) <= set(config["untracked_message_types"])


def test_a_tape_that_its_kernel_left_says_so_and_the_kernel_is_started_again(bench: Any) -> None:
    bench.notebook()
    bench.run(IMPORT + ONE, PUSH)
    bench.tape(12)
    told, options = bench.inspector.locator(".akl-banners"), bench.inspector.locator(".akl-tape-pick option")
    expect(options).to_have_count(2)
    bench.js(f"{KERNEL}.restart()")
    expect(told).to_contain_text("The kernel was started again")
    expect(options).to_have_count(1)  # the other tape is gone
    expect(options).to_contain_text("[2]")
    bench.idle()
    bench.tape(12)

    bench.js("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    told.get_by_role("button", name="Restart").click()
    bench.idle()
    expect(told).to_contain_text("The kernel was started again")
    bench.run(IMPORT + ONE)
    bench.tape(1)
    expect(told).not_to_contain_text("started again")


def test_an_empty_panel_says_that_a_cell_runs(bench: Any) -> None:
    bench.notebook()
    bench.open_inspector()
    line = bench.inspector.locator(".akl-empty-busy")
    expect(line).to_be_hidden()
    bench.run("import time\nwhile True: time.sleep(0.05)", wait=False)
    expect(line).to_be_visible()
    bench.js(f"{KERNEL}.interrupt()")
    expect(line).to_be_hidden()


GONE = """
import autodiff_kit as ak
x = ak.Variable(2.0)
def cube():
    with ak.GradientTape() as tape:
        y = x * x * x
    return tape.gradient(y, x)
slope = cube()
"""


def test_the_last_tape_before_the_panel_looked_is_complete(bench: Any) -> None:
    """A lesson's first cells run before anybody looks, and many of their tapes end in a function."""
    bench.notebook()
    bench.run(GONE)
    bench.tape(3)
    expect(bench.inspector.locator(".akl-banner")).to_have_count(0)


# Tapes are announced and not kept, as where a run of many cells records more than are kept.
UNKEPT = "from autodiff_kit.lab.kernel.inspector import TapeInspector\nTapeInspector._retain = lambda *_: None"
# The next tape's head is sent when `answer_late` is called.
LATE = """
receive = TapeInspector.receive
def hold(self, message, send=None):
    global answer_late
    if message.get("ask") == "tape.head":
        TapeInspector.receive, answer_late = receive, lambda: receive(self, message, send)
    else:
        receive(self, message, send)
TapeInspector.receive = hold
"""


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
def test_what_became_of_one_tape_is_never_said_beside_another(bench: Any, late: bool) -> None:
    bench.notebook()
    bench.run(IMPORT + PUSH)
    bench.tape(12)
    bench.inspector.evaluate(
        """panel => { window.refused = 0;
            new MutationObserver(() => { refused += panel.textContent.includes('could not be shown'); })
                .observe(panel, { childList: true, subtree: true }); }"""
    )
    bench.run(UNKEPT, *([LATE] if late else []), GONE)
    if late:
        expect(bench.inspector).to_have_attribute("data-state", "loading")
        bench.run(ONE)
        bench.tape(1)
        bench.run("answer_late()")
    bench.run("'the kernel has answered all'")
    bench.tape(1 if late else 12)
    assert bench.js("refused") == 0


@pytest.mark.slow
def test_two_tabs_on_one_notebook(bench: Any, browser: Browser, server: Any) -> None:
    bench.notebook()
    bench.run(IMPORT + PUSH)
    bench.tape(12)
    path = bench.js(
        "jupyterapp.shell.currentWidget.context.save().then(() => jupyterapp.shell.currentWidget.context.path)"
    )
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    other = Second(page, server, path)
    other.command("autodiff-kit:open-inspector")
    other.tape(12)
    for one, steps in ((other, 3), (bench, 5)):
        one.focus_table()
        one.press("f", *["."] * steps)
    expect(other.inspector.locator(".akl-where")).to_have_text("3 / 12")
    expect(bench.inspector.locator(".akl-where")).to_have_text("5 / 12")
    bench.run(ONE)  # each follows the kernel
    bench.tape(1)
    other.tape(1)
    # A tab that does not know the other tab's widgets complains of their messages; of ours none may be unknown.
    comms = bench.js(
        """async () => { const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
            const told = await kernel.requestCommInfo({ target_name: 'autodiff_kit:tape' });
            return Object.keys(told.content.comms); }"""
    )
    assert len(comms) == 1
    for tab in (bench, other):
        theirs = [line for line in tab.complaints if "Comm not found" in line and comms[0] not in line]
        tab.complaints[:] = [line for line in tab.complaints if line not in theirs]
    assert other.complaints == []
    page.close()
