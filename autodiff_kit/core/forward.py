"""Forward mode: tangents run along with the values, or through a record that stands already."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autodiff_kit.core.nest import flatten, flatten_like, pack_like
from autodiff_kit.core.record import NOTHING, Like, Node, Record, open_records
from autodiff_kit.core.rules import Op
from autodiff_kit.core.sweep import SCALAR, fit
from autodiff_kit.core.tensor import Tensor, Value, Variable, follow_variable, lift, make, normal, plain
from autodiff_kit.errors import DtypeError, ShapeError, StructureError, TapeError, UnknownGradientError

__all__ = ["ForwardAccumulator", "push", "push_node"]


def push_node(node: Node, tangents: tuple[Any, ...], lead: int = 0, graph: bool = False) -> Any:
    """The tangent of a node's answer, from those of its inputs (None: the input has none); None where it ends."""
    op: Op = node.op
    if op.users and lead:  # a user's rule knows nothing of leading axes
        return _one_by_one(node, tangents, lead)
    if op.jvp is None:
        if op.vjp_all is not None and op.users:
            return _transposed(node, tangents)
        if op.family == "zero":
            return None
        raise UnknownGradientError(f"operation {op.name!r} has no rule for tangents; give custom_gradient a jvp")
    saved = node.saved or ()
    if graph:
        saved = tuple(s if type(s) is Like else make(s, n) for s, n in zip(saved, (node, *node.inputs), strict=True))
    else:
        saved = tuple(np.float64(s) if type(s) is float else s for s in saved)
    y, *inputs = saved
    if lead or op.vjp_all is not None:
        tangents = _prepared(op, tangents, y, inputs, lead)
    out = op.jvp(tangents, y, *inputs, **node.params)
    if op.users:
        out = out if graph else plain(out)
    return fit(out, node.like, lead)


def _prepared(op: Op, tangents: tuple[Any, ...], y: Any, inputs: list[Any], lead: int) -> tuple[Any, ...]:
    """Tangents that a rule can take as they are: leading axes meet no axis of another input, and joints lack none.

    Axes of length 1 follow the leading ones; should they be more than needed, :func:`fit` takes them away again.
    """
    shapes = [np.shape(plain(x)) for x in (y, *inputs)]
    given = next(t for t in tangents if t is not None)
    if op.family == "linear" and len(inputs) > 1:
        dtype = plain(given).dtype if hasattr(given, "dtype") else np.dtype(float)
        ahead = np.shape(plain(given))[:lead]
        tangents = tuple(
            np.zeros(ahead + shape, dtype) if t is None else t for t, shape in zip(tangents, shapes[1:], strict=True)
        )
    if not lead or op.family == "general":
        return tangents
    axes = lead + max(map(len, shapes)) + (op.family == "bilinear")
    return tuple(t if t is None else _widened(t, axes, lead) for t in tangents)


def _widened(t: Any, axes: int, lead: int) -> Any:
    return t.reshape(t.shape[:lead] + (1,) * (axes - t.ndim) + t.shape[lead:]) if t.ndim < axes else t


def _one_by_one(node: Node, tangents: tuple[Any, ...], lead: int) -> Any:
    """Each leading entry by itself."""
    count = next(np.shape(plain(t))[0] for t in tangents if t is not None)
    each = [
        push_node(node, tuple(None if t is None else normal(t[k]) for t in tangents), lead - 1) for k in range(count)
    ]
    like = node.like or SCALAR
    return np.stack([plain(e) for e in each]) if each else np.zeros((0, *like.shape), like.dtype)


def _transposed(node: Node, tangents: tuple[Any, ...]) -> Any:
    """A custom gradient gave only its pull. Pulls are linear, so the push is the pull of the pull, an entry a sweep."""
    from autodiff_kit.core.sweep import pull_node

    like = node.like or SCALAR
    eye = np.eye(int(np.prod(like.shape, dtype=int)), dtype=like.dtype)
    total = []
    for row in eye:
        parts = dict(pull_node(node, normal(row.reshape(like.shape)), 0, False, None))
        found = [
            np.sum(plain(parts[n]) * plain(t))
            for n, t in zip(node.inputs, tangents, strict=True)
            if t is not None and n in parts
        ]
        total.append(sum(found, np.float64(0.0)))
    return normal(np.array(total, like.dtype).reshape(like.shape))


def push(nodes: list[Node], seeds: dict[Node, Any], lead: int = 0) -> dict[Node, Any]:
    """Carry tangents from some nodes forward through a record.

    Parameters
    ----------
    nodes : list of Node
        In the order in which they ran, with what they saved.
    seeds : dict of Node to array
        Tangents to begin with, with ``lead`` leading axes.
    lead : int
        Number of leading axes.
    """
    tangents = dict(seeds)
    for node in nodes:
        incoming = tuple(None if n is None else tangents.get(n) for n in node.inputs)
        if node not in seeds and any(t is not None for t in incoming):
            t = push_node(node, incoming, lead)
            if t is not None:
                tangents[node] = t
    return tangents


class _Pushing(Record):
    """A record that keeps no nodes: what is appended is pushed through at once.

    Tangents stand on the nodes, so they live as long as the values that they belong to and no longer.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.forward = True
        self.keep = True

    def open(self) -> None:
        self.page = self

    def tangent(self, node: Node | None) -> Any:
        """The tangent of a node; None where it has none."""
        return None if node is None else node.get("tangents", {}).get(self)

    def set_tangent(self, node: Node, tangent: Any) -> None:
        if node.get("tangents") is None:
            node.put("tangents", WeakKeyDictionary())  # a constant must not remember accumulators that are gone
        node.get("tangents")[self] = tangent

    def append(self, node: Node) -> None:
        """Push the tangents of a node's inputs through it."""
        incoming = tuple(map(self.tangent, node.inputs))
        if any(t is not None for t in incoming):
            # The rule's own operations must not be pushed through here again, nor by accumulators inside this one.
            order = open_records.records
            mine = order.index(self) if self in order else 0
            inner = [r for r in order[mine:] if r.forward and r.page is not None]
            graph = any(r.page is not None and r not in inner for r in order)
            for record in inner:
                record.close()
            try:
                tangent = push_node(node, incoming, 0, graph)
            finally:
                for record in inner:
                    record.open()
            if tangent is not None:
                self.set_tangent(node, tangent)
        if node.record is self:  # no tape will want to come back this way
            node.parts = NOTHING


class ForwardAccumulator:
    """Compute Jacobian-vector products along with the values.

    Parameters
    ----------
    primals : Tensor, Variable, or nest
        Where the tangents begin.
    tangents : array_like, or nest
        In the structure of ``primals``, each with its primal's shape and dtype.

    Raises
    ------
    ShapeError, DtypeError
        If a tangent's shape or dtype is not its primal's.
    StructureError
        If a primal is given twice, or the structures differ.

    Notes
    -----
    **Cost.** Each operation also pushes its tangent: two to three times the plain computation, no record, and memory
    that does not grow with the number of operations.

    Examples
    --------
    >>> x = ak.constant([1.0, 2.0, 3.0])
    >>> with ak.ForwardAccumulator(x, [1.0, 0.0, -1.0]) as acc:
    ...     y = ak.prod(x) * ak.sin(x)
    >>> acc.jvp(y).numpy().round(4)
    array([6.6077, 3.6372, 6.5044])
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._record = _Pushing()
        self._record.close()
        flat = flatten(primals)
        given = flatten_like(primals, tangents)
        if len({id(p) for p in flat}) < len(flat):
            raise StructureError("a primal was given twice; add its tangents and give it once")
        self._pairs = [(p, _tangent(p, t)) for p, t in zip(flat, given, strict=True)]

    def __enter__(self) -> ForwardAccumulator:
        record = self._record
        if record in open_records.records:
            raise TapeError("this accumulator is running already; leave its block before entering it again")
        record.open()
        open_records.records.append(record)
        for primal, tangent in self._pairs:
            record.set_tangent(_follow(primal, record), tangent)
        return self

    def __exit__(self, *_: object) -> None:
        self._record.close()
        open_records.records.remove(self._record)

    def jvp(self, target: Any, unconnected_gradients: str = "none") -> Any:
        """The tangent of each target, in the target's structure.

        Parameters
        ----------
        target : Tensor, Variable, or nest
        unconnected_gradients : {"none", "zero"}
            What a target gets that depends on no primal.

        Returns
        -------
        nest of Tensor or None
        """
        if unconnected_gradients not in ("none", "zero"):
            raise StructureError(f'unconnected_gradients is "none" or "zero", not {unconnected_gradients!r}')
        return pack_like(target, [self._tangent_of(t, unconnected_gradients) for t in flatten(target)])

    def _tangent_of(self, value: Any, policy: str) -> Tensor | None:
        if isinstance(value, Variable):
            hit = self._record.leaves.get(id(value))
            node = hit.first.node if hit is not None else None
        elif isinstance(value, Tensor):
            node = value.node
        else:
            raise DtypeError(f"a target is a tensor or a variable, not {type(value).__name__}")
        found = self._record.tangent(node)
        if found is None:
            return lift(np.zeros(value.shape, value.dtype)) if policy == "zero" else None
        return found if type(found) is Tensor else make(found)


def _tangent(primal: Any, tangent: Any) -> Any:
    if not isinstance(primal, Value):
        raise DtypeError(f"a primal is a tensor or a variable, not {type(primal).__name__}; use ak.constant(x)")
    if np.shape(plain(tangent)) != primal.shape:
        raise ShapeError(
            f"the tangent has shape {np.shape(plain(tangent))}, its primal {primal.shape}; they must agree"
        )
    if isinstance(tangent, Value):
        if tangent.dtype != primal.dtype:
            raise DtypeError(f"the tangent has dtype {tangent.dtype}, its primal {primal.dtype}; they must agree")
        return lift(tangent) if lift(tangent).node is not None else tangent._value
    array = np.asarray(tangent)
    if array.dtype != primal.dtype and not np.can_cast(array.dtype, primal.dtype, "same_kind"):
        raise DtypeError(f"the tangent has dtype {array.dtype}, its primal {primal.dtype}; they must agree")
    return normal(array.astype(primal.dtype))


def _follow(primal: Value, record: Record) -> Node:
    """Put a primal on the accumulator's record."""
    return follow_variable(primal, record) if isinstance(primal, Variable) else lift(primal).follow(record)
