"""Batching rules of the reverse pass: which operations keep examples separate, and per-example VJPs of shared inputs.

A value of shape ``(B * m, ...)`` holds m rows for each of B examples: example b owns the m rows from ``b * m`` on. An
operation *keeps examples separate*, for one of its inputs, if each example's rows of the output depend on that
example's rows of the input and on no other rows of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR
from autodiff_kit.core.backward import apply_vjp, saved_values
from autodiff_kit.core.operation import OPS, v
from autodiff_kit.core.record import Node
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.ops.axes import is_array_index
from autodiff_kit.ops.in_place import add_rows_at

__all__ = ["ExampleRange", "keeps_examples_separate", "shared_input_cotangent"]


@dataclass(frozen=True)
class ExampleRange:
    """A range of examples ``start:stop`` within a batch of ``count``, and how their rows are cut out of an array."""

    count: int
    start: int
    stop: int

    def split_rows(self, g: Any) -> Any:
        """Rows with a new leading axis for the examples: ``(B * m, ...)`` becomes ``(B, m, ...)``."""
        return g.reshape((self.count, g.shape[0] // self.count, *g.shape[1:]))

    def select_rows(self, g: Any) -> Any:
        """Rows of the examples in the range: ``(stop - start, m, ...)``."""
        return self.split_rows(g)[self.start : self.stop]

    def expand_rows(self, g: Any) -> Any:
        """One copy of all rows for each example in the range, zero outside of that example's rows."""
        chosen, own = self.stop - self.start, self.select_rows(g)
        shape, places = (chosen, self.count, *own.shape[1:]), (np.arange(chosen), np.arange(self.start, self.stop))
        if type(g) is not np.ndarray:
            return v.scatter(own, index=places, shape=shape, ndim=own.ndim).reshape((chosen, *g.shape))
        out = np.zeros(shape, g.dtype)
        out[places] = own
        return out.reshape(chosen, *g.shape)

    def divides_rows(self, shape: tuple[int, ...]) -> bool:
        """Whether the first axis of this shape can be divided among the examples."""
        return bool(shape) and shape[0] > 0 and shape[0] % self.count == 0


def _shape(node: Node | None) -> tuple[int, ...]:
    return (getattr(node, "spec", None) or SCALAR).shape


def _shapes(node: Node, k: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of the output and of one input."""
    return _shape(node), _shape(node.inputs[k])


def _is_builtin(node: Node) -> bool:
    """Whether a node's operation is one of the kit's own, with its own derivative rules."""
    return OPS.get(node.op.key) is node.op


# ------------------------------------------------------------------------ operations that separate examples
def keeps_examples_separate(node: Node, k: int, examples: ExampleRange) -> bool:
    """Whether the ordinary rule maps each example's rows of the output cotangent to its rows of input ``k``."""
    out, shape = _shapes(node, k)
    if not _is_builtin(node) or not examples.divides_rows(shape):
        return False
    name = node.op.name
    if name in _NODE_TESTS:
        return _NODE_TESTS[name](node, k, examples)
    if shape[:1] != out[:1]:
        return False
    if node.op.family == "elementwise" or name in _ELEMENTWISE_LIKE:
        return len(shape) == len(out)
    return name in _SHAPE_TESTS and _SHAPE_TESTS[name](node.params, out, shape)


_ELEMENTWISE_LIKE = ("identity", "read", "to_float", "broadcast_to")

Shape = tuple[int, ...]
Saved = tuple[Any, ...]
SeparationTest = Callable[[dict[str, Any], Shape, Shape], bool]


def _axis_is_not_first(params: dict[str, Any], _out: Shape, shape: Shape) -> bool:
    axis = params["axis"]
    return -len(shape) not in ((axis,) if isinstance(axis, int) else axis)


def _has_batch_axis(_params: dict[str, Any], _out: Shape, shape: Shape) -> bool:
    return len(shape) > 1


def _new_axis_is_not_first(params: dict[str, Any], out: Shape, _shape: Shape) -> bool:
    axis = params["axis"]
    return -len(out) not in ((axis,) if isinstance(axis, int) else axis)


_OVER_AXES = (
    "sum", "mean", "prod", "max", "min", "logsumexp", "norm2", "normp", "cumsum", "cumprod", "roll", "squeeze",
    "softmax", "log_softmax", "standardize", "layer_norm",
)  # fmt: skip
_SHAPE_TESTS: dict[str, SeparationTest] = dict.fromkeys(_OVER_AXES, _axis_is_not_first)
_SHAPE_TESTS |= dict.fromkeys(("masked_softmax", "sparse_cross_entropy", "on_diagonal"), _has_batch_axis)
_SHAPE_TESTS |= dict.fromkeys(  # of stacks of matrices
    ("diagonal", "tril", "triu", "symmetric_part", "inv", "pinv", "det", "cofactors", "log_abs_det", "cholesky"),
    lambda _params, _out, shape: len(shape) > 2,
)
_SHAPE_TESTS |= dict.fromkeys(  # of images
    ("patches", "max_pool", "average_pool"), lambda _params, _out, shape: len(shape) > 3
)
_SHAPE_TESTS["solve"] = lambda _params, out, shape: len(shape) == len(out) > 2
_SHAPE_TESTS |= dict.fromkeys(("expand_dims", "concat", "stack"), _new_axis_is_not_first)
_SHAPE_TESTS["permute_dims"] = lambda params, _out, shape: bool(params["axes"][0] == -len(shape))
_SHAPE_TESTS["vecdot"] = lambda _params, out, shape: len(shape) == len(out) + 1


def _matmul_separates(node: Node, k: int, _examples: ExampleRange) -> bool:
    out, shape = _shapes(node, k)
    return len(shape) == len(out) and shape[0] == out[0] and (len(out) > 2 or k == 0)


def _matvec_separates(node: Node, k: int, _examples: ExampleRange) -> bool:
    out, shape = _shapes(node, k)
    return k == 0 and len(shape) == len(out) + 1 and shape[0] == out[0]


def _getitem_separates(node: Node, _k: int, examples: ExampleRange) -> bool:
    """The first axis is indexed by a full slice, or by integers that select each example's own rows."""
    out, shape = _shapes(node, 0)
    index = node.params["index"]
    numbers = _integer_arrays(index)
    if numbers is not None:
        own = shape[0] // examples.count
        if type(numbers[0]) is not np.ndarray:
            return False  # the index is not known while a function is traced
        owner = _row_owners(np.broadcast_shapes(*(n.shape for n in numbers)), examples)
        return bool(np.all(np.where(numbers[0] < 0, numbers[0] + shape[0], numbers[0]) // own == owner))
    if not index or out[0] != shape[0] or not _keeps_axis_order(index):
        return False
    return _is_full_slice(index[0]) or (index[0] is Ellipsis and _ellipsis_axes(index, len(shape)) > 0)


def _keeps_axis_order(index: tuple[Any, ...]) -> bool:
    """Whether the axes keep their order; an array index beside integers or masks may move its axes to the front."""
    arrays = [as_array(part) for part in index if is_array_index(part)]
    numbers = any(isinstance(part, (int, np.integer)) for part in index)
    return not arrays or (len(arrays) == 1 and not numbers and arrays[0].dtype != np.bool_)


def _is_full_slice(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _ellipsis_axes(index: tuple[Any, ...], ndim: int) -> int:
    """The number of axes for which an Ellipsis stands."""
    return ndim - sum(part is not None and part is not Ellipsis for part in index)


def _integer_arrays(index: tuple[Any, ...]) -> list[Any] | None:
    """The integer arrays of an index that consists of nothing else, or None."""
    numbers = [as_array(part) for part in index if is_array_index(part) or isinstance(part, (int, np.integer))]
    if len(numbers) < len(index) or not any(n.ndim for n in numbers) or any(n.dtype.kind not in "iu" for n in numbers):
        return None
    return [n.astype(np.int64, copy=False) for n in numbers]  # lengths may not fit their own dtype


def _row_owners(shape: Shape, examples: ExampleRange) -> Any:
    """The example that owns each row of the output, in a shape that broadcasts against the indices."""
    if not shape or shape[0] % examples.count:
        return -1
    rows = np.arange(shape[0]) // (shape[0] // examples.count)
    return rows.reshape((-1,) + (1,) * (len(shape) - 1))


def _einsum_separates(node: Node, k: int, _examples: ExampleRange) -> bool:
    """The first axis of the output is the first axis of the operand, and occurs once."""
    own, out = node.params["labels"][k], node.params["out"]
    return bool(out) and own[:1] == out[:1] and _shape(node)[0] == _shape(node.inputs[k])[0]


_NODE_TESTS: dict[str, Callable[[Node, int, ExampleRange], bool]] = {
    "reshape": lambda node, k, examples: True,  # entries keep their order, so those of an example stay together
    "matmul": _matmul_separates,
    "matvec": _matvec_separates,
    "getitem": _getitem_separates,
    "einsum": _einsum_separates,
    "convolution": lambda node, k, examples: k == 0,
    "transposed_convolution": lambda node, k, examples: k == 0,
}


# -------------------------------------------------------------------------------- inputs shared by all examples
def shared_input_cotangent(node: Node, k: int, g: Any, examples: ExampleRange, graph: bool) -> tuple[str, Any] | None:
    """Cotangent of input ``k``: ``("rows", g)``, ``("per example", g)``, or None if no rule is known.

    "rows" is a cotangent in the shape of the input; "per example" has a leading axis for the examples in the range.
    """
    if not _is_builtin(node) or node.op.vjps is None:
        return None
    like = node.inputs[k].spec  # type: ignore[union-attr]
    saved = saved_values(node, graph, g)
    if keeps_examples_separate(node, k, examples):
        return "rows", unbroadcast(apply_vjp(node.op, k, g, saved, node.params), like)
    special = _SHARED_INPUT_RULES.get((node.op.name, k)) if node.op.name != "einsum" else _shared_einsum_operand(k)
    part = special(node, g, saved, examples) if special is not None else None
    if part is None and _is_broadcast_over_examples(node, k):
        part = examples.select_rows(apply_vjp(node.op, k, g, saved, node.params))
    return None if part is None else ("per example", unbroadcast(part, like, 1))


def _shared_einsum_operand(k: int) -> Callable[[Node, Any, Saved, ExampleRange], Any]:
    """Rule for an einsum operand that all examples share: the batch label of the output is kept as a leading axis."""

    def part(node: Node, g: Any, saved: Saved, examples: ExampleRange) -> Any:
        labels, out = node.params["labels"], node.params["out"]
        if out[0] in labels[k]:
            return None
        wanted = out[:1] + labels[k]
        return examples.select_rows(v.einsum(g, saved[2 - k], labels=(out, labels[1 - k]), out=wanted))

    return part


def _is_broadcast_over_examples(node: Node, k: int) -> bool:
    """Whether the rule yields a cotangent for each example before un-broadcasting sums over the examples."""
    out, shape = _shapes(node, k)
    entrywise = node.op.family == "elementwise" or node.op.name in (*_ELEMENTWISE_LIKE, "layer_norm", "vecdot")
    if not (entrywise or (node.op.name == "matmul" and len(out) > 2)):
        return False
    axes = len(out) + (node.op.name == "vecdot")
    return len(shape) < axes or shape[0] != out[0]


def _shared_matrix(node: Node, g: Any, saved: Saved, examples: ExampleRange) -> Any:
    """``a @ b`` with a shared matrix b: the sum of outer products of each example's rows."""
    if len(_shape(node.inputs[1])) != 2:
        return None
    rows, incoming = (
        _example_matrices(_broadcast_leading(saved[1], g.shape[:-1]), examples),
        _example_matrices(g, examples),
    )
    if rows.shape[1] > 1:
        return v.matmul(_transposed(rows), incoming)
    if type(rows) is type(incoming) is np.ndarray:  # a tenth faster than a product that broadcasts
        return np.einsum("bi,bj->bij", rows[:, 0], incoming[:, 0])
    return _transposed(rows) * incoming


def _shared_vector(node: Node, g: Any, saved: Saved, examples: ExampleRange) -> Any:
    if len(_shape(node.inputs[1])) != 1:
        return None
    rows = _example_matrices(_broadcast_leading(saved[1], g.shape), examples)
    return v.matmul(_transposed(_example_matrices(v.expand_dims(g, axis=(-1,)), examples)), rows)[:, 0]


def _broadcast_leading(a: Any, ahead: Shape) -> Any:
    """Broadcast to the leading axes of the other operand."""
    shape = (*ahead, a.shape[-1])
    return a if a.shape == shape else v.broadcast_to(a, shape=shape)


def _transposed(x: Any) -> Any:
    return v.permute_dims(x, axes=(-3, -1, -2))


def _example_matrices(x: Any, examples: ExampleRange) -> Any:
    """All rows of each example in the range as one matrix."""
    shape = (examples.count, math.prod(x.shape[:-1]) // examples.count, x.shape[-1])
    return x.reshape(shape)[examples.start : examples.stop]


def _shared_kernel(node: Node, g: Any, saved: Saved, examples: ExampleRange) -> Any:
    """A convolution or its transpose with a shared kernel: the rules accept leading axes on both arguments."""
    y, x, kernel = saved
    own = (y, examples.select_rows(x), kernel)
    return apply_vjp(node.op, 1, examples.select_rows(g), own, node.params)


def _shared_table(node: Node, g: Any, _saved: Saved, examples: ExampleRange) -> Any:
    """Rows looked up in a shared table: each example's cotangents are added into a table of its own."""
    shape = _shape(node.inputs[0])
    numbers = _integer_arrays(node.params["index"])
    if numbers is None:
        return None
    places = np.broadcast_shapes(*(n.shape for n in numbers))
    if not examples.divides_rows(places):
        return None
    chosen = examples.stop - examples.start
    if any(type(x) is not np.ndarray for x in (g, *numbers)):
        own = [examples.select_rows(v.broadcast_to(n, shape=places)) for n in numbers]
        owner = np.arange(chosen).reshape((-1,) + (1,) * len(places))
        return v.scatter(examples.select_rows(g), index=(owner, *own), shape=(chosen, *shape), ndim=g.ndim + 1)
    return _scatter_add_rows(g, numbers, places, shape, examples)


def _scatter_add_rows(g: Any, numbers: list[Any], places: Shape, shape: Shape, examples: ExampleRange) -> Any:
    """Rows looked up in a shared table, for plain arrays, by the compiled loop that adds rows."""
    picked, chosen = shape[: len(numbers)], examples.stop - examples.start
    whole = [np.broadcast_to(np.where(n < 0, n + size, n), places) for n, size in zip(numbers, picked, strict=True)]
    flat = np.ravel_multi_index(tuple(examples.select_rows(n) for n in whole), picked)
    flat = flat.reshape(chosen, -1) + np.arange(chosen)[:, None] * math.prod(picked)
    half = g.dtype == np.float16
    out = np.zeros((chosen * math.prod(picked), math.prod(shape[len(picked) :])), np.float32 if half else g.dtype)
    if out.size:
        add_rows_at(out, flat.ravel(), np.asarray(examples.select_rows(g), out.dtype).reshape(flat.size, -1))
    return out.reshape(chosen, *shape)


_SHARED_INPUT_RULES: dict[tuple[str, int], Callable[[Node, Any, Saved, ExampleRange], Any]] = {
    ("matmul", 1): _shared_matrix,
    ("matvec", 1): _shared_vector,
    ("getitem", 0): _shared_table,
    ("convolution", 1): _shared_kernel,
    ("transposed_convolution", 1): _shared_kernel,
}
