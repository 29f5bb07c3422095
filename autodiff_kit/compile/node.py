"""What a node of a graph is, what a kernel can compute, and what a node is to the shape that a kernel works over."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "KERNELS", "KINDS", "PYTHON", "SLOW", "VIEWS", "Node", "beside", "entrywise", "fusible", "is_eye", "is_number",
    "is_uniform", "kind", "promotes_as", "repeats", "rounded", "scalar", "slice_of", "sum_dtype",
    "swapped",
]  # fmt: skip

VIEWS = frozenset({"reshape", "permute", "slice", "broadcast"})
"""Operations that only look at their input in another way."""

KINDS = VIEWS | {
    "input", "const", "sum", "max", "min", "concat", "matmul", "cast", "where", "call", "item", "copy", "strong", "pad",
}  # fmt: skip

PYTHON: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "negative": operator.neg, "positive": operator.pos, "absolute": abs,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "greater": operator.gt, "greater_equal": operator.ge,
    "less": operator.lt, "less_equal": operator.le, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""What Python computes with its own numbers, whose result is one of these again and takes its dtype from others."""

ARITHMETIC = frozenset([
    "add", "subtract", "multiply", "divide", "negative", "positive", "square", "reciprocal", "sqrt", "absolute",
    "maximum", "minimum", "sign", "where", "cast", "floor", "ceil", "trunc", "rint",
])  # fmt: skip

COMPARISONS = frozenset([
    "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite", "logical_and",
    "logical_or", "logical_not",
])  # fmt: skip

SLOW = frozenset(["sin", "cos", "exp", "tanh", "log", "log1p", "logaddexp", "expm1", "power"])
"""Of these, two in one loop are enough: more values at a time than registers make it slower."""

KERNELS = ARITHMETIC | COMPARISONS | SLOW


class Node:
    """One operation of a graph.

    ``op`` is a ufunc's name or one of :data:`KINDS`; ``args`` are nodes, ``kw`` what else it is told. ``value`` is a
    constant's. A ``weak`` node is a Python number.
    """

    __slots__ = ("args", "dtype", "kw", "number", "op", "shape", "value", "weak")

    def __init__(
        self, op: str, args: tuple[Node, ...], kw: Any, shape: tuple[int, ...], dtype: np.dtype[Any], weak: bool = False
    ) -> None:
        self.op, self.args, self.kw, self.shape, self.dtype, self.weak = op, args, kw, shape, dtype, weak
        self.value: Any = None
        self.number = -1

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"%{self.number} = {self.op}{[a.number for a in self.args]} {self.shape} {self.dtype}"


def entrywise(node: Node) -> bool:
    """Whether a node computes each entry from the entries at the same place."""
    return node.op not in KINDS or node.op in ("cast", "where")


def is_number(node: Node, value: float | None = None) -> bool:
    """Whether a node is a constant without axes, and this one."""
    return node.op == "const" and node.shape == () and (value is None or bool(node.value == value))


def is_uniform(node: Node) -> bool:
    """Whether a node is one number, repeated."""
    return node.op == "broadcast" and node.args[0].size == 1


def rounded(index: Any, shape: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """Slices of every axis as ``(start, stop, step)``."""
    return tuple(part.indices(n) for part, n in zip(index, shape, strict=True))


def repeats(array: Any) -> bool:
    """Whether an array is one number, repeated; 0 and -0 are two."""
    first = array.reshape(-1)[0]
    return bool(array.dtype.kind in "fiub" and (array == first).all() and not (first == 0 and np.signbit(array).any()))


def is_eye(node: Node) -> bool:
    """Whether a node is a constant identity matrix."""
    value = node.value
    return (
        node.op == "const"
        and node.ndim == 2
        and value.shape[0] == value.shape[1]
        and np.array_equal(value, np.eye(len(value)))
    )


def swapped(node: Node) -> tuple[int, ...]:
    """The order of axes in which the last two change places."""
    n = node.ndim
    return (*range(n - 2), n - 1, n - 2)


def slice_of(part: tuple[int, int, int]) -> slice:
    """Start, stop and step as Python's slice."""
    start, stop, step = part
    return slice(start, None if stop < 0 else stop, step)


def sum_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What NumPy sums a dtype in."""
    found: np.dtype[Any] = np.add.reduce(np.zeros(1, dtype)).dtype
    return found


def promotes_as(node: Node) -> Any:
    """What a ufunc's rules of promotion are told: a dtype, or Python's float or int."""
    if node.weak and node.dtype.kind in "fi":
        return float if node.dtype.kind == "f" else int
    return node.dtype


def beside(node: Node) -> Any:
    """What decides the dtype of a choice between values: a dtype, or a number of Python's."""
    return (1.0 if node.dtype.kind == "f" else 1) if node.weak and node.dtype.kind in "fi" else node.dtype


def scalar(node: Node) -> bool:
    """Whether a node is a single number, which the plan keeps as one of NumPy's or Python's."""
    if node.size != 1 or node.dtype.kind != "f" or node.op in ("call", "item", "matmul", "concat"):
        return node.weak or (node.op == "const" and node.shape == ())
    return scalar(node.args[0]) if node.op in VIEWS else True


def kind(node: Node, domain: tuple[int, ...]) -> str | None:
    """What a node is to a domain; None where it has no place in it."""
    if node.op in ("sum", "max", "min"):
        return _kind_of_reduction(node, domain)
    if node.shape == domain:
        return "full"
    return "row" if len(domain) > 1 and node.shape == (*domain[:-1], 1) else None


def _kind_of_reduction(node: Node, domain: tuple[int, ...]) -> str | None:
    source = node.args[0].shape
    if node.kw[1] != node.args[0].dtype:
        return None
    rows = (*domain[:-1], 1)
    if source != domain:
        return "total" if node.op == "sum" and node.size == 1 and len(domain) > 1 and source == rows else None
    if node.size == 1:
        return "total" if node.op == "sum" else None
    axes, last = node.kw[0], len(domain) - 1
    if axes == (last,):
        return "row" if node.op != "min" else None
    columns = tuple(k for k in range(last) if domain[k] != 1)
    return "column" if node.op == "sum" and axes == columns else None


def fusible(node: Node) -> bool:
    """Whether a kernel can compute a node at all."""
    if node.op in ("sum", "max"):
        return node.dtype.char in "fd" and node.args[0].dtype == node.dtype
    if not entrywise(node) or node.op not in KERNELS or node.weak:
        return False
    floats = {a.dtype for a in node.args if a.dtype.kind == "f" and not a.weak and not scalar(a)}
    if node.op in COMPARISONS:
        return all(a.dtype.char in "fd?lqi" for a in node.args) and len(floats) <= 1
    if node.op == "cast":
        return node.dtype.char in "fd" and node.args[0].dtype.char in "fd?lqi"
    return (
        node.dtype.char in "fd" and floats <= {node.dtype} and all(a.dtype.char in "fd?" or a.weak for a in node.args)
    )
