"""Truth tables: measured results of TensorFlow, PyTorch and JAX next to the kit's own result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.tables import Table, number

__all__ = ["TruthTableError", "truth_names", "truth_table"]


class TruthTableError(AutodiffError, LookupError):
    """No truth table has that name, or the kit's column does not fit its rows."""


def truth_names() -> tuple[str, ...]:
    """Return the names of the truth tables.

    Returns
    -------
    tuple of str
        Sorted.
    """
    folder = resources.files(__package__) / "truths"
    return tuple(sorted(one.name[:-5] for one in folder.iterdir() if one.name.endswith(".json")))


def truth_table(name: str, kit: Mapping[str, object]) -> Table:
    """Return a table of this kit's results next to the measured ones of TensorFlow, PyTorch and JAX.

    Parameters
    ----------
    name : str
        For example ``"jvp-vector-target"``.
    kit : mapping of str to value
        The kit's own result for each row, by the row's key, computed by the caller.

    Returns
    -------
    Table
        One row per case, one column per library, with the version that was measured.

    Raises
    ------
    TruthTableError
        If there is no such table, or rows are missing or unknown; the message lists what exists.

    Notes
    -----
    The columns of the other libraries are measured by the scripts in ``benchmarks/truth_tables``.
    """
    kept = _read(name)
    rows, makers = kept["rows"], kept["libraries"]
    keys = [row["key"] for row in rows]
    if set(kit) != set(keys):
        raise TruthTableError(
            f"the table {name!r} has the rows {keys}, but got {list(kit)}; give one value for each row"
        )
    digits = int(kept["digits"])
    lines = [
        (
            row["label"],
            *(_shown(maker["values"][row["key"]], digits) for maker in makers),
            _shown(kit[row["key"]], digits),
        )
        for row in rows
    ]
    heads = [f"{maker['library']} {maker['version']}" for maker in makers]
    return Table(kept["caption"], ("case", *heads, "this kit"), lines, digits)


def _read(name: str) -> dict[str, Any]:
    if name not in truth_names():
        raise TruthTableError(f"there is no truth table {name!r}; there are: {', '.join(truth_names())}")
    text = (resources.files(__package__) / "truths" / f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _shown(value: object, digits: int) -> str:
    """Format a value as the lessons print it; text (an error message) and None are not formatted."""
    if value is None or (isinstance(value, str) and value not in ("nan", "inf", "-inf")):
        return str(value)
    if isinstance(value, list | tuple) and any(part is None for part in value):
        return "[" + ", ".join(_shown(part, digits) for part in value) + "]"
    array = np.asarray(value, dtype=np.float64)
    parts = [_trimmed(part, digits) for part in array.ravel()]
    return parts[0] if array.ndim == 0 else "[" + " ".join(parts) + "]"


def _trimmed(value: float, digits: int) -> str:
    """Format a number; values like 2.0 get no decimals, because the lessons' inputs are mostly integers."""
    return str(int(value)) if np.isfinite(value) and value == int(value) else number(value, digits)
