"""Nodes of the graph, and which of them a fused kernel can compute."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "COMPARISON_OPS", "KERNEL_OPS", "NON_UFUNC_OPS", "PYTHON_OPERATORS", "REDUCTIONS", "VIEW_OPS", "GraphNode",
    "broadcast_axes", "is_filled_with_one_value", "is_fusible", "is_scalar", "last_axes_swapped", "promotion_operand",
    "promotion_type", "slice_from_bounds",
]  # fmt: skip

VIEW_OPS = frozenset({"reshape", "permute", "slice", "broadcast"})
"""Operations whose result is a view of their operand."""

REDUCTIONS = frozenset({"sum", "max", "min"})

NON_UFUNC_OPS = VIEW_OPS | REDUCTIONS | {
    "input", "const", "concat", "matmul", "cast", "where", "call", "item", "copy", "strong", "pad",
}  # fmt: skip

PYTHON_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "negative": operator.neg, "positive": operator.pos, "absolute": abs,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "greater": operator.gt, "greater_equal": operator.ge,
    "less": operator.lt, "less_equal": operator.le, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""Operators on Python numbers; the result is a Python number again, that is, weakly typed."""

COMPARISON_OPS = frozenset([
    "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite", "logical_and",
    "logical_or", "logical_not",
])  # fmt: skip

KERNEL_OPS = COMPARISON_OPS | {
    "add", "subtract", "multiply", "divide", "negative", "positive", "square", "reciprocal", "sqrt", "absolute",
    "maximum", "minimum", "sign", "where", "cast", "floor", "ceil", "trunc", "rint",
    "sin", "cos", "exp", "tanh", "log", "log1p", "logaddexp", "expm1", "power",
}  # fmt: skip


class GraphNode:
    """One operation of a graph.

    ``op`` is the name of a ufunc or one of :data:`NON_UFUNC_OPS`, ``args`` are the operand nodes, ``params`` the other
    parameters of the operation. ``value`` is the value of a constant. A ``weak`` node is a Python number, which takes
    its dtype from the other operands.
    """

    __slots__ = ("args", "dtype", "number", "op", "params", "shape", "size", "value", "weak")

    def __init__(
        self,
        op: str,
        args: tuple[GraphNode, ...],
        params: Any,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        weak: bool = False,
    ) -> None:
        self.op, self.args, self.params, self.shape, self.dtype, self.weak = op, args, params, shape, dtype, weak
        self.size = math.prod(shape)  # number of entries
        self.value: Any = None
        self.number = -1

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"%{self.number} = {self.op}{[a.number for a in self.args]} {self.shape} {self.dtype}"


def is_filled_with_one_value(array: Any) -> bool:
    """Whether all entries of an array are equal; 0 and -0 differ."""
    first = array.reshape(-1)[0]
    return bool(array.dtype.kind in "fiub" and (array == first).all() and not (first == 0 and np.signbit(array).any()))


def last_axes_swapped(node: GraphNode) -> tuple[int, ...]:
    """The permutation of axes that swaps the last two."""
    n = node.ndim
    return (*range(n - 2), n - 1, n - 2)


def slice_from_bounds(part: tuple[int, int, int]) -> slice:
    """The Python slice of ``(start, stop, step)``."""
    start, stop, step = part
    return slice(start, None if stop < 0 else stop, step)


def promotion_type(node: GraphNode) -> Any:
    """The argument of ``ufunc.resolve_dtypes`` for an operand: a dtype, or Python's ``float`` or ``int``."""
    if node.weak and node.dtype.kind in "fi":
        return float if node.dtype.kind == "f" else int
    return node.dtype


def promotion_operand(node: GraphNode) -> Any:
    """The argument of ``np.result_type`` for an operand: a dtype, or a Python number."""
    return (1.0 if node.dtype.kind == "f" else 1) if node.weak and node.dtype.kind in "fi" else node.dtype


def is_scalar(node: GraphNode) -> bool:
    """Whether a plan keeps the node as a single NumPy or Python number instead of an array."""
    if node.size != 1:
        return False
    if node.op in COMPARISON_OPS:
        return True
    if node.dtype.kind != "f" or node.op in ("call", "item", "matmul", "concat", "copy"):
        return node.weak or (node.op == "const" and node.shape == ())
    return is_scalar(node.args[0]) if node.op in VIEW_OPS else True


@functools.lru_cache(1024)
def broadcast_axes(shape: tuple[int, ...], domain: tuple[int, ...]) -> frozenset[int] | None:
    """The axes along which an array of a shape is repeated over a domain; None if it has not the same axes."""
    if len(shape) != len(domain) or any(n not in (1, d) for n, d in zip(shape, domain, strict=True)):
        return None
    return frozenset(k for k, d in enumerate(domain) if shape[k] != d)


def _is_in_range(node: GraphNode, dtype: Any) -> bool:
    """Whether a dtype of integers holds a constant of Python; other nodes have dtypes of their own."""
    limits = np.iinfo(dtype)
    return not node.weak or node.op != "const" or bool(limits.min <= node.value <= limits.max)


def is_fusible(node: GraphNode) -> bool:
    """Whether a fused kernel can compute a node."""
    if node.op in REDUCTIONS:
        return node.dtype.char in "fd" and node.args[0].dtype == node.dtype
    if node.op not in KERNEL_OPS or node.weak:
        return False
    floats = {a.dtype for a in node.args if a.dtype.kind == "f" and not a.weak and not is_scalar(a)}
    if node.op in COMPARISON_OPS:
        common = np.result_type(*map(promotion_operand, node.args))
        if common.kind == "f" and floats != {common}:
            return False  # NumPy compares float32 with integers or float64 numbers in float64
        if common.kind == "i" and not all(_is_in_range(a, common) for a in node.args):
            return False
        return all(a.dtype.char in "fd?lqi" for a in node.args)
    if node.op == "cast":
        return node.dtype.char in "fd" and node.args[0].dtype.char in "fd?lqi"
    return (
        node.dtype.char in "fd" and floats <= {node.dtype} and all(a.dtype.char in "fd?" or a.weak for a in node.args)
    )
