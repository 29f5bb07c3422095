"""Run other libraries for the truth tables of the lessons, and write the tables as JSON."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

Values = dict[str, Any]
LIBRARIES = (("TensorFlow", "tensorflow"), ("PyTorch", "torch"), ("JAX", "jax"))


def plain(value: Any) -> Any:
    """Convert tensors to lists, and values that JSON does not support to strings."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "detach"):
        value = value.detach()
    value = value.tolist() if hasattr(value, "tolist") else value.numpy().tolist() if hasattr(value, "numpy") else value
    if isinstance(value, list):
        return [plain(part) for part in value]
    return round(value, 9) if math.isfinite(value) else repr(value)


def tried(f: Callable[[], Any]) -> Any:
    """Return the value, or the first sentence of the error, which is a result as well."""
    try:
        return plain(f())
    except Exception as error:  # noqa: BLE001 - whatever a library raises is what the table shows
        said = str(error).splitlines()[0].split(". ")[0].rstrip(".")
        return f"{type(error).__name__}: {textwrap.shorten(said, 80, placeholder=' …')}"


def version(package: str) -> str | None:
    """Return the installed version, without its build tag; None if it is not installed."""
    for name in (package, f"{package}-cpu"):
        try:
            return importlib.metadata.version(name).split("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def table(spec: dict[str, Any], script: str) -> dict[str, Any]:
    """Run one function for each library that is installed, and return the table that the JSON file holds."""
    made = [
        {"library": library, "version": version(package), "values": maker()}
        for (library, package), maker in zip(LIBRARIES, spec["makers"], strict=True)
        if version(package) is not None
    ]
    rows = [{"key": key, "label": label} for key, label in spec["rows"].items()]
    head = {"v": 1, "script": script, "caption": spec["caption"], "digits": spec["digits"]}
    return head | {"rows": rows, "libraries": made}


def write_tables(tables: dict[str, dict[str, Any]], file: str) -> None:
    """Write the tables of a script (its ``__file__``) into the folder given on the command line."""
    if version("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
    script = f"benchmarks/truth_tables/{Path(file).name}"
    for name, spec in tables.items():
        text = json.dumps(table(spec, script), indent=1, ensure_ascii=False)
        (Path(sys.argv[1]) / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"wrote {name}")
