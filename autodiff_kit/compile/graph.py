"""The graph of a traced function, with local simplifications while nodes are added.

Equal operations are added once (common-subexpression elimination), constants are folded, and sums of padded slices are
joined. Later passes need only the name of an operation: a NumPy ufunc is elementwise, and all other operations are
listed in :data:`autodiff_kit.compile.node.NON_UFUNC_OPS`.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from autodiff_kit.compile.node import (
    PYTHON_OPERATORS,
    GraphNode,
    is_filled_with_one_value,
    last_axes_swapped,
    promotion_operand,
    promotion_type,
    slice_from_bounds,
)
from autodiff_kit.compile.topological_order import live_nodes

__all__ = ["ComputationGraph", "constant_key", "flatten_concatenations"]

_LOGICAL_OPS = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "invert": "logical_not"}
"""What operators on booleans are."""


class ComputationGraph:
    """A list of nodes in topological order, with one method for each kind of node."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self._table: dict[Any, GraphNode] = {}

    # ---------------------------------------------------------------------------------------------------- making nodes
    def add(self, node: GraphNode, key: Any = None) -> GraphNode:
        """Append a node; if a key is given, later lookups with this key return it."""
        node.number = len(self.nodes)
        self.nodes.append(node)
        if key is not None:
            self._table[key] = node
        return node

    def close(self) -> None:
        """Forget which equal nodes exist, which takes as much memory as the nodes."""
        self._table.clear()

    def input(self, shape: tuple[int, ...], dtype: Any, weak: bool = False) -> GraphNode:
        """Add an input, whose value is passed at each call."""
        return self.add(GraphNode("input", (), None, shape, np.dtype(dtype), weak))

    def const(self, value: Any) -> GraphNode:
        """Add a constant number or array."""
        weak = type(value) in (float, int, bool)
        key = ("const", type(value), repr(value)) if weak else ("const", *constant_key(value))
        node = self._table.get(key)
        if node is None:
            array = np.asarray(value)
            if not array.dtype.isnative:
                return self.const(array.astype(array.dtype.newbyteorder("=")))
            if array.ndim and array.size > 1 and is_filled_with_one_value(array):
                return self.broadcast(self.const(array.reshape(-1)[0]), array.shape)
            node = self.add(GraphNode("const", (), None, array.shape, array.dtype, weak), key)
            node.value = value if weak or array.ndim else array[()]
            node.params = value  # keep alive what the key identifies by id
        return node

    def node(
        self, op: str, args: tuple[GraphNode, ...], params: Any, shape: tuple[int, ...], dtype: Any, weak: bool = False
    ) -> GraphNode:
        """Add an operation, or return an equal node that exists already.

        The shape is part of what is compared: pads with equal spans may lie in arrays of different shapes.
        """
        key = (op, *(a.number for a in args), params, shape)
        found = self._table.get(key)
        return found or self.add(GraphNode(op, args, params, shape, np.dtype(dtype), weak), key)

    # -------------------------------------------------------------------------------------------------- entry by entry
    def elementwise(self, op: str, *args: GraphNode) -> GraphNode:
        """Add a ufunc or ``where``, by name, with the dtype and shape that NumPy would give the result."""
        if op in _LOGICAL_OPS and all(a.dtype.kind == "b" and not a.weak for a in args):
            op = _LOGICAL_OPS[op]
        function = getattr(np, op)
        if all(a.weak for a in args) and op in PYTHON_OPERATORS:
            return self._python_operator(op, args)
        if op == "where":
            dtype = np.result_type(*(a.value if a.weak and a.op == "const" else promotion_operand(a) for a in args[1:]))
        else:
            dtype = function.resolve_dtypes((*map(promotion_type, args), None))[-1]
        shape = args[0].shape if len({a.shape for a in args}) == 1 else np.broadcast_shapes(*(a.shape for a in args))
        if all(a.op == "const" for a in args):
            return self.const(function(*(a.value for a in args)))
        if op == "where" and args[0].op == "const" and args[0].size == 1:  # it chooses one of the two everywhere
            chosen = self.cast(args[1 if np.all(args[0].value) else 2], dtype)
            return self.broadcast(chosen, shape)
        if any(a.op == "broadcast" for a in args):  # compute before broadcasting
            inner = self.elementwise(op, *(a.args[0] if a.op == "broadcast" else a for a in args))
            return self.broadcast(inner, shape)
        if op in ("add", "multiply") and args[0].number > args[1].number:
            args = args[::-1]
        joined = self._joined_sum(*args) if op == "add" and dtype.kind == "f" else None
        return joined or self.node(op, args, None, shape, dtype)

    def _joined_sum(self, total: GraphNode, term: GraphNode) -> GraphNode | None:
        """A sum of arrays that were padded with zeros, as the gradients of slices are; None if it is not such a sum."""
        joined = self._joined_pads(total, term)
        if joined is None and total.op == "add" and total.shape == term.shape:
            for rest, one in (total.args, total.args[::-1]):
                if rest.shape == total.shape and (joined := self._joined_pads(one, term)) is not None:
                    return self.elementwise("add", rest, joined)
        return joined

    def _joined_pads(self, a: GraphNode, b: GraphNode) -> GraphNode | None:
        """``a + b`` as one padded array, for two that stand side by side along one axis."""
        if a.op != "pad" or b.op != "pad" or a.shape != b.shape or a.dtype != b.dtype:
            return None
        whole = [(0, n, 1) for n in a.shape]
        axes = [k for k, span in enumerate(whole) if a.params[k] != span or b.params[k] != span]
        first, second = sorted((a, b), key=lambda m: m.params[axes[0]])
        (start, end, step), (other, stop, next_step) = first.params[axes[0]], second.params[axes[0]]
        if len(axes) > 1 or end != other or (step, next_step) != (1, 1):
            return None
        whole[axes[0]] = (start, stop, 1)
        return self.pad(self.concat((first.args[0], second.args[0]), axes[0]), tuple(whole), a.shape)

    def _python_operator(self, op: str, args: tuple[GraphNode, ...]) -> GraphNode:
        """Add an operation on Python numbers, which follows Python's rules instead of NumPy's."""
        sample = PYTHON_OPERATORS[op](*(a.value if a.op == "const" else a.dtype.type(1).item() for a in args))
        return self.node(op, args, None, (), np.asarray(sample).dtype, weak=True)

    def cast(self, x: GraphNode, dtype: Any) -> GraphNode:
        """Add ``x.astype(dtype)``."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype and not x.weak:
            return x
        if x.op == "const":
            return self.const(np.asarray(x.value).astype(dtype)[()])
        if x.op == "broadcast":
            return self.broadcast(self.cast(x.args[0], dtype), x.shape)
        return self.node("cast", (x,), dtype, x.shape, dtype)

    # ----------------------------------------------------------------------------------------------------------- views
    def reshape(self, x: GraphNode, shape: tuple[int, ...]) -> GraphNode:
        """Add a reshape; all lengths of ``shape`` are known."""
        if x.op == "reshape":
            x = x.args[0]
        if x.shape == shape:
            return x
        if x.op == "const":
            return self.const(np.reshape(x.value, shape))
        if x.op == "broadcast" and x.args[0].size == 1 and math.prod(shape) > 1:
            return self.broadcast(self.reshape(x.args[0], ()), shape)
        return self.node("reshape", (x,), shape, shape, x.dtype)

    def permute(self, x: GraphNode, order: tuple[int, ...]) -> GraphNode:
        """Add a transpose with the given order of axes, all non-negative."""
        if x.op == "permute":
            return self.permute(x.args[0], tuple(x.params[k] for k in order))
        if order == tuple(range(x.ndim)):
            return x
        shape = tuple(x.shape[k] for k in order)
        if x.op == "const":
            return self.const(np.transpose(x.value, order))
        if x.op == "matmul" and order == last_axes_swapped(x) and any(a.op == "permute" for a in x.args):
            a, b = x.args  # (A B)ᵀ = Bᵀ Aᵀ
            return self.matmul(self.permute(b, last_axes_swapped(b)), self.permute(a, last_axes_swapped(a)))
        return self.node("permute", (x,), order, shape, x.dtype)

    def slice(self, x: GraphNode, parts: tuple[tuple[int, int, int], ...]) -> GraphNode:
        """Add a slice of all axes, each as ``(start, stop, step)``."""
        if all(part == (0, n, 1) for part, n in zip(parts, x.shape, strict=True)):
            return x
        if x.op == "const":
            return self.const(np.asarray(x.value)[tuple(slice_from_bounds(p) for p in parts)])
        return self.node("slice", (x,), parts, tuple(len(range(*part)) for part in parts), x.dtype)

    def broadcast(self, x: GraphNode, shape: tuple[int, ...]) -> GraphNode:
        """Add a broadcast to ``shape``."""
        if x.op == "broadcast" and x.ndim <= len(shape):
            x = x.args[0]
        if x.shape == shape:
            return x
        return self.node("broadcast", (x,), shape, shape, x.dtype)

    # ------------------------------------------------------------------------------------------------------ reductions
    def reduce(self, op: str, x: GraphNode, axes: tuple[int, ...], dtype: Any = None) -> GraphNode:
        """Add a sum, maximum or minimum over non-negative axes, which are kept with length 1."""
        dtype = np.dtype(dtype or (np.add.reduce(np.zeros(1, x.dtype)).dtype if op == "sum" else x.dtype))
        x = self.cast(x, dtype) if x.dtype.kind == "b" and dtype.kind == "f" else x
        shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
        if x.dtype == dtype:
            axes = tuple(k for k in axes if x.shape[k] != 1)
            if not axes:
                return self.reshape(x, shape)
        return self.node(op, (x,), (axes, dtype), shape, dtype)

    def matmul(self, a: GraphNode, b: GraphNode) -> GraphNode:
        """Add ``a @ b`` for operands with at least two axes."""
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        dtype = np.matmul.resolve_dtypes((a.dtype, b.dtype, None))[-1]
        shape = (*stack, a.shape[-2], b.shape[-1])
        if a.shape[-1] == 1 and a.dtype == b.dtype:
            return self.broadcast(self.elementwise("multiply", a, b), shape)
        if b.ndim == 2 and a.ndim > 2:
            rows = self.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))
            return self.reshape(self.matmul(rows, b), shape)
        if a.ndim == 2 and b.ndim > 2 and b.shape[-1] == 1:  # a batch of columns as the rows of one matrix
            rows = self.reshape(b, (math.prod(b.shape[:-2]), b.shape[-2]))
            return self.reshape(self.matmul(rows, self.permute(a, (1, 0))), shape)
        return self.node("matmul", (a, b), None, shape, dtype)

    def pad(self, x: GraphNode, spans: tuple[tuple[int, int, int], ...], shape: tuple[int, ...]) -> GraphNode:
        """Add an array of zeros into which ``x`` is written at the given slices."""
        return x if x.shape == shape else self.node("pad", (x,), spans, shape, x.dtype)

    def concat(self, parts: tuple[GraphNode, ...], axis: int) -> GraphNode:
        """Add a concatenation along a non-negative axis."""
        dtype = np.result_type(*(p.dtype for p in parts))
        length = sum(p.shape[axis] for p in parts)
        shape = tuple(length if k == axis else n for k, n in enumerate(parts[0].shape))
        return parts[0] if len(parts) == 1 else self.node("concat", parts, axis, shape, dtype)


def flatten_concatenations(outputs: list[GraphNode]) -> list[GraphNode]:
    """Take concatenations apart that only another one uses; returns the live nodes in topological order."""
    nodes = live_nodes(outputs)
    users = Counter(a for n in nodes for a in n.args) + Counter(outputs)
    for n in reversed(nodes):
        parts, todo = [], [*n.args[::-1]] if n.op == "concat" else []
        while todo:
            a = todo.pop()
            if a.op == "concat" and a.params == n.params and users[a] == 1:
                todo.extend(a.args[::-1])
            else:
                parts.append(a)
        n.args = tuple(parts) or n.args
    return live_nodes(outputs)


def constant_key(value: Any) -> tuple[Any, ...]:
    """A key that is equal for equal NumPy scalars and for views of the same memory."""
    if isinstance(value, np.number):
        return (value.dtype, value.tobytes())
    if type(value) is not np.ndarray or not value.size:
        return (id(value),)
    return (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype)
