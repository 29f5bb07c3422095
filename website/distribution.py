"""The Pyodide distribution: taken from a folder or an address, every file checked by its hash.

`pyodide.json` pins the engine's own files and the lock file of each version that the site is published or tested with.
The lock file pins the distribution's packages. So a file is either one that was tried, or the build stops.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
from pathlib import Path
from typing import Any, Final

PINS: Final[dict[str, dict[str, Any]]] = json.loads(
    Path(__file__).with_name("pyodide.json").read_text(encoding="utf-8")
)
LOCK: Final = "pyodide-lock.json"
# Where the version lies that the site is published with; the others are for tests.
PUBLISHED: Final[str] = next(pins["address"] for pins in PINS.values() if "address" in pins)


class DistributionError(Exception):
    """The distribution lacks a file, or holds one that is not the pinned one."""


class Distribution:
    """A Pyodide distribution.

    Parameters
    ----------
    source : str
        A folder, or an address under which the files lie, such as ``https://cdn.jsdelivr.net/pyodide/v314.0.6/full``.
    """

    def __init__(self, source: str) -> None:
        self.source = source.rstrip("/")
        text = self._read(LOCK)
        found = hashlib.sha256(text).hexdigest()
        known = {pins["files"][LOCK]: version for version, pins in PINS.items()}
        if found not in known:
            raise DistributionError(
                f"{source}/{LOCK} (sha256 {found[:12]}…) is of no pinned version; there are {', '.join(PINS)}."
            )
        self.version = known[found]
        self.lock: dict[str, Any] = json.loads(text)

    @property
    def python(self) -> str:
        """The version of its Python, such as ``3.14.2``."""
        return str(self.lock["info"]["python"])

    def engine(self) -> dict[str, bytes]:
        """Return the engine's own files by name, without the lock file."""
        return {name: self._checked(name, sha) for name, sha in PINS[self.version]["files"].items() if name != LOCK}

    def package(self, name: str) -> tuple[str, bytes]:
        """Return the file's name and the contents of one of its packages."""
        entry = self.lock["packages"].get(name)
        if entry is None:
            raise DistributionError(f"Pyodide {self.version} has no package {name}.")
        return entry["file_name"], self._checked(entry["file_name"], entry["sha256"])

    def _checked(self, name: str, sha256: str) -> bytes:
        data = self._read(name)
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise DistributionError(f"{self.source}/{name} has sha256 {found}; {sha256} was expected.")
        return data

    def _read(self, name: str) -> bytes:
        try:
            if self.source.startswith(("https://", "http://")):
                with urllib.request.urlopen(f"{self.source}/{name}", timeout=120) as answer:
                    data: bytes = answer.read()
                return data
            return (Path(self.source) / name).read_bytes()
        except OSError as error:
            raise DistributionError(f"{self.source}/{name} cannot be read: {error}") from error
