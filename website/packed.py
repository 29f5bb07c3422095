"""Packages in one archive, which the page's own script unpacks (`kernel/unpack.mjs`)."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from typing import Any, Final

from website.wheels import Wheel

# The front page loads the first, a notebook's kernel both. A server says of a file `.gz` that it is compressed, and the
# browser unpacks it then; nobody knows this ending.
FIRST: Final = "first.packed"
KERNEL: Final = "kernel.packed"


def packed(wheels: Iterable[Wheel]) -> bytes:
    """Return a tar file, compressed with gzip, of what is in wheels; equal wheels give equal archives."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for wheel in wheels:
            with zipfile.ZipFile(io.BytesIO(wheel.data)) as file:
                for name in file.namelist():
                    data = file.read(name)
                    about = tarfile.TarInfo(name)
                    about.size = len(data)
                    tar.addfile(about, io.BytesIO(data))
    return gzip.compress(made.getvalue(), 9, mtime=0)


def with_dependencies(names: Iterable[str], lock: dict[str, dict[str, Any]]) -> list[str]:
    """Return packages and all that they need, by the lock file's entries."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += lock[name]["depends"]
    return sorted(found)
