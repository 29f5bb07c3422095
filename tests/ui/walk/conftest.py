"""The kit as a learner installs it: a wheel, in an environment of its own, with nothing of the checkout in sight."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..panels.conftest import Server

HERE = Path(__file__).parent
TOP = HERE.parents[2]
# Run by every Python of the environment: a file of the checkout that is opened is written down.
WATCH = """
import os, sys
def _watch(event, args, top={top!r}, log={log!r}):
    if event == "open" and isinstance(args[0], str) and args[0].startswith(top) and "/.venv" not in args[0]:
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "a") as file:
            file.write(args[0] + "\\n")
sys.addaudithook(_watch)
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


class Installed:
    """An environment with the kit's wheel; all other packages are those that the tests use.

    Parameters
    ----------
    home : Path
        The folder for it.
    python : str, optional
        A Python of the same version as the tests'.
    """

    def __init__(self, home: Path, python: str = sys.executable) -> None:
        self.home, self.opened = home / "env", home / "opened"
        self.python = str(self.home / "bin" / "python")
        subprocess.run([python, "-m", "venv", "--without-pip", str(self.home)], check=True)
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
        wheels = home / "wheels"
        subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(TOP)], check=True)
        [self.wheel] = wheels.glob("*.whl")
        into = ["--python", self.python, "install", "--no-deps", "--no-index"]
        subprocess.run([*pip, *into, str(self.wheel)], check=True)
        self._see_the_others()

    def _see_the_others(self) -> None:
        """A line in a .pth file adds a folder and reads no .pth file in it: the editable kit stays out of sight."""
        [site] = (self.home / "lib").glob("python*/site-packages")
        (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
        (site / "sitecustomize.py").write_text(WATCH.format(top=f"{TOP}/", log=str(self.opened)))
        for kind in ("share/jupyter", "share/jupyter/labextensions", "etc/jupyter/jupyter_server_config.d"):
            ours = self.home / kind
            for path in (Path(sys.prefix) / kind).iterdir():
                if not (ours / path.name).exists() and "autodiff" not in path.name:
                    (ours / path.name).symlink_to(path)


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def server(kit: Installed, tmp_path: Path) -> Iterator[Server]:
    one = Server(tmp_path, kit.python, {"PYTHONPATH": "", "JUPYTER_PATH": "", "JUPYTER_CONFIG_PATH": ""})
    yield one
    one.end()
