"""What a release is tried with: ``python tests/release.py python3.11 python3.12 …``, or ``make release-check``.

Builds wheel and source distribution, installs each into an empty environment of every Python that is named, and runs
lesson 01 there: from the installed files alone, first without an extra, then in a kernel with the extra ``lab``. Also
compares the version in all files that name it, and the release's day in the changelog and in ``CITATION.cff``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
LAB, CITED = "autodiff_kit/lab", "CITATION.cff"
# Where the version stands besides pyproject.toml, and the day of the release besides the changelog.
VERSIONS = {
    "autodiff_kit/__init__.py": r'^__version__ = "(.+)"',
    CITED: r"^version: (.+)$",
    f"{LAB}/package.json": r'^  "version": "(.+)"',
    f"{LAB}/package-lock.json": r'^  "version": "(.+)"',
    f"{LAB}/labextension/package.json": r'^  "version": "(.+)"',
    f"{LAB}/locale/de_DE/LC_MESSAGES/autodiff_kit.json": r'^  "version": "(.+)"',
}

# The code cells of the lesson one after the other in one Python, without Jupyter: what a bare installation can do.
RUN_BARE = """
import json, sys
from pathlib import Path
import autodiff_kit
assert "site-packages" in autodiff_kit.__file__, autodiff_kit.__file__
lesson = next((Path(autodiff_kit.__file__).parent / "_content" / "notebooks").glob("01_*.ipynb"))
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
cells = [cell for cell in json.loads(lesson.read_text())["cells"] if cell["cell_type"] == "code"]
for cell in cells:
    shell.run_cell("".join(cell["source"])).raise_error()
print(len(cells), "cells of", lesson.name)
"""
RUN_IN_KERNEL = """
import subprocess, sys, nbformat
from pathlib import Path
from nbclient import NotebookClient
subprocess.run([sys.executable, "-m", "autodiff_kit", "lab", "--prepare-only", "--dir", "work"], check=True)
path = next(Path("work/notebooks").glob("01_*.ipynb"))
book = nbformat.read(path, 4)
NotebookClient(book, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
print(sum(bool(cell.get("outputs")) for cell in book.cells), "cells have outputs")
extensions = subprocess.run([sys.executable, "-m", "jupyter", "labextension", "list"], capture_output=True, text=True)
assert "autodiff-kit" in extensions.stderr + extensions.stdout, extensions
"""


def main(pythons: list[str]) -> None:
    """Check the versions, build, install and run; exit with an error at the first that fails."""
    version = same_version()
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        for built in build(folder / "dist", version):
            for python in pythons:
                try_installation(python, built, folder)
    print(f"autodiff_kit {version}: wheel and source distribution on {', '.join(pythons)}")


def same_version() -> str:
    """The version, on which all files that name it have to agree; a release has its day in the changelog, too."""
    version: str = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    found = {name: first(pattern, name) for name, pattern in VERSIONS.items()}
    wrong = {name: other for name, other in found.items() if other != version}
    if wrong:
        raise SystemExit(f"pyproject.toml has version {version}, but: {wrong}")
    if "dev" not in version:
        day, cited = first(rf"^## {re.escape(version)} - (.+)$", "CHANGELOG.md"), first(r"^date-released: (.+)$", CITED)
        if not day or day != cited:
            raise SystemExit(f"{version} was released on {day!r} in CHANGELOG.md, but on {cited!r} in {CITED}.")
    return version


def first(pattern: str, name: str) -> str:
    """The group of a pattern where it first stands in a file; empty if it is not there."""
    match = re.search(pattern, read(name), re.MULTILINE)
    return match[1] if match else ""


def read(name: str) -> str:
    """A file of the repository as text."""
    return (TOP / name).read_text(encoding="utf-8")


def build(into: Path, version: str) -> list[Path]:
    """Build wheel and source distribution; the wheel is made from the source distribution's files."""
    run("build", [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(into)], TOP)
    source = into / f"autodiff_kit-{version}.tar.gz"
    run("wheel", [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(into), str(source)], into)
    [wheel] = into.glob("*.whl")
    return [wheel, source]


def try_installation(python: str, built: Path, folder: Path) -> None:
    """Install a file into an empty environment and run the lesson, without and with the extra ``lab``."""
    kind = built.suffix.strip(".")
    where = folder / f"{Path(python).name}-{kind}"
    run(f"{python} {kind} environment", [python, "-m", "venv", str(where)], folder)
    inside = str(where / "bin" / "python")
    install = [inside, "-m", "pip", "install", "-q", "--constraint", str(TOP / "tests" / "constraints.txt")]
    run(f"{python} {kind} bare", [*install, str(built)], where)
    run(f"{python} {kind} lesson 01, bare", [inside, "-c", RUN_BARE], where)
    run(f"{python} {kind} [lab]", [*install, f"{built}[lab]"], where)
    run(f"{python} {kind} lesson 01, kernel", [inside, "-c", RUN_IN_KERNEL], where)
    run(f"{python} {kind} pip check", [inside, "-m", "pip", "check"], where)


def run(name: str, command: list[str], where: Path) -> None:
    """Run one step, print its time, and end with its output if it fails."""
    begun = time.perf_counter()
    ours = ("PYTHON", "JUPYTER", "AUTODIFF_KIT")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    done = subprocess.run(command, cwd=where, env=kept, capture_output=True, text=True, check=False)
    print(f"{name:<48} {time.perf_counter() - begun:6.1f} s", flush=True)
    if done.returncode:
        raise SystemExit(f"{name} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
