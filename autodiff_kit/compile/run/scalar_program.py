"""Graphs of single numbers, as programs for an interpreter: one compiled loop runs all programs.

Compiling a graph of a few hundred numbers takes seconds; interpreting it takes a few nanoseconds for each operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import COMPARISON_OPS, REDUCTIONS, VIEW_OPS, GraphNode
from autodiff_kit.compile.passes.kernel_source import EXPRESSIONS
from autodiff_kit.compile.run.kernel_loader import module_source
from autodiff_kit.kernels.native_calls import run_units

__all__ = ["ScalarProgram", "computes_number", "instruction", "interpreter_source", "is_scalar_graph"]

MIN_OPERATIONS = 8
"""With fewer operations, lines of Python are as fast."""
_IDENTITY_OPS = VIEW_OPS | REDUCTIONS | {"strong", "cast"}
"""Operations that leave a single number unchanged."""
_OPERATIONS = [op for op in EXPRESSIONS if op != "cast"]
"""Names of the interpreter's operations; the index is the opcode."""
_SINE_AND_COSINE = {
    op: f"(sincos64(a)[{k}] if abs(a) < MAX_ANGLE64 else math.{op}(a))" for k, op in enumerate(("sin", "cos"))
}
_INSTRUCTION_LENGTH = 5  # opcode, cell of the result, cells of three operands


def computes_number(n: GraphNode) -> bool:
    """Whether the interpreter computes a node with one entry: float64 or the result of a comparison."""
    if n.weak and n.op in ("divide", "power"):  # Python raises an error where the interpreter gives inf or nan
        return False
    if n.op in COMPARISON_OPS and any(a.dtype == np.float32 for a in n.args) and any(a.weak for a in n.args):
        return False  # the Python number is rounded to float32 first
    known = n.op in EXPRESSIONS or n.op in _IDENTITY_OPS
    return known and (n.op in VIEW_OPS or n.dtype == np.float64 or (n.dtype == bool and n.op != "cast"))


def is_scalar_graph(nodes: list[GraphNode], is_step: bool = False) -> bool:
    """Whether the interpreter runs a graph: one of float64 numbers, and of operations that it has.

    The step of a loop may have few of them: in a program it needs no Python.
    """

    def known(n: GraphNode) -> bool:
        return n.op == "const" or (n.op == "input" and n.dtype == np.float64) or computes_number(n)

    work = [n for n in nodes if n.op not in VIEW_OPS and n.op not in ("input", "const")]
    return len(work) >= (1 if is_step else MIN_OPERATIONS) and all(n.size == 1 and known(n) for n in nodes)


def instruction(n: GraphNode, result: int, operands: list[int]) -> tuple[int, ...]:
    """The instruction that computes a node, given the cells of its result and operands."""
    op = "positive" if n.op in _IDENTITY_OPS else n.op
    return (_OPERATIONS.index(op), result, *(operands + operands[-1:] * 2)[:3])


def interpreter_source() -> str:
    """The source of the interpreter's module: a loop over instructions with a branch for each operation.

    Its table: address and length of the instructions, and of the cells.
    """
    lines = ["def kernel(program, cells):", f"    for i in range(0, program.shape[0], {_INSTRUCTION_LENGTH}):"]
    lines += [f"        {name} = cells[program[i + {k}]]" for k, name in enumerate("abc", 2)]
    for k, op in enumerate(_OPERATIONS):
        expression = _SINE_AND_COSINE.get(op) or EXPRESSIONS[op].format("a", "b", "c", b="64")
        lines += [f"        {'if' if k == 0 else 'elif'} program[i] == {k}:", f"            r = real({expression})"]
    lines.append("        cells[program[i + 1]] = r")
    entry = "kernel(load_array(table, 0, np.int64), load_array(table, 2, real))"
    return module_source("\n".join(lines), entry, np.dtype(float))


class ScalarProgram:
    """The instructions and memory cells of a graph of single numbers.

    It has the interface of :class:`autodiff_kit.compile.run.plan_codegen.PlanCodeGenerator`.
    """

    def __init__(self, nodes: list[GraphNode], compiler: Callable[[str], int]) -> None:
        self.cell_of: dict[GraphNode, int] = {}
        initial_values: list[float] = []
        self.instructions: list[tuple[int, ...]] = []
        for n in nodes:
            if n.op in _IDENTITY_OPS:
                self.cell_of[n] = self.cell_of[n.args[0]]
                continue
            self.cell_of[n] = len(initial_values)
            initial_values.append(float(np.reshape(n.value, ())) if n.op == "const" else 0.0)
            if n.args:
                self.instructions.append(instruction(n, self.cell_of[n], [self.cell_of[a] for a in n.args]))
        rows, cells = np.array(self.instructions, np.int64), np.array(initial_values)
        table = np.array([rows.ctypes.data, rows.size, cells.ctypes.data, cells.size], np.int64)
        unit = np.array([compiler(interpreter_source()), table.ctypes.data], np.int64)
        self.env: dict[str, Any] = {
            "run_units": run_units,
            "first": float(unit.ctypes.data),
            "last": float(unit.ctypes.data + unit.nbytes),
            "scalars": cells.data,
            "memory": (rows, cells, table, unit),  # keeps them alive
            "np": np,
        }
        self.units, self.fixed, self.moved = unit.reshape(1, 2), {("scalars", None): cells}, dict[Any, Any]()
        self.needs_python, self.failures, self.work = False, list[Any](), len(self.instructions)
        self.view_lines: list[str] = []
        self.lines = ["run_units(first, last)"]
        self.views_of_buffer: dict[Any, Any] = {}
        self.pointer_rows: dict[Any, Any] = {}

    def scalar_input_line(self, node: GraphNode, text: str) -> str:
        """The line that stores an input number."""
        return f"scalars[{self.cell_of[node]}] = {text}{'' if node.shape == () else '.item()'}"

    def scalar_expression(self, node: GraphNode) -> str:
        """The expression that reads a number."""
        text = f"scalars[{self.cell_of[node]}]"
        return f"{'' if node.weak else 'np.'}bool({text})" if node.dtype.kind == "b" else text

    python_scalar = scalar_expression

    def value_expression(self, node: GraphNode) -> str:
        """The expression for a value that is returned to the caller."""
        text = self.scalar_expression(node)
        return text if node.shape == () else f"np.full({node.shape}, {text})"

    def place_of(self, node: GraphNode) -> tuple[Any, int] | None:
        """The buffer and the offset of a number."""
        return (("scalars", None), 8 * self.cell_of[node]) if node in self.cell_of else None

    def header_lines(self) -> list[str]:
        """Comment lines before the function in the printed plan."""
        return [f"# {len(self.instructions)} operations on single numbers"]

    def kernel_texts(self) -> list[str]:
        """Listing of the instructions after the function in the printed plan."""
        return [f"{row[1]:5} = {_OPERATIONS[row[0]]} {' '.join(map(str, row[2:]))}" for row in self.instructions]
