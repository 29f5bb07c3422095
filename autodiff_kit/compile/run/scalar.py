"""Recordings of single numbers only, as programs of :mod:`autodiff_kit.kernels.scalar_interpreter`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from autodiff_kit.compile.node import VIEWS, Node

__all__ = ["Machine", "all_numbers"]

LEAST = 8
"""Operations below which lines of Python are as fast."""
_ALIKE = VIEWS | {"strong", "cast", "sum", "max", "min"}
"""Of one number these are that number."""


def all_numbers(nodes: list[Node]) -> bool:
    """Whether the machine can run a graph: float64 numbers, and nothing that it does not know."""
    from autodiff_kit.kernels.scalar_interpreter import OPERATIONS

    def known(n: Node) -> bool:
        if n.op in ("input", "const"):
            return n.op == "const" or n.dtype == np.float64
        return (n.op in OPERATIONS or n.op in _ALIKE) and (
            n.dtype == np.float64 or (n.dtype == bool and n.op != "cast")
        )

    work = [n for n in nodes if n.op not in VIEWS and n.op not in ("input", "const")]
    return len(work) >= LEAST and all(n.size == 1 for n in nodes) and all(n.op in VIEWS or known(n) for n in nodes)


class Machine:
    """A program and its cells; to :class:`autodiff_kit.compile.run.kernel_plan.Fast` what a replay of arrays is."""

    def __init__(self, nodes: list[Node], outputs: list[Node]) -> None:
        from autodiff_kit.kernels import scalar_interpreter

        self.machine = scalar_interpreter
        self.place: dict[Node, int] = {}
        self.numbers: list[float] = []
        self.rows: list[tuple[int, ...]] = []
        self.twins = {(n.op, n.args): n for n in nodes if n.op in ("sin", "cos")}
        users = Counter(a for n in nodes for a in n.args) + Counter(outputs)
        self.joined = {n: found for n in nodes if (found := _joint(n, users, scalar_interpreter)) is not None}
        inside = {a for n, (_, operands) in self.joined.items() for a in n.args if a not in operands}
        for n in nodes:
            if n not in inside and n not in self.place:
                self._add(n)
        rows, cells = np.array(self.rows, np.int64).reshape(-1, 5), np.array(self.numbers)
        self.env: dict[str, Any] = {
            "machine": scalar_interpreter.play, "program": float(rows.ctypes.data), "size": float(len(rows)), "np": np,
            "C": cells.data, "cells": float(cells.ctypes.data), "memory": (rows, cells),
        }  # fmt: skip
        self.first: list[str] = []
        self.lines = ["machine(program, size, cells)"]
        self.bound: dict[Any, Any] = {}
        self.moved: dict[Any, Any] = {}

    def _add(self, n: Node) -> None:
        if n.op in _ALIKE:
            self.place[n] = self.place[n.args[0]]
            return
        self._cell(n)
        twin = self.twins.get(("cos" if n.op == "sin" else "sin", n.args)) if n.op in ("sin", "cos") else None
        if twin is not None:
            self._cell(twin)
            sine, cosine = (n, twin) if n.op == "sin" else (twin, n)
            places = [self.place[n.args[0]], self.place[cosine]]
            self.rows.append((self.machine.SINE_AND_COSINE, self.place[sine], *places, 0))
        elif n.op not in ("input", "const"):
            op, operands = self.joined.get(n) or (self.machine.OPERATIONS.index(n.op), n.args)
            places = [self.place[a] for a in operands]
            self.rows.append((op, self.place[n], *(places + [places[-1]] * 3)[:3]))

    def _cell(self, n: Node) -> None:
        self.place[n] = len(self.numbers)
        self.numbers.append(float(np.reshape(n.value, ())) if n.op == "const" else 0.0)

    def take(self, node: Node, text: str) -> str:
        """The line that takes in a number."""
        return f"C[{self.place[node]}] = {text}{'' if node.shape == () else '.item()'}"

    def number(self, node: Node) -> str:
        """A number as an expression."""
        return f"C[{self.place[node]}]"

    python = number

    def value(self, node: Node) -> str:
        """A node's value as something that the caller may keep."""
        text = f"np.bool({self.number(node)})" if node.dtype.kind == "b" else self.number(node)
        return text if node.shape == () else f"np.full({node.shape}, {text})"

    def heads(self) -> list[str]:
        """What to say of it before the function, for those who read the plan."""
        return [f"# {len(self.rows)} operations on single numbers"]

    def texts(self) -> list[str]:
        """And after it: a row for each operation."""
        names = [*self.machine.OPERATIONS, "sine and cosine", "a b + c", "a b - c", "c - a b", "exp -a"]
        return [f"{row[1]:5} = {names[row[0]]} {' '.join(map(str, row[2:]))}" for row in self.rows]


def _joint(n: Node, users: Counter[Node], interpreter: Any) -> tuple[int, tuple[Node, ...]] | None:
    """Two operations as one, where nothing else reads the first: the number of both, and their operands."""

    def alone(a: Node, op: str) -> bool:
        return a.op == op and users[a] == 1 and a.dtype == np.float64

    if n.op == "exp" and alone(n.args[0], "negative"):
        return interpreter.EXP_OF_NEGATIVE, n.args[0].args
    if n.op not in ("add", "subtract") or n.dtype != np.float64:
        return None
    a, b = n.args
    if alone(a, "multiply"):
        return interpreter.PRODUCT_PLUS if n.op == "add" else interpreter.PRODUCT_MINUS, (*a.args, b)
    if alone(b, "multiply"):
        return interpreter.PRODUCT_PLUS if n.op == "add" else interpreter.MINUS_PRODUCT, (*b.args, a)
    return None
