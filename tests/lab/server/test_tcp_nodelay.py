"""Messages of kernels are sent without delay."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect

from autodiff_kit.lab.server.tcp_nodelay import SETTING, disable_nagle


class Ordinary:
    """A connection between a page and a kernel, made like Jupyter's."""

    def __init__(self, websocket_handler: Any) -> None:
        self.websocket_handler = websocket_handler

    def connect(self) -> str:
        return "connected"


def test_a_connection_has_tcp_nodelay_and_is_otherwise_unchanged() -> None:
    settings: dict[str, Any] = {SETTING: Ordinary}
    disable_nagle(SimpleNamespace(web_app=SimpleNamespace(settings=settings)))
    found: list[Any] = []

    class Handler(WebSocketHandler):
        async def open(self, *args: str, **kwargs: str) -> None:
            def gathers() -> bool:
                assert self.ws_connection is not None
                stream = self.ws_connection.stream  # type: ignore[attr-defined]
                return not stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

            found.append(gathers())
            connection = settings[SETTING](websocket_handler=self)
            found.extend([isinstance(connection, Ordinary), connection.connect(), gathers()])
            self.close()

    async def talk() -> None:
        listening, port = bind_unused_port()
        server = HTTPServer(Application([("/", Handler)]))
        server.add_sockets([listening])
        page = await websocket_connect(f"ws://127.0.0.1:{port}/")
        assert await page.read_message() is None
        server.stop()

    asyncio.run(talk())
    assert found == [True, True, "connected", False]


def test_a_server_without_such_connections_stays_as_it_is() -> None:
    settings: dict[str, Any] = {}
    disable_nagle(SimpleNamespace(web_app=SimpleNamespace(settings=settings)))
    assert settings == {}
