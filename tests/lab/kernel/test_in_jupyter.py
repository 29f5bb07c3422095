"""The comm in a real kernel: opened, used, interrupted, restarted, joined by a second page, closed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from jupyter_client.manager import KernelManager

from autodiff_kit.lab.environment import PANELS_VARIABLE
from autodiff_kit.lab.kernel.cells import source_hash

TARGET = "autodiff_kit:tape"
RECORD = """import autodiff_kit as ak
x = ak.Variable([1.0, 2.0, 3.0], name="x")
with ak.GradientTape(persistent=True) as tape:
    y = ak.sum(ak.exp(x) * x)
"""


class Browser:
    """The part of a page that the kernel can see."""

    def __init__(self, manager: KernelManager) -> None:
        self.manager = manager
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.news: list[dict[str, Any]] = []
        self.comm = ""

    def send(self, kind: str, content: dict[str, Any], **metadata: Any) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def until_idle(self, sent: str) -> list[dict[str, Any]]:
        """The messages that the kernel published for a request; all comm messages are stored."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            self._note(message)
            if message["parent_header"].get("msg_id") == sent:
                found.append(message)
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return found

    def _note(self, message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "comm_open" and content["target_name"] == TARGET:
            self.comm = content["comm_id"]
        if message["msg_type"] in ("comm_msg", "comm_open"):
            self.news.append(content["data"] | {"comm": content["comm_id"]})

    def start(self, code: str, cell: str = "a-cell") -> str:
        asked = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        return self.send("execute_request", asked, cellId=cell)

    def run(self, code: str, cell: str = "a-cell") -> str:
        """Run a cell; return its printed output."""
        messages = self.until_idle(self.start(code, cell))
        errors = [m["content"]["evalue"] for m in messages if m["msg_type"] == "error"]
        assert errors == []
        return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")

    def ask(self, ask: str, comm: str = "", **more: Any) -> dict[str, Any]:
        """Send a request on the comm that the kernel opened, or on another one."""
        number = len(self.news) + 1000
        comm = comm or self.comm
        data = {"v": 1, "id": number, "ask": ask, **more}
        self.until_idle(self.send("comm_msg", {"comm_id": comm, "data": data}))
        (answer,) = [m for m in self.news if m.get("id") == number and m["comm"] == comm]
        return answer

    def wait_for(self, tape: str, seconds: float = 5) -> dict[str, Any]:
        """The notice of a tape."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = [m for m in self.news if m.get("type") == "tape/new" and m["tape"] == tape]
            if found:
                return found[-1]
            self.until_idle(self.send("kernel_info_request", {}))
            time.sleep(0.05)
        raise AssertionError(f"no notice of {tape}")

    def comms(self) -> list[str]:
        sent = self.send("comm_info_request", {"target_name": TARGET})
        self.until_idle(sent)
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["parent_header"]["msg_id"] == sent:
                return list(reply["content"]["comms"])


@pytest.fixture(scope="module")
def browser(warm_kernels: Any) -> Iterator[Browser]:
    manager = KernelManager()
    manager.kernel_spec.argv = list(warm_kernels.command)
    manager.start_kernel()
    browser = Browser(manager)
    yield browser
    browser.client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(browser: Browser) -> Browser:
    """The state of a kernel after a restart."""
    browser.manager.restart_kernel(now=True, env=dict(os.environ))
    browser.client.wait_for_ready(timeout=60)
    browser.news, browser.comm = [], ""
    return browser


def test_importing_the_kit_opens_the_comm_and_announces_a_tape(kernel: Browser) -> None:
    assert kernel.comms() == []
    assert kernel.run(RECORD) == ""
    assert kernel.comms() == [kernel.comm]
    notice = kernel.wait_for("t1")
    assert notice["cell"] == "a-cell"
    assert notice["title"] == "tape"
    head = kernel.ask("tape.head", tape="t1")
    assert head["n"] == notice["n"] == 4
    assert head["names"] == {"0": "x", "3": "y"}
    assert head["tables"]["line"] == [["a-cell", 4]]
    assert head["cells"] == {"a-cell": {"count": 1, "hash": source_hash(RECORD)}}
    rows = kernel.ask("tape.values", tape="t1", a=0, b=4, what=["value", "cotangent"])["rows"]
    assert rows[3][1][0] == 1
    assert kernel.ask("tape.explain", tape="t1", target="y", source="x")["connected"]
    assert kernel.run("%load_ext autodiff_kit.lab") == ""
    assert kernel.comms() == [kernel.comm]


FIRST = """import autodiff_kit as ak
x, unused = ak.Variable([1.0, 2.0], name="x"), ak.Variable(1.0, name="unused")
with ak.GradientTape() as tape:
    y = ak.sum(ak.tanh(x + [0.5, 0.5]))
g = tape.gradient(y, [x, unused])
"""


def test_the_first_cell_is_complete_where_the_server_has_panels(browser: Browser) -> None:
    """Import, tape and gradient in one cell: no page can have asked before the values are released."""
    browser.manager.restart_kernel(now=True, env={**os.environ, PANELS_VARIABLE: "1"})
    browser.client.wait_for_ready(timeout=60)
    browser.news, browser.comm = [], ""
    assert browser.run(FIRST) == ""
    head = browser.ask("tape.head", tape="t1")
    assert (head["released"], [head["names"][str(row)] for row in head["sources"]]) == (False, ["x", "unused"])
    kinds = browser.ask("tape.kinds", tape="t1", a=0, b=head["n"])
    assert set(kinds["value"]) == {"v"}
    assert [kinds["cotangent"][row] for row in head["sources"]] == ["v", "n"]


def test_values_of_an_unheard_tape_are_said_to_be_released(kernel: Browser) -> None:
    assert kernel.run(FIRST) == ""
    head = kernel.ask("tape.head", tape="t1")
    assert (head["released"], head["released_because"]) == (True, "unheard")


WRITE = """
import autodiff_kit as ak
from autodiff_kit.lessons.progress import progress
progress().begin_lesson("01")
begun = progress().rev()
progress().lesson("01")
progress().set_step("01", 2)
"""


def test_progress_of_the_kernel_is_announced(kernel: Browser) -> None:
    assert kernel.run(WRITE) == ""
    deadline = time.monotonic() + 20
    while len(told := [m for m in kernel.news if m.get("type") == "progress"]) < 2 and time.monotonic() < deadline:
        kernel.comms()
    assert [m["rev"] for m in told] == [1, 2], "reading tells nothing"


def test_messages_are_those_of_the_schema(kernel: Browser, schema: Any) -> None:
    kernel.run(RECORD)
    kernel.ask("tape.head", tape="t1")
    kernel.ask("tape.kinds", tape="t1", a=0, b=4)
    kernel.ask("tape.sweep", tape="t1")
    assert len(kernel.news) > 3
    for message in kernel.news:
        data = {name: value for name, value in message.items() if name != "comm"}
        jsonschema.Draft202012Validator(schema).validate(data)


def test_a_function_of_another_cell_keeps_its_location(kernel: Browser) -> None:
    kernel.run("import autodiff_kit as ak\ndef f(x):\n    return ak.exp(x) * 2.0\n", "first")
    kernel.run("x = ak.Variable(1.0)\nwith ak.GradientTape() as tape:\n    y = f(x) + 1.0\n", "second")
    kernel.wait_for("t1")
    head = kernel.ask("tape.head", tape="t1")
    assert ["first", 3] in head["tables"]["line"]
    assert ["second", 3] in head["tables"]["line"]
    assert head["tables"]["module"] == ["f", ""]
    assert set(head["cells"]) == {"first", "second"}
    told = kernel.ask("tape.explain", tape="t1", target="y", source="x")
    assert told["because"]


def test_values_of_a_function_are_visible_while_the_inspector_is_open(kernel: Browser) -> None:
    code = "def step():\n    with ak.GradientTape() as tape:\n        z = x * x\n    return tape.gradient(z, x)\n"
    kernel.run(RECORD)
    assert kernel.ask("tape.watch")["on"]
    kernel.run(code + "g = step()")
    assert kernel.wait_for("t2")["title"] == "step()"
    rows = kernel.ask("tape.values", tape="t2", a=0, b=2, what=["value", "cotangent"])["rows"]
    assert rows[0][1][6] == [2, 4, 6]


def test_requests_wait_for_the_cell_and_survive_an_interrupt(kernel: Browser) -> None:
    kernel.run(RECORD)
    busy = kernel.start("import time\nwith ak.GradientTape() as endless:\n    while True:\n        time.sleep(0.01)\n")
    time.sleep(0.5)
    kernel.send("comm_msg", {"comm_id": kernel.comm, "data": {"v": 1, "id": 1, "ask": "tape.head", "tape": "t1"}})
    time.sleep(0.3)
    assert not any(m.get("id") == 1 for m in kernel.news)
    kernel.manager.interrupt_kernel()
    messages = kernel.until_idle(busy)
    assert any(m["msg_type"] == "error" and m["content"]["ename"] == "KeyboardInterrupt" for m in messages)
    assert kernel.ask("tape.head", tape="t1")["n"] == 4
    assert any(m.get("id") == 1 and m.get("n") == 4 for m in kernel.news)
    assert kernel.ask("tape.head", tape="t2")["n"] == 0  # the tape that the interrupt closed


def test_replies_during_a_cell_if_a_page_opened_a_subshell(kernel: Browser) -> None:
    kernel.run(RECORD)
    control = kernel.client.control_channel
    control.send(kernel.client.session.msg("create_subshell_request", {}))
    reply = control.get_msg(timeout=30)
    if "subshell_id" not in reply["content"]:
        pytest.skip("this kernel knows no subshells")

    def send(kind: str, **content: Any) -> None:
        message = kernel.client.session.msg(kind, {"comm_id": "beside", **content})
        message["header"]["subshell_id"] = reply["content"]["subshell_id"]
        kernel.client.shell_channel.send(message)

    code = "import time\nwith ak.GradientTape(persistent=True) as slow:\n    for _ in range(200):\n"
    busy = kernel.start(code + "        z = ak.exp(x) * 0.5\n        time.sleep(0.01)\n")
    send("comm_open", target_name=TARGET, data={})
    requests = ({"ask": "tape.list"}, {"ask": "tape.values", "tape": "t1", "a": 0, "b": 4, "what": ["cotangent"]})
    for k in range(16):
        send("comm_msg", data={"v": 1, "id": f"beside {k}", **requests[k % 2]})
        time.sleep(0.05)
    done = kernel.until_idle(busy)
    assert not any(m["msg_type"] == "error" for m in done)
    answers = [m for m in kernel.news if str(m.get("id", "")).startswith("beside")]
    assert len(answers) == 16  # they arrived before the cell ended
    assert not any("error" in m for m in answers)
    slow = kernel.ask("tape.list")["tapes"][-1]
    assert (slow["title"], slow["n"]) == ("slow", 1 + 3 * 200)


def test_in_a_cell_that_awaits(kernel: Browser) -> None:
    kernel.run(RECORD)
    code = "import asyncio\nwith ak.GradientTape(persistent=True) as slow:\n    for _ in range(50):\n"
    busy = kernel.start(code + "        z = ak.exp(x) * 0.5\n        await asyncio.sleep(0.01)\n")
    time.sleep(0.1)
    data = {"v": 1, "id": "meanwhile", "ask": "tape.sweep", "tape": "t1"}
    kernel.send("comm_msg", {"comm_id": kernel.comm, "data": data})
    assert not any(m["msg_type"] == "error" for m in kernel.until_idle(busy))
    assert kernel.ask("tape.list")["tapes"][-1]["n"] == 1 + 3 * 50  # the sweep was not recorded
    (answer,) = [m for m in kernel.news if m.get("id") == "meanwhile"]
    assert answer["events"]


def test_a_restart_starts_without_tapes(kernel: Browser) -> None:
    kernel.run(RECORD)
    before = kernel.comm
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.comms() == []
    kernel.run(RECORD)
    assert kernel.comm != before
    assert kernel.ask("tape.list")["tapes"][0]["tape"] == "t1"


def test_a_second_page_has_its_own_comm(kernel: Browser) -> None:
    kernel.run(RECORD)
    kernel.until_idle(kernel.send("comm_open", {"comm_id": "second", "target_name": TARGET, "data": {}}))
    assert set(kernel.comms()) == {kernel.comm, "second"}
    assert kernel.ask("tape.head", comm="second", tape="t1")["n"] == 4
    kernel.run("with ak.GradientTape() as other:\n    ak.exp(x)")
    assert kernel.wait_for("t2")["title"] == "other"
    told = {m["comm"] for m in kernel.news if m.get("type") == "tape/new" and m["tape"] == "t2"}
    assert told == {kernel.comm, "second"}
    kernel.until_idle(kernel.send("comm_close", {"comm_id": "second", "data": {}}))
    assert kernel.comms() == [kernel.comm]
    assert kernel.ask("tape.head", tape="t2")["n"] == 2


def test_a_comm_that_is_closed_in_the_middle_is_opened_again(kernel: Browser) -> None:
    kernel.run(RECORD)
    first = kernel.comm
    busy = kernel.start("import time; time.sleep(0.3)\nwith ak.GradientTape() as other:\n    ak.exp(x)\n")
    kernel.until_idle(kernel.send("comm_close", {"comm_id": first, "data": {}}))
    assert busy
    assert kernel.comms() == []
    kernel.run("with ak.GradientTape() as third:\n    ak.exp(x)")
    assert kernel.comm != first
    third = kernel.ask("tape.list")["tapes"][-1]
    assert third["title"] == "third"
    assert kernel.ask("tape.head", tape=third["tape"])["n"] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_process_does_not_use_the_comm(kernel: Browser) -> None:
    kernel.run(RECORD)
    code = "import os, warnings\nfrom autodiff_kit.core.tape_observer import set_tape_observer\n"
    code += "warnings.simplefilter('ignore')\n"
    code += "child = os.fork()\nif child == 0:\n    os._exit(7 if set_tape_observer(None) is None else 1)\n"
    assert kernel.run(code + "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))") == "7\n"
    assert kernel.ask("tape.head", tape="t1")["n"] == 4


def test_nothing_is_printed_whatever_is_asked(kernel: Browser) -> None:
    kernel.run(RECORD)
    for data in (None, {}, {"v": 1, "id": 3}, {"v": 1, "ask": ["tape.head"]}, {"v": 7, "ask": "tape.list"}):
        messages = kernel.until_idle(kernel.send("comm_msg", {"comm_id": kernel.comm, "data": data}))
        assert {m["msg_type"] for m in messages} == {"status", "comm_msg"}
        assert kernel.news[-1]["error"]["code"] in ("message", "ask")
