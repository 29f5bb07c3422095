"""Lesson 01 widget: JVP and VJP stepped through a tape, and a JVP from two VJPs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.diagnostics import stepping
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["JvpVjp"]

POINT = (2.0, 3.0, -1.0)
MOST = 128


def function(x: Any) -> Any:
    """The lesson's f(x) = (x0·x1, x1·x2, x0² + x2)."""
    return ak.stack([x[0] * x[1], x[1] * x[2], ak.square(x[0]) + x[2]])


class JvpVjp(KernelWidget):
    """Step through a push, a pull and a double pull of the kernel's own tape.

    Parameters
    ----------
    v, u : list of three floats, optional
        The tangent that is pushed, the cotangent that is pulled.
    n, m : int, optional
        Inputs and outputs of a map whose whole Jacobian is wanted, 1 to 128.
    sweep : {"forward", "reverse", "double"}, optional
    step : int, optional
        How many events of the sweep are shown.

    Notes
    -----
    The rows are the tape that the kernel recorded; ``double`` shows a second tape, which recorded the pull. The sweeps
    for a whole Jacobian are counted while they run.
    """

    _front_end = "lesson01.js"

    v: Any = Input(traitlets.List(traitlets.Float(), [1.0, 2.0, -1.0], minlen=3, maxlen=3))
    u: Any = Input(traitlets.List(traitlets.Float(), [1.0, -1.0, 2.0], minlen=3, maxlen=3))
    n = Input(traitlets.Int(64, min=1, max=MOST))
    m = Input(traitlets.Int(2, min=1, max=MOST))
    sweep = ViewState(traitlets.Enum(("forward", "reverse", "double"), default_value="forward"))
    step = ViewState(traitlets.Int(0, min=0))

    nodes = Output()
    second = Output()
    forward = Output()
    reverse = Output()
    double = Output()
    jv = Output()
    uj = Output()
    inner = Output()
    sweeps = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """Record f, push v, pull u, record the pull and pull v through that."""
        x = ak.constant(POINT, name="x")
        with stepping.value_keeping_tape() as tape:
            tape.watch(x)
            y = function(x)
        pushed = stepping.forward_steps(tape, [x], [self.v])
        pulled = stepping.reverse_steps(tape, y, self.u)

        u = ak.constant(self.u, name="u")
        with stepping.value_keeping_tape() as second:
            second.watch(u)
            back = tape.gradient(y, x, output_gradients=u)
        again = stepping.reverse_steps(second, back, self.v)

        jv, uj = pushed[-1].value, back.numpy()
        nodes, doubles = _rows(tape, "y"), _rows(second, "uJ")
        return {
            "nodes": nodes,
            "second": doubles,
            "forward": [_event("fwd", e.row, e.inputs, e.value, e.note, nodes) for e in pushed],
            "reverse": [_event("rev", e.to, _source_rows(e.row), e.total, e.note, nodes) for e in pulled],
            "double": [_event("rev", e.to, _source_rows(e.row), e.total, e.note, doubles) for e in again],
            "jv": jv,
            "uj": uj,
            "inner": [float(np.dot(self.u, jv)), float(np.dot(uj, self.v))],
            "sweeps": list(count_sweeps(self.n, self.m)),
        }

    def as_table(self) -> Table:
        """The vectors of the lesson."""
        rows = [("v", *self.v), ("Jv", *self.jv), ("u", *self.u), ("uJ", *self.uj)]
        both = " and ".join(number(x, 0) for x in self.inner)
        return Table(f"A push and a pull; u·(Jv) and (uJ)·v are {both}", ("vector", "0", "1", "2"), rows, digits=0)

    def static_figure(self) -> Any:
        """The tape with both columns filled, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 3.6))
        axes = figure.subplots()
        axes.axis("off")
        last = {"fwd": dict[int, Any](), "rev": dict[int, Any]()}
        for event in (*self.forward, *self.reverse):
            last[event["column"]][event["row"]] = event["value"]
        cells = [
            (row["name"], row["op"], *map(_text, (row["value"], last["fwd"].get(k), last["rev"].get(k))))
            for k, row in enumerate(self.nodes)
        ]
        heads = ("node", "operation", "value", "tangent ↓", "cotangent ↑")
        axes.table(cells, colLabels=heads, loc="center", cellLoc="right", edges="horizontal")
        return figure


@lru_cache(maxsize=64)
def count_sweeps(n: int, m: int) -> tuple[int, int]:
    """Sweeps for a whole m × n Jacobian, pushed a column at a time and pulled a row at a time; counted as they run."""
    weights = ak.constant(np.cos(np.arange(m * n, dtype=float)).reshape(m, n))
    x = ak.constant(np.linspace(-1, 1, n))
    pushes = pulls = 0
    columns, rows = [], []
    for e in np.eye(n):
        columns.append(ak.jvp(lambda z: weights @ z, (x,), (e,))[1].numpy())
        pushes += 1
    _, pull = ak.vjp(lambda z: weights @ z, x)
    for e in np.eye(m):
        rows.append(pull(ak.constant(e)).numpy())
        pulls += 1
    if not np.allclose(np.stack(columns, 1), np.stack(rows)):
        raise ArithmeticError("the two ways to the Jacobian differ")
    return pushes, pulls


def _source_rows(row: int | None) -> tuple[int, ...]:
    return () if row is None else (row,)


def _event(
    column: str, row: int, came: tuple[int, ...], value: Any, note: str, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    """One event of a sweep; its note names rows as the picture does."""
    named = re.sub(r"row (\d+)", lambda hit: rows[int(hit[1])]["name"], note)
    return {"column": column, "row": row, "from": list(came), "value": np.asarray(value).tolist(), "note": named}


def _rows(tape: ak.GradientTape, end: str) -> list[dict[str, Any]]:
    """The record as rows of the picture, with names that a reader can follow from line to line."""
    rows = stepping.tape_values(tape)
    names = _names(rows, end)
    return [
        {"name": name, "op": operation_text(row, names), "value": row.value.tolist(), "inputs": list(row.inputs)}
        for name, row in zip(names, rows, strict=True)
    ]


def _names(rows: tuple[stepping.TapeValue, ...], end: str) -> list[str]:
    """Leaves by their own name, entries as ``x[0]``, what the last line joins as components, the rest by letters."""
    parts = {k: f"{end}{i}" for i, k in enumerate(rows[-1].inputs)} if rows[-1].op == "stack" else {}
    letters = iter("stpqrabcdefghijklmno")
    names: list[str] = []
    for k, row in enumerate(rows):
        if row.op == "input":
            names.append(row.name)
        elif k == len(rows) - 1:
            names.append(end)
        elif row.op == "getitem":
            names.append(f"{names[row.inputs[0]]}[{row.params['index'][-1]}]")
        else:
            names.append(parts.get(k) or next(letters))
    return names


_SIGNS = {"add": " + ", "multiply": "·", "subtract": " − "}


def operation_text(row: stepping.TapeValue, names: list[str]) -> str:
    """The operation with its operands, as it stands in the operation's column."""
    inputs = iter(row.inputs)
    terms = [names[next(inputs)] if c is None else _text(c) for c in row.constants]
    if row.op in _SIGNS:
        return _SIGNS[row.op].join(f"({term})" if term.startswith("−") else term for term in terms)
    if row.op == "square":
        return f"{terms[0]}²"
    if row.op == "stack":
        return f"[{', '.join(terms)}]"
    if row.op == "getitem":
        return f"entry {row.params['index'][-1]} of {terms[0]}"
    if row.op == "scatter":
        return f"{terms[0]} at entry {row.params['index'][-1]}"
    return "input" if row.op == "input" else f"{row.op} of {', '.join(terms)}"


def _text(value: Any) -> str:
    if value is None:
        return ""
    flat = np.asarray(value)
    if flat.ndim:
        return f"[{', '.join(_text(x) for x in flat.ravel())}]"
    return f"{float(flat):g}".replace("-", "−")
