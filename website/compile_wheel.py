"""Read a wheel from stdin, write it with bytecode to stdout. Run by the Python whose bytecode it is to be.

The first argument says as JSON which modules are compiled (null: all), whether their sources stay in the wheel,
Python's level of optimization (2 leaves out assertions and docstrings), and the folder in which the wheel is unpacked.
"""

from __future__ import annotations

import importlib.util
import io
import json
import marshal
import sys
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

# Of a pyc whose source is never compared with it: the browser's file system gives every file the time of its unpacking.
UNCHECKED = (1).to_bytes(4, "little")


def files_with_bytecode(
    wheel: zipfile.ZipFile, modules: set[str] | None, keep_sources: bool, optimize: int, folder: str
) -> Iterator[tuple[str, bytes]]:
    """Every file; of each module that is compiled, its bytecode behind the source, or in its place."""
    for name in wheel.namelist():
        data = wheel.read(name)
        path = PurePosixPath(name)
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        wanted = path.suffix == ".py" and ".data/" not in name and (modules is None or module in modules)
        bytecode = _bytecode(data, f"{folder}/{name}", optimize) if wanted else None
        if bytecode is None or keep_sources:
            yield name, data
        if bytecode is not None:
            cached = importlib.util.cache_from_source(name, optimization="")
            yield cached if keep_sources else f"{name}c", bytecode


def _bytecode(source: bytes, name: str, optimize: int) -> bytes | None:
    """A module's file; None for a template, or code for another version."""
    try:
        code = compile(source, name, "exec", dont_inherit=True, optimize=optimize)
    except (SyntaxError, ValueError):
        return None
    return importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source) + marshal.dumps(code)


def main() -> None:
    """Compile the wheel."""
    asked = json.loads(sys.argv[1])
    modules = None if asked["modules"] is None else set(asked["modules"])
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name, data in files_with_bytecode(old, modules, asked["keep_sources"], asked["optimize"], asked["folder"]):
            if not name.endswith("/"):
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    sys.stdout.buffer.write(made.getvalue())


if __name__ == "__main__":
    main()
