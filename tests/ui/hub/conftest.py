"""A JupyterHub with the configuration of the guide: accounts of this machine, and a process for each learner."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from playwright.sync_api import Browser, Page, TimeoutError

from ..panels.conftest import Bench
from ..walk.conftest import Installed

HERE = Path(__file__).parent
TOP = HERE.parents[2]
GUIDE = TOP / "docs" / "hub" / "jupyterhub_config.py"
CONSTRAINTS = ("tests/constraints.txt", "tests/interop/constraints.txt", "tests/ui/hub/constraints.txt")
PROXY = "configurable-http-proxy@5.3.0"
PASSWORD = "for-the-tests"
LEARNERS = ("akit-ada", "akit-ben")
TEACHER = "akit-teacher"
GROUP = "akit-teachers"
WAIT = 60_000  # ms that a page may take to answer: three servers, two browsers and a proxy share the machine
SPAWN = 240  # seconds that a server may take to start on a busy machine
OURS = """
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_port = {ports[1]}
c.ConfigurableHTTPProxy.command = {proxy!r}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.Spawner.http_timeout = c.Spawner.start_timeout = {spawn}
c.Spawner.args = ["--LabApp.expose_app_in_browser=True"]
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@dataclass
class Hub:
    """A running hub, the learners' homes, and the folder into which their hand-ins go."""

    home: Path
    url: str
    hand_ins: Path

    def of(self, learner: str) -> Path:
        """A learner's home folder."""
        return self.home / learner

    def servers(self, learner: str) -> list[psutil.Process]:
        """The learner's server."""
        mine = [one for one in psutil.process_iter(["username"]) if one.info["username"] == learner]
        return [one for one in mine if "jupyterhub-singleuser" in " ".join(one.cmdline())]


@pytest.fixture(scope="module")
def environment() -> Iterator[Path]:
    """An environment that every account of the machine may use: the kit's wheel, JupyterHub, the tests' packages."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("a hub starts servers of other accounts: this needs root, and useradd")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("JupyterHub's proxy is a package of npm, which is not installed (Debian: apt install npm)")
    python = _python_for_all()
    if python is None:
        pytest.skip("no Python of this version, or no packages, that other accounts may use")
    home = Path(tempfile.mkdtemp(prefix="hub-env-"))
    home.chmod(0o755)
    try:
        kit = Installed(home, python)
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--python", kit.python, "install"]
        constraints = [word for file in CONSTRAINTS for word in ("-c", str(TOP / file))]
        subprocess.run([*pip, *constraints, "jupyterhub"], check=True)
        words = [npm, "install", "--prefix", home, "--no-audit", "--no-fund", PROXY]
        subprocess.run(words, check=True, capture_output=True)
        disable = ["-m", "jupyterlab.labextensions", "disable", "@jupyterlab/apputils-extension:announcements"]
        subprocess.run([kit.python, *disable], check=True, capture_output=True)
        yield home / "env"
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _python_for_all() -> str | None:
    """A Python of the tests' version that any account may run, if it may read the tests' packages as well."""
    spec = importlib.util.spec_from_file_location("binder_replay", TOP / "tests" / "binder" / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    replay = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = replay
    spec.loader.exec_module(replay)
    version = "{}.{}".format(*sys.version_info)
    python = replay.find_python(f"python-{version}", replay.NOBODY)
    code = (
        f"import sys; sys.path.append({sysconfig.get_path('purelib')!r}); import numpy; "
        f"assert sys.version.startswith({version!r})"
    )
    return python if python and replay._runs([python, "-c", code], replay.NOBODY) else None


@contextmanager
def accounts(home: Path) -> Iterator[None]:
    """Two learners and a teacher in the machine's list of accounts; they go afterwards."""
    people = (*LEARNERS, TEACHER)
    subprocess.run(["groupadd", GROUP], check=True)
    try:
        for name in people:
            subprocess.run(["useradd", "--create-home", "--base-dir", home, name], check=True)
        subprocess.run(["usermod", "--append", "--groups", GROUP, TEACHER], check=True)
        yield
    finally:
        for name in people:
            for left in (one for one in psutil.process_iter(["username"]) if one.info["username"] == name):
                left.kill()
            subprocess.run(["userdel", name], check=False, capture_output=True)
        subprocess.run(["groupdel", GROUP], check=False, capture_output=True)


@pytest.fixture
def hub(environment: Path) -> Iterator[Hub]:
    """The hub, once it answers."""
    home = Path(tempfile.mkdtemp(prefix="hub-"))
    home.chmod(0o755)
    try:
        with accounts(home), _running(home, environment) as one:
            yield one
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _running(home: Path, environment: Path) -> Iterator[Hub]:
    ports = _free_ports(3)
    text = GUIDE.read_text().replace('"teachers"', repr(GROUP)).replace('"/srv/hand-ins"', repr(str(home / "hand-ins")))
    assert text.count(str(home)) == text.count(GROUP) == 1
    config = home / "jupyterhub_config.py"
    proxy = str(environment.parent / "node_modules" / ".bin" / "configurable-http-proxy")
    config.write_text(text + OURS.format(password=PASSWORD, ports=ports, spawn=SPAWN, proxy=proxy))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AUTODIFF", "PYTHON", "JUPYTER"))}
    settings = {**kept, "PATH": f"{environment / 'bin'}:/usr/bin:/bin"}
    with (home / "log").open("wb") as log:
        words = [environment / "bin" / "jupyterhub", "-f", config]
        process = subprocess.Popen(words, cwd=home, env=settings, stdout=log, stderr=log)
        try:
            one = Hub(home, f"http://127.0.0.1:{ports[0]}/", home / "hand-ins")
            _wait_for(one.url + "hub/health", process, home / "log")
            yield one
        finally:
            process.terminate()
            process.wait(30)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    found = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return found


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())


def as_account(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a program as an account of the machine, with its groups."""
    about = pwd.getpwnam(name)
    return subprocess.run(
        [str(word) for word in words], cwd="/", user=about.pw_uid, group=about.pw_gid,
        extra_groups=os.getgrouplist(name, about.pw_gid), env={"HOME": about.pw_dir, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@contextmanager
def logged_in(browser: Browser, hub: Hub, learner: str) -> Iterator[Bench]:
    """A learner's own JupyterLab, reached by the hub's page for logins."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = context.new_page()
        page.goto(f"{hub.url}hub/login")
        page.fill("#username_input", learner)
        page.fill("#password_input", PASSWORD)
        page.click("#login_submit")
        _wait_for_own_server(page, f"{hub.url}user/{learner}/lab")
        one = Bench(page, SimpleNamespace(url=f"{hub.url}user/{learner}/", token=""))
        page.set_default_timeout(WAIT)
        yield one
    finally:
        context.close()


def _wait_for_own_server(page: Page, url: str) -> None:
    """The page that waits for a server may be left behind on a busy machine: ask again."""
    for _ in range(SPAWN // 10):
        try:
            page.wait_for_url(f"{url}**", timeout=10_000)
        except TimeoutError:
            page.goto(url)
        else:
            return
    raise AssertionError(f"{page.url} after {SPAWN} s")
