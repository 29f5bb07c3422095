"""Lesson 00 widget: a small tape, a reverse sweep from any of its values, and the gradient of every other value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.diagnostics import stepping
from autodiff_kit.diagnostics.tape_nodes import saved_values
from autodiff_kit.errors import StructureError
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["FirstTape"]

Function = Callable[..., Any]
MOST_ROWS = 16
MOST_INPUTS = 3


def _plus(a: Any, b: Any) -> Any:
    total = a + b
    return ak.square(total) * b


PROGRAMS: dict[str, Function] = {
    "(a·b)²": lambda a, b: ak.square(a * b),
    "a·b·a": lambda a, b: a * b * a,
    "(a+b)²·b": _plus,
    "a·b + a": lambda a, b: a * b + a,
}


@dataclass(frozen=True)
class Recording:
    """A program's tape with the names that the figure gives to its values, inputs first."""

    tape: ak.GradientTape
    rows: tuple[stepping.TapeValue, ...]
    names: list[str]
    values: list[Any]
    result: str
    slots: dict[str, int]
    """The place of each input in ``at``."""

    @property
    def input_count(self) -> int:
        """How many of the values are inputs."""
        return sum(not row.inputs for row in self.rows)

    @property
    def computed(self) -> list[str]:
        """Names of the values that operations computed."""
        return self.names[self.input_count :]


def record_program(function: Function, at: list[float]) -> Recording:
    """Run a function of numbers on a tape, and name its values."""
    leaves = _inputs(function, at)
    tape, result = run_on_tape(function, leaves, stepping.value_keeping_tape())
    rows = stepping.tape_values(tape)
    slots = {str(leaf.name): k for k, leaf in enumerate(leaves)}
    others = [row.name for row in rows if not row.inputs and row.name not in slots]
    if others:
        raise StructureError(
            f"the function reads a variable or tensor that is none of its arguments ({', '.join(others)}); "
            "make it an argument, or write its number"
        )
    used = [leaves[slots[row.name]] for row in rows if not row.inputs]  # in the order of their first use
    values = [*used, *tape._record.nodes]
    names = _names(rows, [value is result for value in values])
    named_result = names[next(k for k, value in enumerate(values) if value is result)]
    return Recording(tape, rows, names, values, named_result, slots)


class FirstTape(KernelWidget):
    """Choose a value of a record, and step through the sweep that answers for every other value.

    Parameters
    ----------
    function : callable, optional
        A function of one to three numbers, recorded as "yours" beside the programs of the lesson.
    program : str, optional
    at : list of three floats, optional
        The numbers that the inputs have; a function of fewer takes the first.
    target : str, optional
        The name of the value that is asked about; nothing for the result.
    asks : int, optional
        How many times the same question is asked, 1 to 5.
    step : int, optional
        How many steps of the sweep are shown.

    Raises
    ------
    StructureError
        If the function cannot be drawn; the text says why.

    Notes
    -----
    The rows are those of the tape that the kernel recorded, and every step is one contribution of its sweep. What is
    kept is weighed on an ordinary persistent tape.
    """

    _front_end = "lesson00.js"

    program = Input(traitlets.Unicode(""))
    at: Any = Input(traitlets.List(traitlets.Float(), [2.0, 3.0, 1.0], minlen=3, maxlen=3))
    target = Input(traitlets.Unicode(""))
    asks = Input(traitlets.Int(2, min=1, max=5))
    step = ViewState(traitlets.Int(0, min=0))
    programs: Any = ViewState(traitlets.List([]))

    nodes = Output()
    reverse = Output()
    gradients = Output()
    again = Output()
    kept = Output()

    def __init__(self, function: Function | None = None, **kwargs: Any) -> None:
        self._functions = PROGRAMS if function is None else {"yours": function, **PROGRAMS}
        kwargs.setdefault("program", next(iter(self._functions)))
        super().__init__(programs=list(self._functions), **kwargs)
        if self.nodes is None:
            raise StructureError(f"there is nothing to draw: {self.error}")

    @traitlets.validate("program")
    def _known_program(self, proposal: Any) -> Any:
        if proposal["value"] not in self._functions:
            raise traitlets.TraitError(f"no program is called {proposal['value']!r}; there are {list(self._functions)}")
        return proposal["value"]

    def settle_inputs(self) -> None:
        """Record the program, and ask about its result where the target is not one of its values."""
        self._recording = record_program(self._functions[self.program], self.at)
        if self.target not in self._recording.computed:
            self.target = self._recording.result

    def compute_outputs(self) -> dict[str, Any]:
        """Sweep from the target, ask again, and weigh what is kept."""
        recording = self._recording
        tape, rows, names, values = recording.tape, recording.rows, recording.names, recording.values
        target = values[names.index(self.target)]
        pulled = stepping.reverse_steps(tape, target)
        gradients: list[float | None] = [None] * len(rows)
        for event in pulled:
            gradients[event.to] = float(event.total)
        inputs = values[: recording.input_count]
        slopes = _slopes(tape, values, len(inputs))
        function = self._functions[self.program]
        slots = recording.slots
        return {
            "nodes": [_row(name, row, names, slots) for name, row in zip(names, rows, strict=True)],
            "reverse": list(_events(pulled, names, slopes, self.target)),
            "gradients": gradients,
            "again": {"name": names[0], **repeated_gradients(tape, target, inputs[0], self.asks)},
            "kept": bytes_kept(function, _inputs(function, self.at), recording.computed),
        }

    def as_table(self) -> Table:
        """Every value with its gradient, and what its row keeps."""
        bytes_of = dict(self.kept)
        rows = [
            (row["name"], row["op"], row["value"], gradient, bytes_of.get(row["name"], 0))
            for row, gradient in zip(self.nodes, self.gradients, strict=True)
        ]
        caption = f"One sweep from {self.target}; the second answer for {self.again['name']} equals the first"
        heads = ("node", "operation", "value", f"d{self.target}/d(node)", "bytes kept")
        return Table(caption, heads, rows, digits=4)

    def static_figure(self) -> Any:
        """The record with the gradients of a whole sweep, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 0.5 + 0.36 * len(self.nodes)))
        axes = figure.subplots()
        axes.axis("off")
        cells = [
            (row["name"], row["op"], _short(row["value"]), "None" if g is None else _short(g))
            for row, g in zip(self.nodes, self.gradients, strict=True)
        ]
        heads = ("node", "operation", "value", f"gradient of {self.target} ↑")
        axes.table(cells, colLabels=heads, loc="center", cellLoc="right", edges="horizontal")
        return figure


def _inputs(function: Function, at: list[float]) -> list[ak.Tensor]:
    """A tensor for each argument, named as the function names it."""
    names = list(inspect.signature(function).parameters)
    if not 1 <= len(names) <= MOST_INPUTS:
        raise StructureError(
            f"the function takes {len(names)} arguments; the picture has room for one to three numbers"
        )
    return [ak.constant(x, name=name) for x, name in zip(at, names, strict=False)]


def run_on_tape(
    function: Function, leaves: list[ak.Tensor], tape: ak.GradientTape
) -> tuple[ak.GradientTape, ak.Tensor]:
    """The tape with the function's record on it, and the result."""
    with tape:
        tape.watch(leaves)
        result = function(*leaves)
    nodes = tape._record.nodes
    if not any(result is node for node in nodes):
        raise StructureError("the function must return one number that it computed from its arguments")
    for name, spec in ((node.op.name, node.spec) for node in nodes):
        if spec is not None:
            made = "an array" if spec.shape else f"a value of dtype {spec.dtype}"
            raise StructureError(f"the picture shows single floating numbers; in the function, {name} made {made}")
    if len(nodes) > MOST_ROWS:
        raise StructureError(f"the record has {len(nodes)} operations; the picture has room for {MOST_ROWS}")
    return tape, result


def _names(rows: tuple[stepping.TapeValue, ...], is_result: list[bool]) -> list[str]:
    """Leaves by their own name, the result z, what stands between y or letters before it."""
    taken = {row.name for row in rows if not row.inputs}
    free: Iterator[str] = (letter for letter in "ypqrstuvw" if letter not in taken)
    numbered = (f"y{k}" for k in count(1))
    last = next(name for name in ("z", "out", "result", "answer") if name not in taken)
    return [
        row.name if not row.inputs else last if here else next(free, None) or next(numbered)
        for row, here in zip(rows, is_result, strict=True)
    ]


def _slopes(tape: ak.GradientTape, values: list[Any], leaves: int) -> list[list[tuple[int, float]]]:
    """For each row, how far it moves when one of its inputs does: what it hands on of a cotangent of 1."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(leaves)]
    for k, value in enumerate(values[leaves:], start=leaves):
        found.append([(e.to, float(e.part)) for e in stepping.reverse_steps(tape, value) if e.row == k])
    return found


def _events(
    pulled: list[stepping.CotangentStep], names: list[str], slopes: list[list[tuple[int, float]]], target: str
) -> Iterator[dict[str, Any]]:
    """The sweep's contributions, each with its product in words."""
    totals: dict[int, float] = {}
    left = [list(parts) for parts in slopes]
    for event in pulled:
        to, total, before = event.to, float(event.total), totals.get(event.to)
        if event.row is None:
            note = f"the slope of {target} with respect to itself is 1"
        else:
            slope = left[event.row].pop(0)[1]
            note = _product(names[to], names[event.row], target, slope, totals[event.row])
            note += "" if before is None else f"; with the {_short(before)} that came first, {_short(total)}"
        totals[to] = total
        yield {"row": to, "from": [] if event.row is None else [event.row], "value": total, "note": note}


def _product(to: str, row: str, target: str, slope: float, outer: float) -> str:
    if row == target:
        return f"{to} moves {row} by {_short(slope)}"
    made = f"{_factor(slope)}·{_factor(outer)} = {_short(slope * outer)}"
    return f"{to} moves {row} by {_short(slope)}, and {row} moves {target} by {_short(outer)}: {made}"


def repeated_gradients(
    tape: ak.GradientTape, goal: Any, source: ak.Tensor, times: int
) -> dict[str, list[float | None]]:
    """The answers of a tape that is asked many times, and what a node would hold that adds them up."""
    found = [tape.gradient(goal, source) for _ in range(times)]
    if any(g is None for g in found):
        return {"fresh": [None] * times, "kept": [None] * times}
    fresh = [float(g) for g in found]
    return {"fresh": [*fresh], "kept": np.cumsum(fresh).tolist()}


def bytes_kept(function: Function, leaves: list[ak.Tensor], made: list[str]) -> list[list[Any]]:
    """Bytes that each operation keeps on an ordinary tape."""
    tape, _ = run_on_tape(function, leaves, ak.GradientTape(persistent=True))
    return [[name, 8 * len(saved_values(node))] for name, node in zip(made, tape._record.nodes, strict=True)]


_SIGNS = {"add": " + ", "multiply": "·", "subtract": " − ", "divide": " / "}


def _row(name: str, row: stepping.TapeValue, names: list[str], slots: dict[str, int]) -> dict[str, Any]:
    """One line of the picture; an input also has its place in `at`."""
    line = {"name": name, "op": operation_text(row, names), "value": float(row.value), "inputs": list(row.inputs)}
    return line if row.inputs else line | {"slot": slots[name]}


def operation_text(row: stepping.TapeValue, names: list[str]) -> str:
    """The operation with its operands."""
    if not row.inputs:
        return "input"
    inputs = iter(row.inputs)
    terms = [names[next(inputs)] if c is None else _factor(float(c)) for c in row.constants]
    if row.op in _SIGNS:
        return _SIGNS[row.op].join(terms)
    if row.op == "square" or (row.op == "power" and terms[1:] == ["2"]):
        return f"{terms[0]}²"
    return f"{row.op}({', '.join(terms)})"


def _short(x: float) -> str:
    return f"{x + 0.0:.4g}".replace("-", "−")


def _factor(x: float) -> str:
    """A number inside a product: bracketed where it is negative."""
    text = _short(x)
    return f"({text})" if text.startswith("−") else text
