"""The static site as a whole, built once for all workers: the fixture of the tests of the site and of its engine.

It is built on the engine of the tests on WebAssembly (`tests/wasm/engine.py`). NumPy's wheel for it lies outside the
checkout; without it, whoever asks for the site is skipped.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from tests.wasm import engine


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of the site; the first worker that asks builds it for all, since two builds at once share a cache."""
    if named := os.environ.get("AUTODIFF_KIT_SITE"):
        return Path(named).resolve()
    if reason := engine.missing():
        pytest.skip(reason)
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site" / "index.html").exists():
            _build(shared / "site-draft")
            (shared / "site-draft").rename(shared / "site")
    return shared / "site"


def _build(out: Path) -> None:
    engine.fetch_pyodide()
    wheels = " ".join(map(str, sorted(engine.LITE.glob("*wasm32.whl"))))
    options = f"--wheels {wheels} --without matplotlib --out {out}"
    make = ["make", "site", f"PYODIDE={engine.CACHE / 'package'}", f"SITE_OPTIONS={options}"]
    done = subprocess.run(make, cwd=engine.TOP, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
