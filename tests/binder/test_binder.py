"""Binder: its configuration agrees with the repository, and a replay of its steps opens a lesson."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("replay.py")


@pytest.fixture(scope="module")
def replay() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("binder_replay", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its dataclass looks up its module by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_readmes_link_opens_a_lesson_of_the_prepared_folder(replay: ModuleType) -> None:
    address = replay.readme_address()
    assert address.startswith("lab/tree/work/notebooks/00_")
    assert (TOP / address.removeprefix("lab/tree/work/")).is_file()


def test_requirements_are_what_jupyterlab_and_the_kit_need_at_the_tested_versions() -> None:
    command = [sys.executable, "-m", "tests.binder.pinned"]
    wanted = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout
    assert (TOP / "binder" / "requirements.txt").read_text() == wanted


def test_a_new_commit_installs_only_the_kit() -> None:
    # A line that names a file of the repository makes the layer of all packages depend on every commit.
    lines = (TOP / "binder" / "requirements.txt").read_text().splitlines()
    assert not [line for line in lines if line.startswith(("-", "."))]
    assert "pip install --quiet --no-cache-dir --no-deps ." in (TOP / "binder" / "postBuild").read_text()


def test_start_runs_what_it_is_given(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    words = [
        sys.executable,
        "-c",
        "import os; print(os.environ['NUMBA_CPU_NAME'], os.environ['AUTODIFF_KIT_DIR'])",
    ]
    done = subprocess.run(
        [TOP / "binder" / "start", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["generic", str(tmp_path / "work")]
    assert (tmp_path / "work" / ".autodiff_kit" / "learner.json").exists()


@pytest.mark.slow
def test_each_visitor_is_a_new_learner(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    seen = set()
    for _ in range(2):
        subprocess.run(
            [TOP / "binder" / "start", "true"], cwd=tmp_path, env=environment, check=True, capture_output=True
        )
        seen.add(json.loads((tmp_path / "work" / ".autodiff_kit" / "learner.json").read_text())["learner"])
    assert len(seen) == 2


@pytest.mark.slow
def test_a_replay_opens_lesson_01() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.strip().splitlines()[-1])
    assert report["unprivileged"] or "stays root" in done.stdout
