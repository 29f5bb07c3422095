"""Read a wheel from stdin, write it with bytecode to stdout. Run by the Python whose bytecode it is to be."""

from __future__ import annotations

import importlib.util
import io
import marshal
import sys
import zipfile
from collections.abc import Iterator

# Of a pyc whose source is never compared with it: the browser's file system gives every file the time of its unpacking.
UNCHECKED = (1).to_bytes(4, "little")


def files_with_bytecode(wheel: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Every file, and behind each module its bytecode."""
    for name in wheel.namelist():
        data = wheel.read(name)
        yield name, data
        if name.endswith(".py") and ".data/" not in name:
            try:
                code = compile(
                    data, name, "exec", dont_inherit=True
                )  # importing puts the real path in place of the name
            except (SyntaxError, ValueError):  # a template, or code for another version
                continue
            head = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(data)
            yield importlib.util.cache_from_source(name, optimization=""), head + marshal.dumps(code)


def main() -> None:
    """Compile the wheel."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name, data in files_with_bytecode(old):
            if not name.endswith("/"):
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    sys.stdout.buffer.write(made.getvalue())


if __name__ == "__main__":
    main()
