"""Installing the kit is enough: no second command is needed to enable the server extension."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[3]


def test_the_wheel_brings_the_setting_that_enables_it() -> None:
    import tomllib

    recipe = tomllib.loads((TOP / "pyproject.toml").read_text())
    shared = recipe["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    sources = [source for source, target in shared.items() if target.startswith("etc/jupyter/jupyter_server_config.d/")]
    assert len(sources) == 1
    setting = json.loads((TOP / sources[0]).read_text())
    assert setting == {"ServerApp": {"jpserver_extensions": {"autodiff_kit.lab": True}}}


def test_jupyter_finds_the_module_that_it_is_told_of() -> None:
    import importlib

    import autodiff_kit.lab

    for point in autodiff_kit.lab._jupyter_server_extension_points():
        module = importlib.import_module(point["module"])
        assert callable(module._load_jupyter_server_extension)


@pytest.mark.parametrize("own", [None, "/home/eve/startup.py"])
def test_kernels_begin_with_the_kits_startup_file_unless_there_is_another(own: str | None, monkeypatch: Any) -> None:
    import autodiff_kit.lab.server as extension
    from autodiff_kit.lab.server import handlers, tcp_nodelay

    monkeypatch.setattr(handlers, "routes", lambda _app: [])
    monkeypatch.setattr(tcp_nodelay, "disable_nagle", lambda _app: None)
    monkeypatch.setattr(os, "environ", {} if own is None else {"PYTHONSTARTUP": own})
    extension.load_jupyter_server_extension(SimpleNamespace(web_app=SimpleNamespace(add_handlers=lambda *_: None)))
    found = os.environ["PYTHONSTARTUP"]
    assert found == own or (own is None and "get_ipython" in Path(found).read_text())


def test_requests_about_subshells_do_not_change_what_the_server_calls_busy() -> None:
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

    from autodiff_kit.lab.server.subshell_status import SUBSHELL_REQUESTS, ignore_subshell_status

    manager = MappingKernelManager()
    before = list(manager.untracked_message_types)
    for _ in range(2):
        ignore_subshell_status(SimpleNamespace(kernel_manager=manager))
    assert manager.untracked_message_types == [*before, *SUBSHELL_REQUESTS]
    assert not any(manager.track_message_type(kind) for kind in SUBSHELL_REQUESTS)
    ignore_subshell_status(SimpleNamespace(kernel_manager=object()))


@pytest.mark.slow
def test_an_install_with_lab_enables_the_extension(tmp_path: Path) -> None:
    """In a separate environment, without access to this one."""
    home = {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "PYTHONPATH": ""}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "AUTODIFF"))} | home
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True, timeout=300)
    bin_ = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    pinned = ["-c", str(TOP / "tests/constraints.txt")]
    install = [str(bin_ / "python"), "-m", "pip", "install", "-q", *pinned, f"{TOP}[lab]"]
    subprocess.run(install, check=True, timeout=1800, cwd=tmp_path, env=clean)
    command = [str(bin_ / "jupyter"), "server", "extension", "list"]
    found = subprocess.run(command, check=True, timeout=300, cwd=tmp_path, env=clean, capture_output=True, text=True)
    said = found.stdout + found.stderr
    lines = [line for line in said.splitlines() if "autodiff_kit.lab" in line]
    assert any("enabled" in line for line in lines), said
    assert any("OK" in line for line in lines), said
    script = (
        "from autodiff_kit.lab.server import handlers, catalog; print(len(catalog.lesson_catalog()), handlers.PREFIX)"
    )
    asked = [str(bin_ / "python"), "-c", script]
    done = subprocess.run(asked, check=True, timeout=300, cwd=tmp_path, env=clean, capture_output=True, text=True)
    notebooks = len(list((TOP / "notebooks").glob("*.ipynb")))
    assert done.stdout.split() == [str(notebooks), "autodiff-kit"]
