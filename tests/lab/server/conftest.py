"""A working folder for the server's functions, and a real server for its routes."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons import workspace

TOKEN = "a-token-for-tests"
OTHERS = ("jupyterlab", "jupyter_lsp", "jupyter_server_terminals", "notebook", "notebook_shim", "voila")


@dataclass
class Reply:
    """One response: its status, its headers and its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


@dataclass
class Server:
    """A running server that shows `shown`; its working folder is `shown/work`."""

    port: int
    shown: Path
    process: subprocess.Popen[bytes]

    @property
    def root(self) -> Path:
        return self.shown / "work"

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Reply:
        """Send a request with the token unless other headers are given; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Authorization": f"token {TOKEN}"} if headers is None else headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path if path.startswith("/") else f"/autodiff-kit/{path}", data, sent)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


def start(shown: Path, scratch: Path, *options: str) -> Server:
    """Start a server with only this extension, and wait until it responds."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    extensions = {"autodiff_kit.lab": True} | dict.fromkeys(OTHERS, False)
    command = [
        sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", f"--port={port}",
        f"--ServerApp.root_dir={shown}", f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.jpserver_extensions={extensions}", *options,
    ]  # fmt: skip
    kept = {name: str(scratch / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    log = scratch / "log"
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink, env=os.environ | kept)
    server = Server(port, shown, process)
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            if server.ask("GET", "syllabus").status == 200:
                return server
        except OSError:
            pass
        time.sleep(0.1)
    process.kill()
    raise AssertionError(log.read_text())


@pytest.fixture
def start_server() -> Callable[..., Server]:
    """The function that starts a server, for a test that ends it itself."""
    return start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a file, with a working folder that exists."""
    scratch = tmp_path_factory.mktemp("server")
    shown = scratch / "shown"
    shown.mkdir()
    running = start(shown, scratch)
    try:
        assert running.ask("POST", "lessons/01/open", {}).status == 200
        yield running
    finally:
        running.process.terminate()
        running.process.wait(timeout=30)


@pytest.fixture
def fresh(tmp_path: Path) -> WorkingFolder:
    """A server's folder without a working folder in it."""
    shown = (tmp_path / "shown").resolve()
    shown.mkdir()
    return WorkingFolder(shown / "work", shown)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with its copies, made once; each test gets a copy of it."""
    root = tmp_path_factory.mktemp("prepared") / "work"
    workspace.prepare_working_folder(root)
    return root


@pytest.fixture
def folder(fresh: WorkingFolder, prepared: Path) -> WorkingFolder:
    """A working folder with its copies, as a learner has it."""
    shutil.copytree(prepared, fresh.root)
    return fresh


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of four megabytes, if this process may mount one."""
    place = Path(tempfile.mkdtemp())
    words = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    mounted = shutil.which("mount") and subprocess.run(words, check=False, capture_output=True).returncode == 0
    try:
        if not mounted:
            pytest.skip("mounting a small disk takes rights that this user has not")
        yield place
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=False)
        place.rmdir()
