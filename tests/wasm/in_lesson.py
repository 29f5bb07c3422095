"""Inside the engine: the cells of lessons, as nbclient would run them, and what each printed."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import linecache
import time
import traceback
from pathlib import Path
from typing import Any

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def main(notebooks: list[str]) -> dict[str, Any]:
    return {Path(name).stem: run_lesson(json.loads(Path(name).read_text(encoding="utf-8"))) for name in notebooks}


def run_lesson(notebook: Any) -> dict[str, Any]:
    """How many cells ran and how many widgets were shown; which failed, and which printed what is not stored."""
    from IPython.core.interactiveshell import InteractiveShell

    began = time.perf_counter()
    InteractiveShell.clear_instance()
    names: dict[str, Any] = {"__name__": "__main__"}
    found: dict[str, Any] = {"cells": 0, "ran": 0, "widgets": 0, "compared": 0, "plots": [], "failed": [], "differ": []}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        found["cells"] += 1
        if "matplotlib" in source and not HAS_MATPLOTLIB:
            found["plots"].append(cell["id"])
            continue
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                value = run_cell(source, cell["id"], names)
                found["widgets"] += "application/vnd.jupyter.widget-view+json" in shown(value)
        except Exception as error:  # noqa: BLE001 - told with its cell
            if "raises-exception" not in cell["metadata"].get("tags", ()):
                found["failed"].append([cell["id"], repr(error)[:300], traceback.format_exc()[-1500:]])
                continue
        found["ran"] += 1
        stored = "".join("".join(out["text"]) for out in cell["outputs"] if out.get("name") == "stdout")
        if stored and "nbval-ignore-output" not in cell["metadata"].get("tags", ()):
            found["compared"] += 1
            if printed.getvalue() != stored:
                found["differ"].append([cell["id"], stored, printed.getvalue()])
    found["seconds"] = round(time.perf_counter() - began, 2)
    return found


def run_cell(source: str, name: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree, last = ast.parse(source), None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, name, "exec"), names)
    return None if last is None else eval(compile(last, name, "eval"), names)


def shown(value: Any) -> dict[str, Any]:
    """What a notebook would show of a value, if it is a widget."""
    if not hasattr(value, "_repr_mimebundle_"):
        repr(value)
        return {}
    bundle = value._repr_mimebundle_()
    return (bundle[0] if isinstance(bundle, tuple) else bundle) or {}
