"""Serialize a tape's record: a header with tables of strings, and columns of small integers in base64."""

from __future__ import annotations

import math
from array import array
from base64 import b64encode
from itertools import chain
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.record import Node
from autodiff_kit.diagnostics.node_cost import OperationCosts, backward_flops, cost_key
from autodiff_kit.diagnostics.operation_cost import cost_parameters
from autodiff_kit.lab.kernel.cells import CellRegistry
from autodiff_kit.lab.kernel.table_model import TapeTable
from autodiff_kit.lab.kernel.value_summary import kind_letter

__all__ = ["CHUNK_ROWS", "TapeSerializer"]

CHUNK_ROWS = 6000
"""Rows of one message of columns or costs; the header has the first ones."""

COSTS = ("flops", "flops_back", "bytes")
_SIGNS = {"add": "+", "subtract": "−", "multiply": "·", "divide": "/", "matmul": "@"}


class TapeSerializer:
    """Serializes a tape's table as header, columns and costs; each part is computed once, on request.

    Parameters
    ----------
    table : TapeTable
    cells : CellRegistry
    targets : list of int
        Rows whose gradient was requested; by default the last row that no other row reads.
    off_tape : bool, optional
        Whether the gradient was requested of values that are on no row: then there is no target.
    """

    def __init__(self, table: TapeTable, cells: CellRegistry, targets: list[int], off_tape: bool = False) -> None:
        self.table = table
        self.set_targets(targets, off_tape)
        self.tables: dict[str, list[Any]] = {}
        self.columns: dict[str, np.ndarray] = {}
        keys = {file: cells.cell_key(file) for file in {file for file, _ in table.places}}
        self.keys = keys
        self.cells = {str(keys[file]): cells.snapshot(file) for file in keys if file}
        self._column("op", table.ops)
        self._column("shape", [like.shape for like in table.likes])
        self._column("dtype", [like.dtype for like in table.likes])
        self._column("line", table.places)
        self._column("module", table.modules)
        self.tables["shape"] = [list(shape) for shape in self.tables["shape"]]
        self.tables["dtype"] = [str(dtype) for dtype in self.tables["dtype"]]
        self.tables["line"] = [[keys[file], line] for file, line in self.tables["line"]]
        self.columns["arity"] = _narrowest_ints([len(rows) for rows in table.inputs])
        self.inputs = _narrowest_ints(list(chain.from_iterable(table.inputs)))
        self.broken = _broken_paths(table)

    def set_targets(self, targets: list[int], off_tape: bool = False) -> None:
        """Compute backward costs for these target rows."""
        self.targets = targets if targets or off_tape else _last_unread_operation(self.table)
        self._costs: dict[str, list[int]] | None = None

    @property
    def costs(self) -> dict[str, list[int]]:
        """Operations forward and backward, and bytes held, row by row."""
        if self._costs is None:
            shapes = 256 * self.columns["shape"].astype(int) + self.columns["dtype"]
            self._costs = _row_costs(self.table, self.targets, shapes.tolist())
        return self._costs

    def _column(self, name: str, words: list[Any]) -> None:
        """Add a table of distinct entries, and a column of indices into it."""
        table = list(dict.fromkeys(words))
        number = {word: k for k, word in enumerate(table)}
        self.columns[name] = _narrowest_ints(list(map(number.__getitem__, words)))
        self.tables[name] = table

    def names(self, namespace: dict[str, Any]) -> dict[int, str]:
        """Names of rows: given names first, then the notebook's variable names."""
        return _names(self.table, namespace)

    def header(self, namespace: dict[str, Any]) -> dict[str, Any]:
        """The header's fields that depend on the record and on the user's names."""
        table = self.table
        return {
            "n": len(table),
            "target": self.targets[0] if self.targets else None,
            "chunk": CHUNK_ROWS,
            "tables": self.tables,
            "names": {str(k): name for k, name in self.names(namespace).items()},
            "notes": {str(k): note for k, note in table.notes.items()},
            "flags": {str(k): flags for k, flags in table.flags.items() if table.ops[k] != "constant"},
            "broken": {str(k): why for k, why in self.broken.items()},
            "cells": self.cells,
        }

    def costs_chunk(self, a: int, b: int) -> dict[str, Any]:
        """Costs of the rows from ``a`` up to ``b``, and of all."""
        totals = {name: sum(self.costs[name]) for name in COSTS}
        return {"a": a, "b": b, **{name: self.costs[name][a:b] for name in COSTS}, "totals": totals}

    def columns_chunk(self, a: int, b: int) -> dict[str, Any]:
        """Columns of the rows from ``a`` up to ``b``, and the rows' inputs, concatenated."""
        arity = self.columns["arity"]
        first = int(arity[:a].sum())
        read = self.inputs[first : first + int(arity[a:b].sum())]
        return {
            "a": a,
            "b": b,
            **{name: _base64(column[a:b]) for name, column in self.columns.items()},
            "inputs": _base64(read),
        }


def _last_unread_operation(table: TapeTable) -> list[int]:
    """The last operation whose result no other operation reads: the default target."""
    read = {i for inputs in table.inputs for i in inputs}
    return next(([row] for row in reversed(table.operations) if row not in read), [0] if len(table) else [])


def _narrowest_ints(numbers: list[int]) -> np.ndarray:
    """Integers in the narrowest unsigned type that holds the largest."""
    try:
        return np.frombuffer(bytes(numbers), np.uint8)
    except ValueError:  # one above 255
        kind = np.min_scalar_type(max(numbers))
        return np.frombuffer(array(kind.char, numbers), kind)


def _base64(column: np.ndarray) -> str:
    """Little-endian bytes in base64; JSON lists of numbers would take longer than the rest of a header."""
    return b64encode(column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes()).decode()


def _names(table: TapeTable, namespace: dict[str, Any]) -> dict[int, str]:
    found = {row: str(value.name) for row, value in table.objects.items() if getattr(value, "name", None)}
    for name, value in list(namespace.items()):
        if isinstance(value, Value) and not name.startswith("_"):
            row = table.row_of(value)
            if row is not None:
                found.setdefault(row, name)
    for row in table.operations:
        node = table.nodes[row]
        if node is not None and hasattr(node, "extras") and (given := node.get_extra("name")):
            found[row] = str(given)
    return dict(sorted(found.items()))


def _row_costs(table: TapeTable, targets: list[int], shapes: list[int]) -> dict[str, list[int]]:
    """Operations forward and backward, and held bytes, for each row; an array that is held twice counts once."""
    counts: dict[str, list[int]] = {}
    nodes = [node for row in table.operations if (node := table.nodes[row]) is not None]
    costs = _operation_costs(table, nodes, shapes)
    tips = {table.nodes[k] for k in targets}
    backward = backward_flops(nodes, tips, [back for _, back in costs])
    counts["flops_back"] = _scatter_to_rows(table, backward)
    counts["flops"] = _scatter_to_rows(table, [ahead for ahead, _ in costs])
    counts["bytes"] = _scatter_to_rows(table, _newly_held_bytes(table, nodes))
    return counts


def _scatter_to_rows(table: TapeTable, figures: list[int]) -> list[int]:
    """Values per operation, placed in the operations' rows; 0 elsewhere."""
    found = [0] * len(table)
    for row, figure in zip(table.operations, figures, strict=True):
        found[row] = figure
    return found


def _operation_costs(table: TapeTable, nodes: list[Node], shapes: list[int]) -> list[tuple[int, int]]:
    """Flops forward and backward of each operation, cached by operation and shapes."""
    prices = OperationCosts()
    known: dict[Any, tuple[int, int]] = {}
    shapes = [-1 - k if node is None else k for k, node in zip(shapes, table.nodes, strict=True)]
    costs = []
    for row, node in zip(table.operations, nodes, strict=True):
        key = None
        if node.op.flops is None or not cost_parameters(node.op, node.params):  # its cost depends on no parameter
            key = (node.op, shapes[row], *[shapes[i] for i in table.inputs[row]])
        found = known.get(key) if key is not None else None
        if found is None:
            found = prices[cost_key(node)]
            if key is not None:
                known[key] = found
        costs.append(found)
    return costs


def _newly_held_bytes(table: TapeTable, nodes: list[Node]) -> list[int]:
    """Bytes that each operation's rules keep and that no earlier row keeps."""
    seen: set[int] = set()
    found = []
    for row, node in zip(table.operations, nodes, strict=True):
        parts = table.parts[row] or (None,)
        half = len(parts) // 2
        total = 0
        if parts[half] is not None:
            tracked = (True,) if half == 1 else tuple([n is not None for n in parts[:half]])
            for used, value in zip(node.op.needed_values(tracked), parts[half:], strict=True):
                if used and id(value) not in seen and type(value) is not ArraySpec:
                    seen.add(id(value))
                    total += 8 if type(value) in (float, int) else value.nbytes
        found.append(total)
    return found


def _broken_paths(table: TapeTable) -> dict[int, str]:
    """Rows at which the gradient's path ends, with the reason."""
    found: dict[int, str] = {}
    for row in table.operations:
        node = table.nodes[row]
        if node is not None and node.op.vjps is None and node.op.vjp_all is None:
            found[row] = "integer" if table.likes[row].dtype.kind in "biu" else "op"
    for mark in table.marks:
        row_ = table.row.get(mark.what) if isinstance(mark.what, Node) else None
        if row_ is not None and mark.kind in ("left", "copied", "stopped", "assigned"):
            found[row_] = "state" if mark.kind == "assigned" else "left"
    return found


# ------------------------------------------------------------------------------------------------------- the first nan
def describe_nan(table: TapeTable, row: int) -> dict[str, Any]:
    """Row, index and expression of the first nan in a row's value."""
    value = np.asarray(table.value(row))
    place = tuple(int(i) for i in np.argwhere(np.isnan(value))[0])
    return {"node": row, "index": list(place), "text": _nan_expression(table, row, place)}


def _nan_expression(table: TapeTable, row: int, place: tuple[int, ...]) -> str:
    """The operation written with the numbers that produced the nan; only its name if it is not elementwise."""
    node, name = table.nodes[row], table.ops[row]
    if node is None or table.parts[row] is None or (node.op.family != "elementwise" and name not in _SIGNS):
        return name
    values = [table.value(i) for i in table.inputs[row]]
    shape = table.likes[row].shape
    if name == "matmul" or any(kind_letter(x) == "?" for x in values):
        return name
    texts = [_number_text(np.broadcast_to(np.asarray(x), shape)[place]) for x in values]
    sign = _SIGNS.get(name)
    if name == "power" and row in table.notes:  # a plain exponent has no row
        return f"({texts[0]}){table.notes[row]}"
    if sign is None:
        return f"{name}({', '.join(texts)})"
    return f" {sign} ".join(f"({t})" if k and t.startswith("−") else t for k, t in enumerate(texts))


def _number_text(x: Any) -> str:
    x = float(x)
    if math.isnan(x):
        return "NaN"
    return f"{x:.6g}".replace("inf", "∞").replace("-", "−")
