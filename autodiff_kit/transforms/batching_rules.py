"""Which operations keep the examples of a batch apart, and what those hand on that do not.

A value of shape ``(B * m, ...)`` has rows of its own for each of B examples: example b owns the m rows from ``b * m``
on. An operation *keeps them apart*, for one of its inputs, if each example's rows of the answer are made from that
example's rows of the input and from no other rows of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.backward import SCALAR, fit
from autodiff_kit.core.modes import absorbed, modes
from autodiff_kit.core.operation import OPS, v
from autodiff_kit.core.record import Like, Node
from autodiff_kit.core.tensor import Standin, array, make

__all__ = ["Examples", "shared_part", "stays_apart"]


@dataclass(frozen=True)
class Examples:
    """The examples of a batch, and which of them are asked for."""

    count: int
    start: int
    stop: int

    def split(self, g: Any) -> Any:
        """Rows with an axis of their own for the examples."""
        return g.reshape((self.count, g.shape[0] // self.count, *g.shape[1:]))

    def cut(self, g: Any) -> Any:
        """The same, of the chosen examples."""
        return self.split(g)[self.start : self.stop]

    def lay_out(self, g: Any) -> Any:
        """Rows of the chosen examples, one example at a time in front, zeros elsewhere."""
        chosen, own = self.stop - self.start, self.cut(g)
        shape, places = (chosen, self.count, *own.shape[1:]), (np.arange(chosen), np.arange(self.start, self.stop))
        if type(g) is not np.ndarray:
            return v.scatter(own, index=places, shape=shape, ndim=own.ndim).reshape((chosen, *g.shape))
        out = np.zeros(shape, g.dtype)
        out[places] = own
        return out.reshape(chosen, *g.shape)

    def own_rows(self, shape: tuple[int, ...]) -> bool:
        """Whether a value of this shape can have rows for each example."""
        return bool(shape) and shape[0] > 0 and shape[0] % self.count == 0


def _shape(node: Node | None) -> tuple[int, ...]:
    return (getattr(node, "like", None) or SCALAR).shape


def _shapes(node: Node, k: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the answer, and of one input."""
    return _shape(node), _shape(node.inputs[k])


def _known(node: Node) -> bool:
    """Whether the operation is the kit's own, with the kit's own rules."""
    return OPS.get(node.op.key) is node.op


# -------------------------------------------------------------------------------- what keeps examples apart
def stays_apart(node: Node, k: int, examples: Examples) -> bool:
    """Whether rows of the answer's cotangent give rows of input ``k``, by the ordinary rule."""
    out, shape = _shapes(node, k)
    if not _known(node) or not examples.own_rows(shape):
        return False
    name = node.op.name
    if name in _MOVES:
        return _MOVES[name](node, k, examples)
    if shape[:1] != out[:1]:
        return False
    if node.op.family == "elementwise" or name in _ENTRYWISE:
        return len(shape) == len(out)
    return name in _APART and _APART[name](node.params, out, shape)


_ENTRYWISE = ("identity", "read", "to_float", "broadcast_to")

Shape = tuple[int, ...]
Judge = Callable[[dict[str, Any], Shape, Shape], bool]


def _not_over_first(params: dict[str, Any], _out: Shape, shape: Shape) -> bool:
    axis = params["axis"]
    return -len(shape) not in ((axis,) if isinstance(axis, int) else axis)


def _last_only(_params: dict[str, Any], _out: Shape, shape: Shape) -> bool:
    return len(shape) > 1


def _no_first_new(params: dict[str, Any], out: Shape, _shape: Shape) -> bool:
    axis = params["axis"]
    return -len(out) not in ((axis,) if isinstance(axis, int) else axis)


_OVER_AXES = (
    "sum", "mean", "prod", "max", "min", "logsumexp", "norm2", "normp", "cumsum", "cumprod", "cumlogsumexp", "roll",
    "squeeze", "softmax", "log_softmax", "standardize",
)  # fmt: skip
_APART: dict[str, Judge] = dict.fromkeys(_OVER_AXES, _not_over_first)
_APART |= dict.fromkeys(("kept_softmax", "sparse_cross_entropy", "on_diagonal"), _last_only)
_APART |= dict.fromkeys(  # of stacks of matrices
    ("diagonal", "tril", "triu", "symmetric_part", "inv", "pinv", "det", "cofactors", "log_abs_det", "cholesky"),
    lambda _params, _out, shape: len(shape) > 2,
)
_APART |= dict.fromkeys(  # of images
    ("patches", "max_pool", "average_pool"), lambda _params, _out, shape: len(shape) > 3
)
_APART["solve"] = lambda _params, out, shape: len(shape) == len(out) > 2
_APART |= dict.fromkeys(("expand_dims", "concat", "stack"), _no_first_new)
_APART["permute_dims"] = lambda params, _out, shape: bool(params["axes"][0] == -len(shape))
_APART["vecdot"] = lambda _params, out, shape: len(shape) == len(out) + 1


def _matmul_apart(node: Node, k: int, _examples: Examples) -> bool:
    out, shape = _shapes(node, k)
    return len(shape) == len(out) and shape[0] == out[0] and (len(out) > 2 or k == 0)


def _matvec_apart(node: Node, k: int, _examples: Examples) -> bool:
    out, shape = _shapes(node, k)
    return k == 0 and len(shape) == len(out) + 1 and shape[0] == out[0]


def _getitem_apart(node: Node, _k: int, examples: Examples) -> bool:
    """The first axis is taken whole, or by numbers that lead each example to its own rows."""
    out, shape = _shapes(node, 0)
    index = node.params["index"]
    numbers = _front(index)
    if numbers is not None:
        own = shape[0] // examples.count
        if isinstance(numbers[0], Standin):
            return False  # nobody knows yet where it leads
        owner = _owners(np.broadcast_shapes(*(n.shape for n in numbers)), examples)
        return bool(np.all(np.where(numbers[0] < 0, numbers[0] + shape[0], numbers[0]) // own == owner))
    if not index or out[0] != shape[0] or not _in_place(index):
        return False
    return _whole(index[0]) or (index[0] is Ellipsis and _skipped(index, len(shape)) > 0)


def _in_place(index: tuple[Any, ...]) -> bool:
    """Whether the axes stay in their order; arrays beside numbers or masks may put theirs in front."""
    arrays = [array(part) for part in index if isinstance(part, (np.ndarray, np.bool_, bool, Standin))]
    numbers = any(isinstance(part, (int, np.integer)) for part in index)
    return not arrays or (len(arrays) == 1 and not numbers and arrays[0].dtype != np.bool_)


def _whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _skipped(index: tuple[Any, ...], ndim: int) -> int:
    """How many axes an Ellipsis stands for."""
    return ndim - sum(part is not None and part is not Ellipsis for part in index)


def _front(index: tuple[Any, ...]) -> list[Any] | None:
    """Arrays of whole numbers, if the index is nothing else."""
    numbers = [array(part) for part in index if isinstance(part, (int, np.integer, np.ndarray, Standin))]
    if len(numbers) < len(index) or not any(n.ndim for n in numbers) or any(n.dtype.kind not in "iu" for n in numbers):
        return None
    return numbers


def _owners(shape: Shape, examples: Examples) -> Any:
    """The example that owns each row of the answer, ready to broadcast against numbers of this shape."""
    if not shape or shape[0] % examples.count:
        return -1
    rows = np.arange(shape[0]) // (shape[0] // examples.count)
    return rows.reshape((-1,) + (1,) * (len(shape) - 1))


def _einsum_apart(node: Node, k: int, _examples: Examples) -> bool:
    """The first axis of the answer is the operand's first, and is there once."""
    own, out = node.params["labels"][k], node.params["out"]
    return bool(out) and own[:1] == out[:1] and _shape(node)[0] == _shape(node.inputs[k])[0]


_MOVES: dict[str, Callable[[Node, int, Examples], bool]] = {
    "reshape": lambda node, k, examples: True,  # entries stay in order, so an example's stay together
    "matmul": _matmul_apart,
    "matvec": _matvec_apart,
    "getitem": _getitem_apart,
    "einsum": _einsum_apart,
    "convolution": lambda node, k, examples: k == 0,
}


# -------------------------------------------------------------------------------- what all examples read
def shared_part(node: Node, k: int, g: Any, examples: Examples, graph: bool) -> tuple[str, Any] | None:
    """What input ``k`` gets from rows: ``("rows", part)``, ``("each", part)``, or None where nothing is known."""
    if not _known(node) or (node.op.vjps is None and node.op.name != "einsum"):
        return None
    like = node.inputs[k].like  # type: ignore[union-attr]
    saved = _arguments(node, graph)
    if stays_apart(node, k, examples):
        return "rows", fit(_ruled(node, k, g, saved), like)
    special = _SHARED.get((node.op.name, k)) if node.op.name != "einsum" else _summed(k)
    part = special(node, g, saved, examples) if special is not None else None
    if part is None and _spreads(node, k):
        part = examples.cut(_ruled(node, k, g, saved))
    return None if part is None else ("each", fit(part, like, 1))


def _arguments(node: Node, graph: bool) -> list[Any]:
    """The saved values; as tensors with their nodes where the sweep itself is recorded."""
    saved = node.saved or ()
    if not graph:
        return [np.float64(s) if type(s) is float else s for s in saved]
    nodes = (node, *node.inputs)
    return [s if type(s) is Like else make(s, n) for s, n in zip(saved, nodes, strict=True)]


def _ruled(node: Node, k: int, g: Any, saved: list[Any]) -> Any:
    """One input's part, by the operation's own rule."""
    if node.op.vjps is None:  # einsum has one rule for all
        return _einsum(node, k, g, saved, node.params["labels"][k])
    part = node.op.vjps[k](g, *saved, **node.params)
    return absorbed(part, g) if modes.absorbs and node.op.family == "elementwise" else part


def _einsum(node: Node, k: int, g: Any, saved: list[Any], wanted: tuple[int, ...]) -> Any:
    labels, arrays = node.params["labels"], saved[1:]
    return v.einsum(
        [g, *arrays[:k], *arrays[k + 1 :]], labels=(node.params["out"], *labels[:k], *labels[k + 1 :]), out=wanted
    )


def _summed(k: int) -> Callable[[Node, Any, list[Any], Examples], Any]:
    """An operand of einsum that all examples read: the first label of the answer stays, in front."""

    def part(node: Node, g: Any, saved: list[Any], examples: Examples) -> Any:
        own, first = node.params["labels"][k], node.params["out"][:1]
        return None if first[0] in own else examples.cut(_einsum(node, k, g, saved, first + own))

    return part


def _spreads(node: Node, k: int) -> bool:
    """Whether the rule gives rows for each example before the engine sums what was broadcast over them."""
    out, shape = _shapes(node, k)
    entrywise = node.op.family == "elementwise" or node.op.name in (*_ENTRYWISE, "vecdot")
    if not (entrywise or (node.op.name == "matmul" and len(out) > 2)):
        return False
    axes = len(out) + (node.op.name == "vecdot")
    return len(shape) < axes or shape[0] != out[0]


def _product(node: Node, g: Any, saved: list[Any], examples: Examples) -> Any:
    """``a @ b`` with one matrix b for all: for each example the outer products of its rows."""
    if len(_shape(node.inputs[1])) != 2:
        return None
    rows, incoming = _flat(_wide(saved[1], g.shape[:-1]), examples), _flat(g, examples)
    if rows.shape[1] > 1:
        return v.matmul(_turned(rows), incoming)
    if type(rows) is type(incoming) is np.ndarray:  # a tenth faster than a product that broadcasts
        return np.einsum("bi,bj->bij", rows[:, 0], incoming[:, 0])
    return _turned(rows) * incoming


def _product_with_vector(node: Node, g: Any, saved: list[Any], examples: Examples) -> Any:
    if len(_shape(node.inputs[1])) != 1:
        return None
    rows = _flat(_wide(saved[1], g.shape), examples)
    return v.matmul(_turned(_flat(v.expand_dims(g, axis=(-1,)), examples)), rows)[:, 0]


def _wide(a: Any, ahead: Shape) -> Any:
    """With all the axes that its partner has in front."""
    shape = (*ahead, a.shape[-1])
    return a if a.shape == shape else v.broadcast_to(a, shape=shape)


def _turned(x: Any) -> Any:
    return v.permute_dims(x, axes=(-3, -1, -2))


def _flat(x: Any, examples: Examples) -> Any:
    """All rows of each chosen example as one matrix."""
    shape = (examples.count, math.prod(x.shape[:-1]) // examples.count, x.shape[-1])
    return x.reshape(shape)[examples.start : examples.stop]


def _convolved(node: Node, g: Any, saved: list[Any], examples: Examples) -> Any:
    """Each example's images as a stack of their own: the rule takes axes in front of both."""
    y, x, kernel = saved
    return node.op.vjps[1](examples.cut(g), y, examples.cut(x), kernel, **node.params)


def _gathered(node: Node, g: Any, _saved: list[Any], examples: Examples) -> Any:
    """Rows of one table for all: each example adds to a table of its own."""
    shape = _shape(node.inputs[0])
    numbers = _front(node.params["index"])
    if numbers is None:
        return None
    places = np.broadcast_shapes(*(n.shape for n in numbers))
    if not examples.own_rows(places):
        return None
    chosen = examples.stop - examples.start
    if type(g) is not np.ndarray or any(isinstance(n, Standin) for n in numbers):
        own = [examples.cut(v.broadcast_to(n, shape=places)) for n in numbers]
        owner = np.arange(chosen).reshape((-1,) + (1,) * len(places))
        return v.scatter(examples.cut(g), index=(owner, *own), shape=(chosen, *shape), ndim=g.ndim + 1)
    return _added(g, numbers, places, shape, examples)


def _added(g: Any, numbers: list[Any], places: Shape, shape: Shape, examples: Examples) -> Any:
    """The same for arrays, by the loop that adds rows."""
    picked, chosen = shape[: len(numbers)], examples.stop - examples.start
    whole = [np.broadcast_to(np.where(n < 0, n + size, n), places) for n, size in zip(numbers, picked, strict=True)]
    flat = np.ravel_multi_index(tuple(examples.cut(n) for n in whole), picked)
    flat = flat.reshape(chosen, -1) + np.arange(chosen)[:, None] * math.prod(picked)
    half = g.dtype == np.float16
    out = np.zeros((chosen * math.prod(picked), math.prod(shape[len(picked) :])), np.float32 if half else g.dtype)
    rows = np.ascontiguousarray(examples.cut(g), out.dtype).reshape(flat.size, -1)
    loop = (
        kernels.compiled_loop("scatter_add_rows")
        if out.dtype.char in "fd" and flat.dtype == np.int64 and out.size
        else None
    )
    if loop is not None:
        loop(out, flat.ravel(), rows)
    else:
        np.add.at(out, flat.ravel(), rows)
    return out.reshape(chosen, *shape)


_SHARED: dict[tuple[str, int], Callable[[Node, Any, list[Any], Examples], Any]] = {
    ("matmul", 1): _product,
    ("matvec", 1): _product_with_vector,
    ("getitem", 0): _gathered,
    ("convolution", 1): _convolved,
}
