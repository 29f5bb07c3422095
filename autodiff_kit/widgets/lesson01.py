"""Lesson 01 widget: JVP and VJP flowing through one computational graph, and the cut at which both meet."""

from __future__ import annotations

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
SWEEPS = ("forward", "reverse", "double", "seam")
# Column and row of every node in the still figure; the browser has places of its own.
PLACES = {"x0": (0, 2), "x1": (0, 1), "x2": (0, 0), "s": (0.45, 1.5), "y0": (1.6, 2), "y1": (1.6, 1), "y2": (1.6, 0)}


def function(x0: Any, x1: Any, x2: Any) -> tuple[Any, ...]:
    """The lesson's f(x) = (x0·x1, x1·x2, x0² + x2), with its intermediate value first."""
    s = ak.square(x0)
    return s, x0 * x1, x1 * x2, s + x2


class JvpVjp(KernelWidget):
    """Watch a push, a pull, a double pull, and a cut that is moved through the graph of the lesson's function.

    Parameters
    ----------
    v, u : list of three floats, optional
        The tangent that is pushed, the cotangent that is pulled.
    n, m : int, optional
        Inputs and outputs of a map whose whole Jacobian is wanted, 1 to 128.
    sweep : {"forward", "reverse", "double", "seam"}, optional
        ``seam`` pushes v up to a cut through the graph, and pulls u back to it.
    step : int, optional
        How many operations of the sweep are shown, or lie left of the cut (the inputs count as one).

    Notes
    -----
    Nodes, wires and slopes are those of a tape that the kernel recorded. ``double`` pulls v through a second tape,
    which recorded the pull of u. The sweeps for a whole Jacobian are counted while they run.
    """

    _front_end = "lesson01.js"

    v: Any = Input(traitlets.List(traitlets.Float(), [1.0, 2.0, -1.0], minlen=3, maxlen=3))
    u: Any = Input(traitlets.List(traitlets.Float(), [1.0, -1.0, 2.0], minlen=3, maxlen=3))
    n = Input(traitlets.Int(64, min=1, max=MOST))
    m = Input(traitlets.Int(2, min=1, max=MOST))
    sweep = ViewState(traitlets.Enum(SWEEPS, default_value="forward"))
    step = ViewState(traitlets.Int(2, min=0))  # the first operation whose paths join has run

    nodes = Output()
    wires = Output()
    reverse = Output()
    cuts = Output()
    sums = Output()
    jv = Output()
    uj = Output()
    inner = Output()
    sweeps = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """Record f, push v, pull u, pull v through the record of the pull, and sum over every cut."""
        x = [ak.constant(entry, name=f"x{i}") for i, entry in enumerate(POINT)]
        with stepping.value_keeping_tape() as tape:
            for entry in x:
                tape.watch(entry)
            results = function(*x)
            y = ak.stack(list(results[1:]))
        rows = stepping.tape_values(tape)[:-1]  # without the stack
        *pushes, end = stepping.forward_steps(tape, x, self.v)
        pushed, jv = {step.row: float(step.value) for step in pushes}, end.value
        reverse = _cotangents(stepping.reverse_steps(tape, y, self.u), len(rows))
        uj = np.array(reverse[-1][: len(x)], float)
        double = _double_pull(tape, results, x, self.u, self.v)
        wires = _wires(rows, stepping.local_slopes(tape), pushed, reverse[-1], double)
        cuts = _cuts(wires, len(rows), len(x))
        names = [*(row.name for row in rows[: len(x)]), "s", "y0", "y1", "y2"]
        nodes = [
            {
                "name": name,
                "op": operation_text(row, names),
                "value": float(row.value),
                "tangent": pushed[k],
                "cotangent": reverse[-1][k],
                "double": double[k],
            }
            for k, (name, row) in enumerate(zip(names, rows, strict=True))
        ]
        return {
            "nodes": nodes,
            "wires": wires,
            "reverse": reverse,
            "cuts": cuts,
            "sums": [sum(wires[k]["product"] for k in cut) for cut in cuts],
            "jv": jv,
            "uj": uj,
            "inner": [float(np.dot(self.u, jv)), float(np.dot(uj, self.v))],
            "sweeps": list(count_sweeps(self.n, self.m)),
        }

    def as_table(self) -> Table:
        """What stands at every node of the graph."""
        rows = [(node["name"], node["op"], node["value"], node["tangent"], node["cotangent"]) for node in self.nodes]
        both = " and ".join(number(x, 0) for x in self.inner)
        title = f"A push of v and a pull of u; u·(Jv) and (uJ)·v are {both}"
        return Table(title, ("node", "operation", "value", "tangent →", "cotangent ←"), rows, digits=0)

    def static_figure(self) -> Any:
        """The graph twice, with what flows along it and against it, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 3.4), layout="constrained")
        ways = (("pushed", "tangent", "#0072b2", "push v →"), ("pulled", "cotangent", "#d55e00", "← pull u"))
        for axes, (way, kind, colour, words) in zip(figure.subplots(1, 2), ways, strict=True):
            axes.axis("off")
            axes.set_title(words)
            most = max(1.0, *(abs(wire[way][1]) for wire in self.wires))
            for wire in self.wires:
                if wire["from"] is not None and wire["to"] is not None:
                    ends = [PLACES[self.nodes[k]["name"]] for k in (wire["from"], wire["to"])]
                    look = {"lw": 1 + 9 * abs(wire[way][1]) / most, "ls": "--" if wire[way][1] < 0 else "-"}
                    axes.plot(*zip(*ends, strict=True), color=colour, alpha=0.55, zorder=1, **look)
            for node in self.nodes:
                at = PLACES[node["name"]]
                axes.plot(*at, "o", ms=26, mfc="white", mec="0.4", zorder=2)
                axes.annotate(f"{node['value']:g}", at, ha="center", va="center", zorder=3)
                text = f"{node['name']}: {node[kind]:g}"
                axes.annotate(text, at, (0, 18), textcoords="offset points", ha="center", color=colour)
            axes.margins(0.15, 0.2)
        return figure


def _cotangents(steps: list[stepping.CotangentStep], count: int) -> list[list[float | None]]:
    """The cotangents of all rows before the pull, and after each operation of it; None where none has come yet."""
    state: list[float | None] = [None] * count
    found: list[list[float | None]] = []
    last: int | None = None
    for step in steps:
        if step.row is None:
            continue
        if step.row != last:  # another operation pulls; the stack, which is not shown, only hands out the seeds
            if last is not None:
                found.append(list(state))
            last = step.row
        state[step.to] = float(step.total)
    return [*found, list(state)]


def _double_pull(tape: ak.GradientTape, results: tuple[Any, ...], x: list[Any], u: Any, v: Any) -> list[float]:
    """What the second pull brings to every row: reverse mode twice.

    The first pull is recorded as a function of a cotangent for each operation (0 for an intermediate value), so that
    pulling v through that record gives a number for each operation.
    """
    seeds = [ak.constant(seed) for seed in (0.0, *u)]
    with ak.GradientTape() as second:
        for seed in seeds:
            second.watch(seed)
        back = tape.gradient(list(results), x, output_gradients=seeds)
    again = second.gradient(back, seeds, output_gradients=[ak.constant(entry) for entry in v])
    return [*map(float, v), *(float(g) for g in again)]


def _wires(
    rows: tuple[stepping.TapeValue, ...], slopes: list[stepping.LocalSlope], pushed: Any, pulled: Any, double: Any
) -> list[dict[str, Any]]:
    """Every wire with its slope, and what each sweep carries before and after that slope; stubs have slope 1."""

    def wire(source: int | None, to: int | None, slope: float, known: tuple[Any, Any, Any]) -> dict[str, Any]:
        ahead, back, again = known
        return {
            "from": source,
            "to": to,
            "slope": slope,
            "pushed": [ahead, slope * ahead],
            "pulled": [back, slope * back],
            "double": [again, slope * again],
            "product": ahead * slope * back,
        }

    read = {edge.source for edge in slopes}
    first = [wire(None, k, 1.0, (pushed[k], pulled[k], double[k])) for k, row in enumerate(rows) if not row.inputs]
    inner = [wire(e.source, e.row, e.slope, (pushed[e.source], pulled[e.row], double[e.source])) for e in slopes]
    last = [wire(k, None, 1.0, (pushed[k], pulled[k], double[k])) for k in range(len(rows)) if k not in read]
    return [*first, *inner, *last]


def _cuts(wires: list[dict[str, Any]], rows: int, inputs: int) -> list[list[int]]:
    """The wires that cross a cut: left of all, right of the inputs, and right of each operation in its order."""

    def crossing(left: int) -> list[int]:
        return [
            k
            for k, wire in enumerate(wires)
            if (wire["from"] is None or wire["from"] < left) and (wire["to"] is None or wire["to"] >= left)
        ]

    return [crossing(0), *(crossing(left) for left in range(inputs, rows + 1))]


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


_SIGNS = {"add": " + ", "multiply": "·"}


def operation_text(row: stepping.TapeValue, names: list[str]) -> str:
    """The operation with its operands, as it stands above its node."""
    reads = [names[k] for k in row.inputs]
    if row.op == "square":
        return f"{reads[0]}²"
    return _SIGNS[row.op].join(reads) if reads else "input"
