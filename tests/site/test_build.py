"""How the site is made: the distribution is checked by its hashes, wheels become smaller, the lock file names them."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from website import distribution, wheels
from website.distribution import Distribution, DistributionError
from website.packed import packed, with_dependencies

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


def test_the_kit_travels_as_its_engine_and_what_only_a_notebook_needs() -> None:
    engine, teaching = ["core/tape.py", "py.typed"], ["learn.py", "lessons/a.json", "widgets/js/b.js", "lab/c.py"]
    files = {f"autodiff_kit/{name}": name for name in [*engine, *teaching]}
    first, second = wheels.split(made("autodiff_kit", files))
    assert {name for name in names(first) if ".dist-info" not in name} == {f"autodiff_kit/{one}" for one in engine}
    assert {name for name in names(second) if ".dist-info" not in name} == {f"autodiff_kit/{one}" for one in teaching}
    assert (first.name, second.name) == ("autodiff-kit", "autodiff-kit-lessons")
    other = made("other", {"other/learn.py": ""})
    assert wheels.split(other) == [other]
    assert set(wheels.lock_entries([first, second], PYTHON)) == {"autodiff-kit", "autodiff-kit-lessons"}


def test_the_library_is_bytecode_that_says_where_it_lies(tmp_path: Path) -> None:
    """From an archive Python would compile each module anew at every start."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in ("one.py", "encodings/cp1250.py", "wsgiref/util.py"):
            file.writestr(name, "where = (lambda: 0).__code__.co_filename")
    archive = tmp_path / "library.zip"
    archive.write_bytes(wheels.library(packed.getvalue(), platform.python_version()))
    assert zipfile.ZipFile(archive).namelist() == ["one.pyc"]
    code = f"import sys; sys.path.insert(0, {str(archive)!r}); import one; print(one.where)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    major, minor, _ = platform.python_version_tuple()
    assert done.stdout.strip() == f"/lib/python{major}{minor}.zip/one.py"


def test_without_that_python_modules_travel_as_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "compiler_of", lambda _: None)
    one = made("one", {"one/__init__.py": "x = 1"})
    assert wheels.compiled(one, PYTHON) == one
    assert (
        zipfile.ZipFile(io.BytesIO(wheels.library(one.data, PYTHON))).namelist()
        == zipfile.ZipFile(io.BytesIO(one.data)).namelist()
    )


def test_equal_files_make_equal_wheels() -> None:
    first, second = (wheels.smaller(made("one", {"one/__init__.py": "x = 1"})) for _ in range(2))
    assert first == second


def test_an_archive_has_the_files_of_its_wheels() -> None:
    long = f"two/{'a' * 60}/{'b' * 60}.py"
    both = [made("one", {"one/__init__.py": "x = 1"}), made("two", {long: "y = 2"})]
    archive = packed(both)
    assert archive == packed(both)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        assert set(tar.getnames()) == names(both[0]) | names(both[1])
        assert tar.extractfile(long).read() == b"y = 2"  # type: ignore[union-attr]


def test_a_kernel_gets_what_its_packages_need_and_nothing_else() -> None:
    lock = {"a": ["b"], "b": ["c"], "c": [], "d": ["c"]}
    assert with_dependencies(["a"], {name: {"depends": needs} for name, needs in lock.items()}) == ["a", "b", "c"]


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


def test_the_file_that_ipython_runs_at_its_start_travels_as_a_file() -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}.0"
    with zipfile.ZipFile(io.BytesIO(wheels.compiled(wheels._own("piplite"), version).data)) as packed:
        assert "piplite/startup.py" in packed.namelist()
