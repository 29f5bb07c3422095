"""Build the site: ``python -m website --pyodide FOLDER_OR_ADDRESS`` (or ``make site PYODIDE=…``)."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from website import front_page, lite, wheels
from website.bytecode import compiler_of
from website.distribution import LOCK, PUBLISHED, Distribution, DistributionError
from website.packed import FIRST as FIRST_ARCHIVE
from website.packed import KERNEL as KERNEL_ARCHIVE
from website.packed import packed, with_dependencies
from website.publish import publish

CACHE = lite.TOP / "build" / "site-cache"
ENVIRONMENT = {"AUTODIFF_KIT_DIR": "/drive", "AUTODIFF_KIT_PANELS": "1"}
# Loaded before the kernel says that it is ready; matplotlib and what it needs come when a cell imports them.
FIRST = (
    "autodiff-kit",
    "autodiff-kit-lessons",
    "numpy",
    "anywidget",
    "ipywidgets",
    "ipython",
    "comm",
    "pyodide-kernel",
    "ipykernel",
    "piplite",
)
LATER = ("matplotlib",)
# All that the front page loads; a kernel has IPython and the widgets besides.
BARE = ("numpy", "autodiff-kit")


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(prog="make site", description=__doc__)
    parser.add_argument(
        "--pyodide", default=PUBLISHED, help="folder or address of the distribution; by default %(default)s"
    )
    parser.add_argument("--out", type=Path, default=lite.TOP / "build" / "site")
    parser.add_argument("--wheels", nargs="*", type=Path, default=[], help="wheels in place of the distribution's own")
    parser.add_argument("--without", nargs="*", default=[], help="packages that the distribution need not have")
    asked = parser.parse_args(arguments)
    try:
        build(Distribution(asked.pyodide), asked.wheels, asked.out.resolve(), set(asked.without))
    except DistributionError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build(pyodide: Distribution, given: list[Path], out: Path, without: set[str]) -> None:
    """Build the whole site into a folder, from nothing."""
    version = ".".join(pyodide.python.split(".")[:2])
    if compiler_of(version) is None:
        print(
            f"There is no python{version}: modules travel as sources, and Python starts more slowly.", file=sys.stderr
        )
    shutil.rmtree(out, ignore_errors=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    work = CACHE / "lite"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    lite.build(work, out / "lite")
    engine, archives = write_engine(pyodide, given, without, out / "lite")
    packages = f"/lib/python{version}/site-packages"
    lite.configure(out / "lite", engine, archives, ENVIRONMENT | {"PYTHONSTARTUP": f"{packages}/piplite/startup.py"})
    lite.write_syllabus(out / "lite")
    write_book(out)
    folder = out / "lite" / engine
    first = [path for path in sorted(folder.iterdir()) if path.suffix != ".whl" and path.name != KERNEL_ARCHIVE]
    front_page.write(out, f"lite/{engine}", first)
    publish(out)


def write_book(out: Path) -> None:
    """Build the book into the site's top folder; its lessons lead to JupyterLite beside it."""
    trees = CACHE / "doctrees"
    options = ["-W", "--keep-going", "-q", "-j", "auto", "-t", "site", "-b", "html", "-d", str(trees)]
    command = [sys.executable, "-m", "sphinx", *options, str(lite.TOP / "docs"), str(out)]
    subprocess.run(command, check=True)
    for left in (out / ".buildinfo", out / "objects.inv", *(out / "_static").rglob("*.map")):
        left.unlink(missing_ok=True)


def write_engine(
    pyodide: Distribution, given: list[Path], without: set[str], lite_folder: Path
) -> tuple[str, dict[str, list[str]]]:
    """Write Pyodide and its packages into a folder named by its hash; return that name, and what is in the archives."""
    parts = [part for wheel in collect(pyodide, given, without) for part in wheels.split(wheel)]
    found = {wheel.name: wheels.compiled(wheel, pyodide.python) for wheel in parts}
    entries = wheels.lock_entries(found.values(), pyodide.python)
    entries["autodiff-kit"]["depends"] = ["numpy"]
    entries["autodiff-kit-lessons"]["imports"] = []  # its modules are those of autodiff_kit
    lock = {**pyodide.lock, "packages": entries}
    files = pyodide.engine() | {LOCK: json.dumps(lock, sort_keys=True).encode()}
    files["python_stdlib.zip"] = wheels.library(files["python_stdlib.zip"], pyodide.python)
    files |= {wheel.file_name: wheel.data for wheel in found.values()}
    own = [wheels.from_file(path).name for path in given]
    wanted = with_dependencies([*FIRST, *wheels.STAND_INS, *own], entries)
    archives = {FIRST_ARCHIVE: list(BARE), KERNEL_ARCHIVE: [name for name in wanted if name not in BARE]}
    files |= {file: packed(found[name] for name in names) for file, names in archives.items()}
    total = hashlib.sha256(b"".join(hashlib.sha256(files[name]).digest() for name in sorted(files)))
    name = f"static/pyodide-{total.hexdigest()[:12]}"
    folder = lite_folder / name
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return name, archives


def collect(pyodide: Distribution, given: list[Path], without: set[str]) -> list[wheels.Wheel]:
    """Return every wheel of the site. Those that are given come instead of the distribution's."""
    own = [wheels.smaller(wheels.from_file(path)) for path in given]
    known = [wheels.kit(), *wheels.pure(CACHE), *wheels.kernel(lite.labextensions() / lite.EXTENSIONS[1]), *own]
    names = {wheel.name for wheel in known} | without
    return [*known, *map(wheels.absent, sorted(without)), *from_distribution(pyodide, ("numpy", *LATER), names)]


def from_distribution(pyodide: Distribution, wanted: tuple[str, ...], known: set[str]) -> list[wheels.Wheel]:
    """Return packages of the distribution, with those that they need."""
    found: list[wheels.Wheel] = []
    left = list(wanted)
    while left:
        name = left.pop()
        if name in known:
            continue
        known.add(name)
        found.append(wheels.smaller(wheels.Wheel(*pyodide.package(name))))
        left += pyodide.lock["packages"][name]["depends"]
    return found


if __name__ == "__main__":
    sys.exit(main())
