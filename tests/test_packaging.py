"""The result of `pip install`: the lessons in the wheel, the command, a light import, consistent settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests import release

TOP = Path(__file__).resolve().parents[1]
HEAVY = (
    "numba",
    "llvmlite",
    "ipywidgets",
    "anywidget",
    "IPython",
    "matplotlib",
    "sqlite3",
    "nbformat",
    "scipy",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as pip builds it."""
    into = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(into),
        str(TOP),
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    [found] = into.glob("*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_holds_lessons_and_front_end(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for kind in ("notebooks", "exercises"):
        for path in (TOP / kind).glob("*.ipynb"):
            assert f"autodiff_kit/_content/{kind}/{path.name}" in names
    built = TOP / "autodiff_kit" / "lab" / "labextension"  # installed where JupyterLab looks for extensions
    for path in (TOP / "autodiff_kit").rglob("*.js"):
        if built in path.parents:
            place = f"share/jupyter/labextensions/autodiff-kit/{path.relative_to(built).as_posix()}"
            assert any(name.endswith(f".data/data/{place}") for name in names), place
        elif TOP / "autodiff_kit" / "lab" not in path.parents:  # the other files there are its sources
            assert path.relative_to(TOP).as_posix() in names
    assert "autodiff_kit/lessons/jupyter/labconfig/page_config.json" in names
    assert "autodiff_kit/py.typed" in names
    questions = {
        name.rpartition("/")[0] for name in names if "/questions/lesson" in name and name.endswith("/question.py")
    }
    assert len(questions) >= 80
    assert all(f"{folder}/solution.py" in names and f"{folder}/wrong.py" not in names for folder in questions)
    assert not [name for name in names if ".ipynb_checkpoints" in name or name.endswith((".pyc", ".map"))]


@pytest.mark.slow
def test_the_wheel_fills_a_folder_by_itself(wheel: Path, tmp_path: Path) -> None:
    # Unpacked into a separate path, ahead of the checkout, so that only the wheel's files are found.
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = "import sys; sys.path.insert(0, 'site'); from autodiff_kit.cli import main; sys.exit(main())"
    words = ["lab", "--prepare-only", "--dir", "mine"]
    subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
    originals = sorted(path.name for path in (TOP / "notebooks").glob("*.ipynb"))
    assert sorted(path.name for path in (tmp_path / "mine" / "notebooks").iterdir()) == originals
    for path in (tmp_path / "mine").rglob("*.ipynb"):
        assert not [cell for cell in json.loads(path.read_text())["cells"] if cell.get("outputs")]


def test_importing_the_kit_loads_nothing_heavy() -> None:
    code = "import sys, autodiff_kit; print(sorted(set(sys.argv[1:]) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# What pip brings without an extra: everything else is taken from the process, as if it were not installed.
BARE = """
import sys
hidden = "numba llvmlite jupyterlab jupyter_server notebook nbformat nbconvert scipy distributed"
sys.modules.update(dict.fromkeys(hidden.split()))
"""


def _run_bare(code: str, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BARE + code, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_without_an_extra_engine_lessons_and_widgets_work() -> None:
    code = """
import autodiff_kit as ak
from autodiff_kit import widgets
from autodiff_kit.learn import *
step = ak.compile(lambda x: (x * ak.sin(x)).sum())
print({round(float(step(ak.constant([1.0, 2.0])).numpy()), 6) for _ in range(300)})
print(type(widgets.JvpVjp()).__name__)
"""
    done = _run_bare(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["{2.660066}", "JvpVjp"]


def lowest_versions() -> list[str]:
    """The oldest release of each requirement that the kit's metadata admits, for pip."""
    required = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["dependencies"]
    found = [re.match(r"([\w-]+)>=([\d.]+)", line) for line in required]
    assert all(found)
    return [f"{m[1]}=={m[2]}{'' if m[2].count('.') > 1 else '.*'}" for m in found if m]


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest NumPy has no wheel for this Python")
def test_lesson_01_runs_with_the_oldest_versions(wheel: Path, tmp_path: Path) -> None:
    """Such as those that Colab has imported before it installs the kit."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "old")], check=True)
    python = str(tmp_path / "old" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel), *lowest_versions()]
    subprocess.run(install, check=True, capture_output=True, text=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "JUPYTER"))}
    done = subprocess.run(
        [python, "-c", release.RUN_BARE], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "cells of 01_" in done.stdout


@pytest.mark.parametrize(("words", "package"), [(["lab", "--dir", "mine"], "jupyterlab"), (["warm"], "numba")])
def test_a_command_names_the_extra_that_it_needs(words: list[str], package: str, tmp_path: Path) -> None:
    done = _run_bare("from autodiff_kit.cli import main; sys.exit(main(sys.argv[1:]))", *words, cwd=tmp_path)
    assert done.returncode == 1
    assert f"needs {package}, which is not installed: pip install 'autodiff-kit[lab]'." in done.stderr


def test_in_colab_the_kits_widgets_are_switched_on() -> None:
    code = """
import types
output = types.ModuleType("google.colab.output")
output.enable_custom_widget_manager = lambda: print("on")
sys.modules.update({"google": types.ModuleType("google"), "google.colab": types.ModuleType("google.colab"),
                    "google.colab.output": output})
from autodiff_kit.learn import *
"""
    assert _run_bare(code).stdout.split() == ["on"]


def test_every_dependency_has_its_exact_version() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["lab"] + extras["grade"] + extras["test"]
    lines = (TOP / "tests" / "constraints.txt").read_text().splitlines()
    pinned = {line.split("==")[0] for line in lines if "==" in line}
    assert {line.split(">=")[0] for line in wanted} <= pinned


def test_python_versions_agree() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.15"
    workflow = (TOP / ".github" / "workflows" / "test.yml").read_text()
    assert '["3.11", "3.12", "3.13", "3.14"]' in workflow
    assert (TOP / "binder" / "runtime.txt").read_text().strip() == "python-3.12"


def test_the_files_of_a_release_have_one_version() -> None:
    code = "import release; print(release.same_version())"
    done = subprocess.run([sys.executable, "-c", code], cwd=TOP / "tests", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]


@pytest.mark.parametrize("name", ["binder/postBuild", "binder/start", ".ci/run"])
def test_scripts_can_be_run(name: str) -> None:
    path = TOP / name
    assert path.stat().st_mode & 0o111
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
