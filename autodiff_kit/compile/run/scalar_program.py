"""Graphs of single numbers, as programs for :mod:`autodiff_kit.kernels.scalar_interpreter`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from autodiff_kit.compile.node import VIEW_OPS, GraphNode

__all__ = ["ScalarProgram", "is_scalar_graph"]

MIN_OPERATIONS = 8
"""With fewer operations, lines of Python are as fast."""
_IDENTITY_OPS = VIEW_OPS | {"strong", "cast", "sum", "max", "min"}
"""Operations that leave a single number unchanged."""


def is_scalar_graph(nodes: list[GraphNode]) -> bool:
    """Whether the interpreter can run a graph: float64 numbers, and operations that it has."""
    from autodiff_kit.kernels.scalar_interpreter import OPERATIONS

    def known(n: GraphNode) -> bool:
        if n.op in ("input", "const"):
            return n.op == "const" or n.dtype == np.float64
        return (n.op in OPERATIONS or n.op in _IDENTITY_OPS) and (
            n.dtype == np.float64 or (n.dtype == bool and n.op != "cast")
        )

    work = [n for n in nodes if n.op not in VIEW_OPS and n.op not in ("input", "const")]
    return (
        len(work) >= MIN_OPERATIONS
        and all(n.size == 1 for n in nodes)
        and all(n.op in VIEW_OPS or known(n) for n in nodes)
    )


class ScalarProgram:
    """The instructions and memory cells of a graph of single numbers.

    It has the interface of :class:`autodiff_kit.compile.run.plan_codegen.PlanCodeGenerator`.
    """

    def __init__(self, nodes: list[GraphNode], outputs: list[GraphNode]) -> None:
        from autodiff_kit.kernels import scalar_interpreter

        self.interpreter = scalar_interpreter
        self.cell_of: dict[GraphNode, int] = {}
        self.initial_values: list[float] = []
        self.instructions: list[tuple[int, ...]] = []
        self.twins = {(n.op, n.args): n for n in nodes if n.op in ("sin", "cos")}
        users = Counter(a for n in nodes for a in n.args) + Counter(outputs)
        self.fused = {n: found for n in nodes if (found := _fused_operation(n, users, scalar_interpreter)) is not None}
        inside = {a for n, (_, operands) in self.fused.items() for a in n.args if a not in operands}
        for n in nodes:
            if n not in inside and n not in self.cell_of:
                self._add_node(n)
        rows, cells = np.array(self.instructions, np.int64).reshape(-1, 5), np.array(self.initial_values)
        self.env: dict[str, Any] = {
            "run_program": scalar_interpreter.run_program,
            "program_address": float(rows.ctypes.data),
            "program_length": float(len(rows)),
            "scalars": cells.data,
            "scalars_address": float(cells.ctypes.data),
            "memory": (rows, cells),  # keeps both alive
            "np": np,
        }
        self.view_lines: list[str] = []
        self.lines = ["run_program(program_address, program_length, scalars_address)"]
        self.views_of_buffer: dict[Any, Any] = {}
        self.pointer_rows: dict[Any, Any] = {}

    def _add_node(self, n: GraphNode) -> None:
        """Append the instruction of a node."""
        if n.op in _IDENTITY_OPS:
            self.cell_of[n] = self.cell_of[n.args[0]]
            return
        self._add_cell(n)
        twin = self.twins.get(("cos" if n.op == "sin" else "sin", n.args)) if n.op in ("sin", "cos") else None
        if twin is not None:
            self._add_cell(twin)
            sine, cosine = (n, twin) if n.op == "sin" else (twin, n)
            places = [self.cell_of[n.args[0]], self.cell_of[cosine]]
            self.instructions.append((self.interpreter.SINCOS, self.cell_of[sine], *places, 0))
        elif n.op not in ("input", "const"):
            op, operands = self.fused.get(n) or (self.interpreter.OPERATIONS.index(n.op), n.args)
            places = [self.cell_of[a] for a in operands]
            self.instructions.append((op, self.cell_of[n], *(places + [places[-1]] * 3)[:3]))

    def _add_cell(self, n: GraphNode) -> None:
        """Reserve a cell for the value of a node."""
        self.cell_of[n] = len(self.initial_values)
        self.initial_values.append(float(np.reshape(n.value, ())) if n.op == "const" else 0.0)

    def scalar_input_line(self, node: GraphNode, text: str) -> str:
        """The line that stores an input number."""
        return f"scalars[{self.cell_of[node]}] = {text}{'' if node.shape == () else '.item()'}"

    def scalar_expression(self, node: GraphNode) -> str:
        """The expression that reads a number."""
        return f"scalars[{self.cell_of[node]}]"

    python_scalar = scalar_expression

    def value_expression(self, node: GraphNode) -> str:
        """The expression for a value that is returned to the caller."""
        text = f"np.bool({self.scalar_expression(node)})" if node.dtype.kind == "b" else self.scalar_expression(node)
        return text if node.shape == () else f"np.full({node.shape}, {text})"

    def header_lines(self) -> list[str]:
        """Comment lines before the function in the printed plan."""
        return [f"# {len(self.instructions)} operations on single numbers"]

    def kernel_texts(self) -> list[str]:
        """Listing of the instructions after the function in the printed plan."""
        names = [*self.interpreter.OPERATIONS, "sine and cosine", "a b + c", "a b - c", "c - a b", "exp -a"]
        return [f"{row[1]:5} = {names[row[0]]} {' '.join(map(str, row[2:]))}" for row in self.instructions]


def _fused_operation(
    n: GraphNode, users: Counter[GraphNode], interpreter: Any
) -> tuple[int, tuple[GraphNode, ...]] | None:
    """The opcode and operands of a fused instruction for a node and an operand that nothing else reads, or None."""

    def alone(a: GraphNode, op: str) -> bool:
        return a.op == op and users[a] == 1 and a.dtype == np.float64

    if n.op == "exp" and alone(n.args[0], "negative"):
        return interpreter.EXP_OF_NEGATIVE, n.args[0].args
    if n.op not in ("add", "subtract") or n.dtype != np.float64:
        return None
    a, b = n.args
    if alone(a, "multiply"):
        return interpreter.MULTIPLY_ADD if n.op == "add" else interpreter.MULTIPLY_SUBTRACT, (*a.args, b)
    if alone(b, "multiply"):
        return interpreter.MULTIPLY_ADD if n.op == "add" else interpreter.NEGATIVE_MULTIPLY_ADD, (*b.args, a)
    return None
