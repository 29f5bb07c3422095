"""Firefox as the system has it, for Playwright: started as ``python firefox.py PATH ARGUMENTS``.

Playwright drives a Firefox that is not its own over WebDriver BiDi, and gives up where the browser does not know one of
its commands. This process stands between the two. Where a release does not know how to emulate something, it answers
that all is well; a test that needs the emulation sees that nothing has changed.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect

LISTENING = re.compile(r"(?<=WebDriver BiDi listening on )ws://\S+")
LARGEST = 1 << 28  # bytes of a message, which may be the picture of a page
SHORT = 1 << 12  # characters; no longer message is looked at


def launcher(path: str, folder: Path) -> Path:
    """Write the program that Playwright starts in place of the Firefox at `path`."""
    script = folder / "firefox"
    command = shlex.join([sys.executable, str(Path(__file__).resolve()), path])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


class Relay(WebSocketHandler):
    """Pass messages on between Playwright and the browser."""

    def initialize(self, address: str) -> None:
        self._address = address
        self._emulations: set[int] = set()

    async def open(self) -> None:
        self._browser = await websocket_connect(
            self._address, on_message_callback=self._answer, max_message_size=LARGEST, ping_interval=0
        )

    async def on_message(self, message: str | bytes) -> None:
        command = json.loads(message) if len(message) < SHORT else {"method": ""}
        if command["method"].startswith("emulation."):
            self._emulations.add(command["id"])
        await self._browser.write_message(message)

    def _answer(self, message: str | bytes | None) -> None:
        if message is None:
            self.close()
            return
        answer = json.loads(message) if len(message) < SHORT else {}
        if answer.get("error") == "unknown command" and answer["id"] in self._emulations:
            message = json.dumps({"type": "success", "id": answer["id"], "result": {}})
        self.write_message(message)

    def on_close(self) -> None:
        self._browser.close()


def relayed(address: str) -> str:
    """Listen on a free port; give the address to use in place of the browser's."""
    [socket] = bind_sockets(0, "127.0.0.1")
    routes = [("/session", Relay, {"address": f"{address}/session"})]
    HTTPServer(Application(routes, websocket_max_message_size=LARGEST)).add_sockets([socket])
    return f"ws://127.0.0.1:{socket.getsockname()[1]}"


async def main(path: str, arguments: list[str]) -> int:
    browser = await asyncio.create_subprocess_exec(path, *arguments, stderr=PIPE)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, browser.terminate)
    assert browser.stderr
    async for line in browser.stderr:
        text = LISTENING.sub(lambda found: relayed(found[0]), line.decode(errors="replace"))
        print(text, end="", file=sys.stderr, flush=True)
    return await browser.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2:])))
