"""Why one row has or has no gradient with respect to another, and the Jacobian between two rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR
from autodiff_kit.core.backward import input_cotangents
from autodiff_kit.core.record import Node
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import wrap
from autodiff_kit.diagnostics.gradient_explanation import DependencyAnalysis
from autodiff_kit.lab.kernel.cells import CellRegistry
from autodiff_kit.lab.kernel.errors import error_text
from autodiff_kit.lab.kernel.history import TapeEntry
from autodiff_kit.lab.kernel.table_model import TapeTable
from autodiff_kit.lab.kernel.value_summary import UNAVAILABLE, json_number
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.transforms.batched_forward import batched_output_tangent

__all__ = ["ExplainedValue", "explain_message", "jacobian_message", "value_of_row"]


ExplainedValue = tuple[int | None, Any]


def value_of_row(table: TapeTable, row: int) -> Any:
    """The user's tensor or variable of a row, or a substitute tensor; for a constant its value."""
    known = table.objects.get(row)
    if known is not None:
        return known
    node, like = table.nodes[row], table.likes[row]
    if node is None:
        value = table.values.get(row, UNAVAILABLE)
        return value if value is not UNAVAILABLE else np.zeros((), like.dtype)
    return wrap(np.broadcast_to(np.zeros((), like.dtype), like.shape), node)


def explain_message(
    entry: TapeEntry,
    tape: GradientTape,
    table: TapeTable,
    ends: tuple[ExplainedValue, ExplainedValue],
    names: dict[int, str],
    namespace: dict[str, Any],
    cells: CellRegistry,
) -> dict[str, Any]:
    """The explanation of ``tape.explain`` for a target and a source, as a reply with row numbers.

    Parameters
    ----------
    ends : pair of (int or None, value)
        Row and value of target and of source; the row is None for a value that is on no row.
    names : dict
        Names of rows.
    namespace : dict
        The variables of the notebook.
    """
    (target_row, target), (source_row, source) = ends
    rows = [(row, value) for row, value in ends if row is not None]
    own = {names.get(row) or f"{table.ops[row]} #{row}": value for row, value in rows}
    code = SimpleNamespace(co_filename=entry.file, co_name=entry.function)
    frame = SimpleNamespace(f_locals=own, f_globals=namespace, f_code=code)
    found = DependencyAnalysis(tape, [target], frame).explain(source)
    reached, needed = _rows_of_operations(table, found.reached), _rows_of_operations(table, found.needed)
    reached |= set() if source_row is None else {source_row}
    needed |= set() if target_row is None else {target_row}
    needed |= {i for row in needed for i in table.inputs[row]}
    about = cells.snapshot(found.cell) if found.cell else {"count": None, "hash": None}
    return {
        "target": target_row,
        "source": source_row,
        "target_name": found.target,
        "source_name": found.source,
        "connected": found.connected,
        "cause": found.cause,
        "kind": found.kind,
        "node": None if found.node is None else table.operations[found.node],
        "cell": cells.cell_key(found.cell) if found.cell else None,
        "count": about["count"],
        "hash": about["hash"],
        "line": found.line or None,
        "code": found.code,
        "headline": found.headline,
        "because": found.because,
        "fix": found.fix,
        "reached": runs_of_rows(reached),
        "needed": runs_of_rows(needed),
    }


def _rows_of_operations(table: TapeTable, found: tuple[tuple[int, int], ...]) -> set[int]:
    """Rows of operations, given as ranges of positions on the tape with both ends included."""
    return {table.operations[k] for a, b in found for k in range(a, b + 1)}


def runs_of_rows(rows: set[int]) -> list[list[int]]:
    """Rows as half-open runs [start, end).

    Examples
    --------
    >>> from autodiff_kit.lab.kernel.explain import runs_of_rows
    >>> runs_of_rows({3, 4, 5, 9})
    [[3, 6], [9, 10]]
    """
    found: list[list[int]] = []
    for row in sorted(rows):
        if found and found[-1][1] == row:
            found[-1][1] = row + 1
        else:
            found.append([row, row + 1])
    return found


# ------------------------------------------------------------------------------------------------------- the Jacobian
def jacobian_message(table: TapeTable, target: int, source: int, limit: int) -> dict[str, Any]:
    """The Jacobian between two rows, by one batched sweep over the rows between them.

    Parameters
    ----------
    limit : int
        If the matrix has more entries, the reply has only its size.
    """
    m, n = (int(np.prod(table.likes[row].shape, dtype=int)) for row in (target, source))
    between = _rows_between(table, target, source)
    mode = "forward" if n < m else "reverse"
    answer: dict[str, Any] = {"m": m, "n": n, "rows": None, "sweeps": min(m, n), "mode": mode}
    answer["connected"] = source in between
    if source not in between or m * n > limit:
        return answer
    try:
        found = (_jacobian_by_forward if mode == "forward" else _jacobian_by_reverse)(
            table, target, source, between, min(m, n)
        )
        matrix = np.zeros((m, n)) if found is None else np.asarray(found).reshape(m, n)
    except Exception as error:  # noqa: BLE001 - rules may be the user's
        return answer | {"trouble": error_text(error)}
    return answer | {"rows": [[json_number(x) for x in row] for row in matrix.tolist()]}


def _rows_between(table: TapeTable, target: int, source: int) -> set[int]:
    """Rows on a differentiable path from source to target, both ends included."""
    if target == source:
        return {target}
    reached = {source}
    for row in range(source + 1, target + 1):
        node = table.nodes[row]
        passes = node is not None and node.op is not None and (node.op.vjps or node.op.vjp_all)
        if passes and not reached.isdisjoint(table.inputs[row]):
            reached.add(row)
    if target not in reached:
        return set()
    needed = {target}
    for row in range(target, source, -1):
        if row in needed:
            needed.update(reached.intersection(table.inputs[row]))
    return needed


def _identity_seeds(table: TapeTable, row: int, size: int) -> Any:
    shape, dtype = table.likes[row]
    return np.eye(size, dtype=dtype).reshape(size, *shape)


def _jacobian_by_reverse(table: TapeTable, target: int, source: int, between: set[int], m: int) -> Any:
    """The Jacobian by reverse mode: batched cotangents, one for each row of the matrix."""
    held = {target: _identity_seeds(table, target, m)}
    inside: set[Node] = {n for row in between if (n := table.nodes[row]) is not None}
    for row in sorted(between - {source}, reverse=True):
        g = held.pop(row, None)
        if g is None:
            continue
        for n, part in input_cotangents(table.evaluable_node(row), g, 1, False, inside):
            dense = part.numpy() if type(part) is RowGradient else part
            to = table.row[n]
            if to in between:
                held[to] = held[to] + dense if to in held else dense
    found = held.get(source)
    return None if found is None else np.broadcast_to(found, (m, *table.likes[source].shape))


def _jacobian_by_forward(table: TapeTable, target: int, source: int, between: set[int], n: int) -> Any:
    """The Jacobian by forward mode: batched tangents, one for each column of the matrix."""
    held = {source: _identity_seeds(table, source, n)}
    for row in sorted(between - {source}):
        node = table.evaluable_node(row)
        incoming = tuple(None if i is None else held.get(table.row[i]) for i in node.inputs)
        if any(t is not None for t in incoming):
            tangent = batched_output_tangent(node, incoming)
            if tangent is not None:
                held[row] = tangent
    found = held.get(target)
    if found is None:
        return None
    return np.moveaxis(np.broadcast_to(found, (n, *(table.nodes[target].spec or SCALAR).shape)), 0, -1)  # type: ignore[union-attr]
