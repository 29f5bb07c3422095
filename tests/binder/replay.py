"""Replay Binder's steps with this repository, in a clean environment and without a container.

``python tests/binder/replay.py`` copies the tracked files into an empty home, installs
``binder/requirements.txt`` into a fresh environment, runs ``binder/postBuild``, and then, through
``binder/start``, runs lesson 01 and asks a real server for the address that the README's badge opens. As
root it does all of that as an unprivileged user, because Binder does. Each step's time is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

TOP = Path(__file__).resolve().parents[2]
NOBODY = 65534

RUN_LESSON = """
import sys, nbformat
from nbclient import NotebookClient
path = sys.argv[1]
book = nbformat.read(path, 4)
assert not any(cell.get("outputs") for cell in book.cells), "the copy has outputs"
NotebookClient(book, timeout=120, resources={"metadata": {"path": path.rsplit("/", 1)[0]}}).execute()
print(sum(bool(cell.get("outputs")) for cell in book.cells), "cells of", path, "have results")
"""

ASK_SERVER = """
import json, os, socket, subprocess, sys, time, urllib.error, urllib.request
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = str(free.getsockname()[1])
options = ["--allow-root"] if os.geteuid() == 0 else []
words = ["jupyter", "lab", "--no-browser", "--port", port, "--IdentityProvider.token=replay", *options]
server = subprocess.Popen(words, stderr=sys.stderr)

def fetch(path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}?token=replay", timeout=30) as answer:
        return answer.read().decode()

def fetch_when_up(path):
    for _ in range(300):
        try:
            return fetch(path)
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            assert server.poll() is None, "the server ended"
            time.sleep(0.1)
    raise AssertionError("no server after 30 s")

try:
    page = fetch_when_up(sys.argv[1])
    book = json.loads(fetch("api/contents/" + sys.argv[1].removeprefix("lab/tree/")))
    assert "jupyter-config-data" in page and book["content"]["cells"], "no notebook"
    print("the server answers for", sys.argv[1])
finally:
    server.terminate()
    server.wait(timeout=30)
"""


@dataclass
class Replay:
    """One replay, in a separate home folder."""

    home: Path
    python: str
    user: int | None
    times: dict[str, float] = field(default_factory=dict)

    def step(self, name: str, command: list[str]) -> None:
        """Run one step as Binder does; show its output if it fails."""
        begun = time.perf_counter()
        done = subprocess.run(
            command, cwd=self.home, env=self.environment(), user=self.user, group=self.user,
            extra_groups=None if self.user is None else [], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=1500, check=False,
        )  # fmt: skip
        self.times[name] = time.perf_counter() - begun
        print(f"{name:<24} {self.times[name]:6.1f} s   {(done.stdout.strip().splitlines() or [''])[-1][:90]}")
        if done.returncode:
            raise SystemExit(f"{name} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}")

    def environment(self) -> dict[str, str]:
        """Return an environment without this one's Python, learner or settings."""
        ours = (
            "AUTODIFF_KIT",
            "PYTHON",
            "VIRTUAL_ENV",
            "JUPYTER",
            "IPYTHON",
            "NUMBA",
            "PYTEST",
            "COV_",
            "XDG_",
        )
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        path = f"{self.home / '.environment' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return kept | {"HOME": str(self.home), "PATH": path, "USER": "jovyan"}


def main() -> None:
    """Replay all steps; exit with an error at the first that fails."""
    parser = argparse.ArgumentParser(description="Replay Binder's steps in a clean environment.")
    parser.add_argument("--keep", action="store_true", help="leave the home in place")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="binder-"))
    try:
        replay(home)
    finally:
        if options.keep:
            print(f"kept: {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)


def replay(home: Path) -> None:
    """Run Binder's steps in a home folder, then the requests of a visitor's browser."""
    copy_tracked(home)
    user = NOBODY if os.geteuid() == 0 else None
    python = find_python((home / "binder" / "runtime.txt").read_text().strip(), user)
    if user is not None and python is None:
        print("No Python that an unprivileged user may run: this replay stays root.")
        user = None
    if user is not None:
        subprocess.run(["chown", "-R", f"{user}:{user}", str(home)], check=True)
    run = Replay(home, python or sys.executable, user)
    tools = home / ".environment" / "bin"
    address = readme_address()
    run.step("environment", [run.python, "-m", "venv", str(home / ".environment")])
    run.step(
        "pip install",
        [str(tools / "pip"), "install", "-q", "--no-cache-dir", "-r", "binder/requirements.txt"],
    )
    run.step("postBuild", ["binder/postBuild"])
    run.step("pip check", [str(tools / "pip"), "check"])
    lesson = str(home / address.removeprefix("lab/tree/"))
    run.step("start, lesson 01", ["binder/start", "python", "-c", RUN_LESSON, lesson])
    run.step("start, the link", ["binder/start", "python", "-c", ASK_SERVER, address])
    total = sum(run.times.values())
    print(
        json.dumps(
            {
                "seconds": round(total, 1),
                "python": run.python,
                "unprivileged": os.geteuid() != 0 or bool(user),
            }
        )
    )


def copy_tracked(into: Path) -> None:
    """Copy the files that git tracks or would track: a build does not see ignored files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (TOP / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, into / name)


def find_python(runtime: str, user: int | None) -> str | None:
    """Return a Python for the user: of the runtime's version if it exists, otherwise any supported one."""
    code = "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))"
    for name in (
        runtime.replace("-", ""),
        sys.executable,
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3",
    ):
        # The first on PATH may be a shim in a home folder; the system's Python is available to every user.
        for path in (shutil.which(name), shutil.which(name, path="/usr/local/bin:/usr/bin")):
            if path and _runs([path, "-c", code], user):
                return path
    return None


def _runs(command: list[str], user: int | None) -> bool:
    try:
        done = subprocess.run(command, cwd="/", user=user, group=user, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def readme_address() -> str:
    """Return the path that the README's badge opens, such as ``lab/tree/work/notebooks/...``."""
    link = r"mybinder\.org/v2/gh/[\w.-]+/[\w.-]+/[\w.-]+\?urlpath=([^)\s]+)"
    found = re.search(link, (TOP / "README.md").read_text())
    if found is None:
        raise SystemExit("README.md has no Binder link with ?urlpath=")
    return unquote(found.group(1))


if __name__ == "__main__":
    main()
