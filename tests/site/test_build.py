"""How the site is made: the distribution is checked by its hashes, wheels become smaller, the lock file names them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

from website import distribution, wheels
from website.distribution import Distribution, DistributionError

PYTHON = "3.14.2"


def made(name: str, files: dict[str, str], requires: tuple[str, ...] = ()) -> wheels.Wheel:
    """A wheel of some files."""
    packed = io.BytesIO()
    lines = [f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in requires)]
    with zipfile.ZipFile(packed, "w") as file:
        for path, text in {**files, f"{name}-1.0.dist-info/METADATA": "\n".join(lines) + "\n\n"}.items():
            file.writestr(path, text)
    return wheels.Wheel(f"{name}-1.0-py3-none-any.whl", packed.getvalue())


def names(wheel: wheels.Wheel) -> set[str]:
    return set(zipfile.ZipFile(io.BytesIO(wheel.data)).namelist())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution of two files, whose lock file names one package."""
    package = b"a package"
    entry = {"file_name": "numpy.whl", "sha256": hashlib.sha256(package).hexdigest(), "depends": []}
    lock = json.dumps({"info": {"python": PYTHON}, "packages": {"numpy": entry}}).encode()
    files = {"engine.wasm": b"an engine", "pyodide-lock.json": lock}
    for name, data in {**files, "numpy.whl": package}.items():
        (tmp_path / name).write_bytes(data)
    pins = {"9.9": {"files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}}}
    monkeypatch.setattr(distribution, "PINS", pins)
    return tmp_path


def test_a_pinned_distribution_gives_its_files(folder: Path) -> None:
    found = Distribution(str(folder))
    assert (found.version, found.python) == ("9.9", PYTHON)
    assert found.engine() == {"engine.wasm": b"an engine"}
    assert found.package("numpy") == ("numpy.whl", b"a package")


@pytest.mark.parametrize("name", ["engine.wasm", "numpy.whl", "pyodide-lock.json"])
def test_a_file_that_is_not_the_pinned_one_stops_the_build(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(DistributionError, match=name):
        found = Distribution(str(folder))
        found.engine()
        found.package("numpy")


@pytest.mark.parametrize("wanted", ["scipy", "../numpy"])
def test_a_package_that_is_not_there_is_named(folder: Path, wanted: str) -> None:
    with pytest.raises(DistributionError, match=f"no package {wanted}"):
        Distribution(str(folder)).package(wanted)


def test_tests_and_headers_stay_behind() -> None:
    files = dict.fromkeys(["one/__init__.py", "one/tests/test_a.py", "one/a.h", "one-1.0.dist-info/RECORD"], "")
    assert names(wheels.smaller(made("one", files))) == {"one/__init__.py", "one-1.0.dist-info/METADATA"}


def test_equal_files_make_equal_wheels() -> None:
    first, second = (wheels.smaller(made("one", {"one/__init__.py": "x = 1"})) for _ in range(2))
    assert first == second


def test_a_lock_names_what_is_there_and_evaluates_markers_for_the_browser() -> None:
    needs = ("two>=1", "absent", 'two; extra == "more"', 'colorama; sys_platform == "win32"')
    found = wheels.lock_entries([made("one", {"one/__init__.py": ""}, needs), made("two", {"two.py": ""})], PYTHON)
    assert found["one"]["depends"] == ["two"]
    assert (found["one"]["imports"], found["two"]["imports"]) == (["one"], ["two"])


def test_requirements_are_pinned_by_hash() -> None:
    lines = (Path(wheels.__file__).with_name("requirements.txt")).read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert pinned
    assert all("==" in line and "--hash=sha256:" in line for line in pinned)
