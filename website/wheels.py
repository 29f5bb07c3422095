"""The wheels that the browser's kernel loads, and the lock file that names them.

They are made smaller: tests, headers and what a browser never runs are left out. Each carries its hash in its folder's
name (`publish.py`), so that a browser keeps it for ever.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autodiff_kit.lessons.notebook_file import read_notebook, strip_outputs
from website.bytecode import compiler_of, with_bytecode

HERE: Final = Path(__file__).parent
TOP: Final = HERE.parent

# In every wheel: what only its own developers run, or compilers read.
_LEFT_OUT: Final = re.compile(
    r"(^|/)(tests?/|conftest\.py$)|\.(pyi|pyx|h|c|a|pxd|map|build)$|\.data/data/|\.dist-info/RECORD$|_tests\.[^/]*\.so$"
)
# In single wheels: large parts that nothing in a lesson reaches.
_LEFT_OUT_OF: Final = {
    "autodiff-kit": re.compile(
        r"^autodiff_kit/(grade/|author/|cli\.py|lab/precompile|"
        # Kernels need a compiler, which no browser has: ak.compile runs NumPy calls there.
        r"kernels/(native|eager_loops|window_loops|llvm|code_cache)|compile/passes/|"
        r"compile/run/(?!__init__|execution_plan|numpy_codegen)|"
        # No browser has PyTorch; `ak.record_torch` says so.
        r"recorders/(jax|pytorch)/|lab/server/(handlers|subshell_status|tcp_nodelay|display_language)|_content/.*(README\.md|\.png)$)"
    ),
    "ipython": re.compile(r"^IPython/(sphinxext/|terminal/(?!__init__|pt_inputhooks))"),
    "numpy": re.compile(r"^numpy/(distutils|f2py|_pyinstaller|doc)/|^numpy/_core/_simd\."),
    "pygments": re.compile(
        r"^pygments/(lexers/(?!__init__|_mapping|python|special|agile)|styles/(?!__init__|_mapping|default|bw)|"
        r"formatters/(?!__init__|_mapping|html|terminal))"
    ),
    "anywidget": re.compile(r"^anywidget/(nbextension|labextension)/"),
    "psygnal": re.compile(r"^psygnal/(qt|mypy_plugin)"),
}
# In the place of what was left out: `from numpy import *` imports it.
_INSTEAD: Final = {"numpy": {"numpy/f2py/__init__.py": b'"""Needs a Fortran compiler, which no browser has."""\n'}}
# What a first cell and the kernel import, as this Python does; a module that is not among them travels as its source.
_ON_THE_WAY: Final = (
    "import IPython.core.shellapp, anywidget, ipywidgets, autodiff_kit.learn, autodiff_kit.lab.kernel.comm"
)
# Of packages that this Python cannot import. Not `piplite`: IPython runs its startup.py as a file.
_ALL_ON_THE_WAY: Final = ("ipykernel", "pyodide-kernel")
_ONLY_IN_A_BROWSER: Final = frozenset({"IPython.utils._process_emscripten"})
_WITH_DOCSTRINGS: Final = ("autodiff-kit", "autodiff-kit-lessons", "ipython")
# Of the kit, in a wheel of its own that only a notebook's kernel loads: lessons, widgets, exercises and panels.
_LESSONS: Final = re.compile(r"^autodiff_kit/(learn\.py|(_content|data|exercises|lab|lessons|widgets)/)")
# Of the standard library: processes, servers, and encodings of other times.
_LIBRARY_LEFT_OUT: Final = re.compile(
    r"^(multiprocessing|xmlrpc|wsgiref|_pyrepl|idlelib|ensurepip|lib2to3|distutils|pydoc_data|turtledemo)/|"
    r"^encodings/(cp(?!437|1252)\w+|iso8859_(?!1\.|15)\w+|mac_\w+|koi8_\w+|iso2022\w*|euc_\w+|big5\w*|gb\w+|hz|johab)\.py"
)
_SCRIPTS: Final = re.compile(r"\.data/(scripts|headers)/")
# The kernel asks for these by name before it runs. Nothing is installed here, and completions need no jedi.
STAND_INS: Final = ("jedi", "micropip")


@dataclass(frozen=True)
class Wheel:
    """A wheel: the file's name, and its contents."""

    file_name: str
    data: bytes

    @property
    def name(self) -> str:
        """The package's name, normalized."""
        return canonicalize_name(self.file_name.split("-")[0])

    @property
    def sha256(self) -> str:
        """Hash of the whole file."""
        return hashlib.sha256(self.data).hexdigest()


def smaller(wheel: Wheel) -> Wheel:
    """Return the wheel without the files that a browser never needs; equal files give equal wheels."""
    special = _LEFT_OUT_OF.get(wheel.name)

    def kept(name: str) -> bool:
        return not (_LEFT_OUT.search(name) or _SCRIPTS.search(name) or (special and special.search(name)))

    return Wheel(wheel.file_name, _rewritten(wheel.data, kept, _INSTEAD.get(wheel.name, {})))


def _rewritten(data: bytes, kept: Callable[[str], bool], more: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        names = [name for name in old.namelist() if not name.endswith("/") and kept(name)]
        return _zipped([*((name, old.read(name)) for name in names), *more.items()])


def compiled(wheel: Wheel, python: str) -> Wheel:
    """Return the wheel with bytecode, where there is a Python of that version here to write it.

    The modules that every lesson imports travel as bytecode alone. The kit keeps its docstrings, which a learner asks
    for, and IPython those that its magics parse; of other packages they are left out. Such a package travels
    as bytecode as a whole: a module that stayed a source would keep its assertions, and NumPy's assert what docstrings
    say.
    """
    version = ".".join(python.split(".")[:2])
    program = compiler_of(version)
    if program is None:
        return wheel
    on_the_way, keeps_docstrings = _modules_on_the_way(), wheel.name in _WITH_DOCSTRINGS
    whole = wheel.name in _ALL_ON_THE_WAY or (not keeps_docstrings and not on_the_way.isdisjoint(_modules(wheel)))
    data = with_bytecode(
        wheel.data, program, None if whole else on_the_way, keep_sources=False,
        optimize=0 if keeps_docstrings else 2, folder=f"/lib/python{version}/site-packages",
    )  # fmt: skip
    return Wheel(wheel.file_name, data)


def _modules(wheel: Wheel) -> Iterator[str]:
    """The names under which a wheel's modules are imported."""
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as file:
        for name in file.namelist():
            if name.endswith(".py"):
                yield name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def library(data: bytes, python: str) -> bytes:
    """Return Python's standard library without what a browser has no use for, as bytecode where that can be written.

    An archive keeps no bytecode, so Python would compile a hundred of its modules each time it starts.
    """
    kept = _rewritten(data, lambda name: not _LIBRARY_LEFT_OUT.search(name))
    major, minor = python.split(".")[:2]
    program = compiler_of(f"{major}.{minor}")
    folder = f"/lib/python{major}{minor}.zip"
    return kept if program is None else with_bytecode(kept, program, keep_sources=False, optimize=2, folder=folder)


def split(wheel: Wheel) -> list[Wheel]:
    """Return the kit as two wheels, the engine and what only a notebook needs; any other wheel as it is."""
    if wheel.name != "autodiff-kit":
        return [wheel]
    version = wheel.file_name.split("-")[1]
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as file:
        lessons = [(name, file.read(name)) for name in file.namelist() if _LESSONS.search(name)]
    engine = Wheel(wheel.file_name, _rewritten(wheel.data, lambda name: not _LESSONS.search(name)))
    return [engine, _stand_in("autodiff_kit_lessons", lessons, version)]


@cache
def _modules_on_the_way() -> frozenset[str]:
    script = f"{_ON_THE_WAY}; import sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], cwd=TOP, capture_output=True, text=True, check=True)
    return frozenset(found.stdout.split()) | _ONLY_IN_A_BROWSER


def _zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of files, without their times."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, content in files:
            new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def from_file(path: Path) -> Wheel:
    """Return the wheel in a file."""
    return Wheel(path.name, path.read_bytes())


def kit() -> Wheel:
    """Build the kit's own wheel from the source tree."""
    with tempfile.TemporaryDirectory() as folder:
        _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, str(TOP))
        return smaller(_without_outputs(from_file(next(Path(folder).glob("*.whl")))))


def _without_outputs(wheel: Wheel) -> Wheel:
    """The kit's wheel, whose notebooks are read for their titles and questions: nobody looks at their outputs there."""

    def content(name: str, data: bytes) -> bytes:
        return json.dumps(strip_outputs(read_notebook(data))).encode() if name.endswith(".ipynb") else data

    with zipfile.ZipFile(io.BytesIO(wheel.data)) as file:
        return Wheel(wheel.file_name, _zipped((name, content(name, file.read(name))) for name in file.namelist()))


def pure(cache: Path) -> list[Wheel]:
    """Return the pinned pure Python packages of the kernel; they are downloaded once."""
    text = HERE / "requirements.txt"
    folder = cache / hashlib.sha256(text.read_bytes()).hexdigest()[:16]
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=cache) as beside:
            new = Path(beside) / "wheels"
            # Only wheels for every platform: what runs in the browser is not what runs here.
            platform = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.14")
            _pip(
                "download",
                "--no-deps",
                "--require-hashes",
                "--only-binary=:all:",
                *platform,
                "-d",
                str(new),
                "-r",
                str(text),
            )
            new.rename(folder)
    return [smaller(from_file(path)) for path in sorted(folder.glob("*.whl"))]


def kernel(labextension: Path) -> list[Wheel]:
    """Return the wheels of JupyterLite's Python kernel, and the site's stand-ins for what it would install."""
    names = ("pyodide_kernel", "ipykernel")
    found = [from_file(next((labextension / "static" / "pypi").glob(f"{name}-*.whl"))) for name in names]
    return [*found, _own("piplite"), *map(_stand_in, STAND_INS)]


def absent(name: str) -> Wheel:
    """Return a package that only says that this site has been built without it."""
    text = f"This site was built without {name}; on your own machine the cell runs."
    return _stand_in(name, [(f"{name}/__init__.py", f"raise ModuleNotFoundError({text!r}, name={name!r})\n".encode())])


def _own(name: str) -> Wheel:
    folder = HERE / "kernel" / name
    files = [(f"{name}/{path.name}", path.read_bytes()) for path in sorted(folder.glob("*.py"))]
    return _stand_in(name, files)


def _stand_in(name: str, files: Iterable[tuple[str, bytes]] = (), version: str = "0") -> Wheel:
    """A wheel of files that are no project of their own."""
    about = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    tag = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    packed = _zipped([*files, (f"{about}/METADATA", metadata), (f"{about}/WHEEL", tag)])
    return Wheel(f"{name}-{version}-py3-none-any.whl", packed)


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)


# ---------------------------------------------------------------------------------------------------- the lock file
def lock_entries(wheels: Iterable[Wheel], python: str) -> dict[str, dict[str, Any]]:
    """Return the lock file's entry of each wheel; requirements that no wheel answers are left out."""
    known = {wheel.name: _about(wheel, python) for wheel in wheels}
    for entry in known.values():
        entry["depends"] = [name for name in entry["depends"] if name in known]
    return known


def _about(wheel: Wheel, python: str) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as file:
        names = file.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        about = HeaderParser().parsestr(file.read(metadata).decode())
    return {
        "name": about["Name"],
        "version": about["Version"],
        "file_name": wheel.file_name,
        "install_dir": "site",
        "sha256": wheel.sha256,
        "package_type": "package",
        "imports": sorted(set(_top_level(names))),
        "depends": list(_requirements(about.get_all("Requires-Dist", []), python)),
        "unvendored_tests": False,
    }


def _requirements(lines: Iterable[str], python: str) -> Iterator[str]:
    environment = {
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "sys_platform": "emscripten",
        "platform_system": "Emscripten",
        "platform_machine": "wasm32",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    for line in lines:
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate(environment):
            yield canonicalize_name(wanted.name)


def _top_level(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        first, _, rest = name.partition("/")
        if not first.endswith((".dist-info", ".data")) and (rest or first.endswith((".py", ".so"))):
            yield first.split(".")[0]
