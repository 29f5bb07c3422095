"""Inside the engine: every module of some packages, imported; and all that each package says it exports."""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
from collections.abc import Iterator
from typing import Any


def main(packages: list[str]) -> dict[str, Any]:
    """Which modules were imported, what the others raised, and of which packages `import *` fails."""
    found: dict[str, Any] = {"imported": [], "failed": {}, "not exported": {}}
    for name in (module for package in packages for module in modules_of(package)):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 - some end the program; told with the module
            found["failed"][name] = repr(error)[:200]
        else:
            found["imported"].append(name)
    for name in packages:
        try:
            exec(f"from {name} import *", {})
        except Exception as error:  # noqa: BLE001 - told with the package
            found["not exported"][name] = repr(error)[:200]
    return found


def modules_of(package: str) -> Iterator[str]:
    """A package and all below it; what cannot be imported has nothing below it."""
    yield package
    with contextlib.suppress(BaseException):
        for found in pkgutil.iter_modules(getattr(importlib.import_module(package), "__path__", [])):
            if found.name != "__main__":
                yield from modules_of(f"{package}.{found.name}")
