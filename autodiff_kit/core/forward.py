"""Forward mode: tangents run along with the values, or through a record that stands already."""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from autodiff_kit.core.backward import SCALAR, TROUBLE, fit, ruled
from autodiff_kit.core.modes import absorbed, modes
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.pytree import flatten, flatten_like, pack_like
from autodiff_kit.core.record import NOTHING, UNUSUAL, ArrayNode, Like, Node, Record, leaf, open_records
from autodiff_kit.core.tensor import Tensor, Value, Variable, array, follow_variable, lift, make, normal, plain
from autodiff_kit.core.validation import word
from autodiff_kit.errors import DtypeError, OpenTapeError, ShapeError, StructureError, UnknownGradientError

__all__ = ["ForwardAccumulator", "Pushing", "push", "push_node", "tangent_of"]


def push_node(node: Node, tangents: tuple[Any, ...], lead: int = 0, graph: bool = False) -> Any:
    """The tangent of a node's answer, from those of its inputs (None: the input has none); None where it ends."""
    op: Op = node.op
    # A user's rule knows nothing of leading axes; of several inputs some may have axes in front that others have not.
    if lead and (op.users or (op.family == "general" and len(tangents) > 1)):
        return _one_by_one(node, tangents, lead, graph)
    if lead and op.family == "bilinear" and all(t is not None for t in tangents):
        first, second = tangents  # their products may differ in rank until each has been fitted
        return push_node(node, (first, None), lead, graph) + push_node(node, (None, second), lead, graph)
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
    if modes.absorbs and op.family == "elementwise":
        out = _absorbing(op, tangents, y, inputs, node.params)
    else:
        out = ruled(op.jvp, (tangents, y, *inputs), node.params)
    if op.users:
        out = out if graph else plain(out)
    return fit(out, node.like, lead)


def _absorbing(op: Op, tangents: tuple[Any, ...], y: Any, inputs: list[Any], params: dict[str, Any]) -> Any:
    """The tangent of an entry-by-entry operation, where a tangent of 0 stays 0 however steep the slope."""
    rules = zip(op.vjps or (), tangents, strict=True)
    parts = [absorbed(rule(t, y, *inputs, **params), t) for rule, t in rules if t is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _prepared(op: Op, tangents: tuple[Any, ...], y: Any, inputs: list[Any], lead: int) -> tuple[Any, ...]:
    """Tangents that a rule can take as they are: leading axes meet no axis of another input, and joints lack none.

    Axes of length 1 follow the leading ones; should they be more than needed, :func:`fit` takes them away again.
    """
    shapes = [np.shape(plain(x)) for x in (y, *inputs)]
    given = next(t for t in tangents if t is not None)
    if op.family == "linear" and len(inputs) > 1:
        dtype = getattr(given, "dtype", np.float64)  # a float is its own
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


def _one_by_one(node: Node, tangents: tuple[Any, ...], lead: int, graph: bool) -> Any:
    """Each leading entry by itself."""
    count = next(np.shape(plain(t))[0] for t in tangents if t is not None)
    parts = [tuple(None if t is None else (t[k] if graph else normal(t[k])) for t in tangents) for k in range(count)]
    each = [push_node(node, part, lead - 1, graph) for part in parts]
    like = node.like or SCALAR
    if not each:
        return np.zeros((0, *like.shape), like.dtype)
    return v.stack(each, axis=-1 - np.ndim(plain(each[0]))) if graph else np.stack([plain(e) for e in each])


def _transposed(node: Node, tangents: tuple[Any, ...]) -> Any:
    """A custom gradient gave only its pull. Pulls are linear, so the push is the pull of the pull, an entry a sweep."""
    from autodiff_kit.core.backward import pull_node

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


def push(nodes: list[Node], seeds: dict[Node, Any], lead: int = 0, graph: bool = False) -> dict[Node, Any]:
    """Carry tangents from some nodes forward through a record.

    Parameters
    ----------
    nodes : list of Node
        In the order in which they ran, with what they saved.
    seeds : dict of Node to array
        Tangents to begin with, with ``lead`` leading axes.
    lead : int
        Number of leading axes.
    graph : bool
        Whether the rules run on tensors, so that open tapes record the push itself.
    """
    tangents: dict[Any, Any] = dict(seeds)
    known = tangents.get
    usual = not (lead or graph or modes.absorbs)
    for node in nodes:
        parts = node.parts
        incoming = tuple([known(n) for n in parts[: len(parts) // 2]])
        for t in incoming:
            if t is not None and node not in tangents:
                out = _straight(node, incoming) if usual else push_node(node, incoming, lead, graph)
                if out is not None:
                    tangents[node] = out
                break
    return tangents


def _straight(node: Node, tangents: tuple[Any, ...]) -> Any:
    """:func:`push_node` where nothing is out of the ordinary."""
    op = node.op
    if not op.direct:
        return push_node(node, tangents)
    try:
        return fit(moved(op, tangents, node.parts[len(tangents) :], node.params), node.like)
    except TROUBLE:
        return push_node(node, tangents)


_NONE: dict[str, Any] = {}


def moved(op: Any, tangents: Sequence[Any], saved: Any, params: dict[str, Any] | None) -> Any:
    """What the rule says, on plain values; Python floats raise where NumPy's give inf or nan."""
    if op.family != "elementwise" and float in map(type, saved):
        saved = [np.float64(s) if type(s) is float else s for s in saved]
    return op.jvp(tangents, *saved, **params) if params else op.jvp(tangents, *saved)


class Pushed(ArrayNode):
    """The entry of a value that one accumulator alone follows: it has a tangent, and no history."""

    __slots__ = ("home", "tangent")
    home: Pushing
    tangent: Any


class Pushing(Record):
    """A record that keeps no nodes: what is appended is pushed through at once.

    Tangents stand on the nodes, so they live as long as the values that they belong to and no longer. A step, where
    one is kept, is the operation, its node, the nodes that it read, answer and inputs, their tangents, and parameters.
    """

    __slots__ = ("private", "steps")

    def __init__(self) -> None:
        super().__init__()
        self.forward = True
        self.keep = True
        self.private = False  # whether nobody may ask for its tangents, so that no tape need record them
        self.steps: list[Any] | None = None  # what ran, where somebody wants to come back this way

    def open(self) -> None:
        """Let operations in, from this thread."""
        super().open()
        self.page = self

    def __enter__(self) -> Self:
        self.open()
        open_records.records.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        open_records.records.remove(self)

    def tangent(self, node: Node | None) -> Any:
        """The tangent of a node; None where it has none."""
        if type(node) is Pushed and node.home is self:
            return node.tangent
        return None if node is None else node.get("tangents", {}).get(self)

    def tangent_of(self, value: Any, policy: str) -> Tensor | None:
        """The tangent of a value, as a tensor; None or zeros where it has none."""
        if isinstance(value, Variable):
            hit = self.leaves.get(id(value))
            node = hit.first.node if hit is not None else None
        elif isinstance(value, Tensor):
            node = value.node
        else:
            raise DtypeError(f"a target is a tensor or a variable, not {type(value).__name__}")
        found = self.tangent(node)
        if found is None:
            return lift(np.zeros(value.shape, value.dtype)) if policy == "zero" else None
        return found if type(found) is Tensor else make(found)

    def start(self, tensor: Tensor, tangent: Any) -> Node:
        """Follow a tensor from here on, and put a tangent on it."""
        if tensor.node is not None or type(tangent) is Tensor:
            node = tensor.follow(self)
            self.set_tangent(node, tangent)
            return node
        own = Pushed()
        own.like = None if type(tensor._value) is float else Like.of(tensor._value)  # type: ignore[assignment]
        own.home, own.tangent = self, tangent
        tensor._node = own
        return leaf(own, self)

    def carry(
        self, op: Op, y: Any, values: tuple[Any, ...], nodes: tuple[Node | None, ...], params: dict[str, Any] | None
    ) -> Tensor | None:
        """The answer of an operation, with its tangent; None where that takes the long way, by :meth:`append`."""
        if UNUSUAL or not op.direct or self.thread != get_ident():
            return None
        tangents, moves = [], False
        for n in nodes:
            t = None
            if n is not None:
                t = n.tangent if type(n) is Pushed and n.home is self else self.tangent(n)
                if type(t) is Tensor:
                    return None
                moves = moves or t is not None
            tangents.append(t)
        if not moves:
            return None
        try:
            if params or op.family != "elementwise":
                tangent = moved(op, tangents, (y, *values), params)
            else:
                tangent = op.jvp(tangents, y, *values)  # type: ignore[misc]
        except TROUBLE:
            return None
        tensor, node = Tensor(), Pushed()
        tensor._value, tensor._node, tensor.record = y, node, None
        like = node.like = None if type(y) is float else Like.of(y)  # type: ignore[assignment]
        node.home = node.record = self
        node.tangent = tangent = fit(tangent, like)
        node.op, node.parts, node.cot, node.code, node.lasti = op, NOTHING, None, None, 0
        if self.steps is not None:
            self.steps.append((op, node, nodes, (y, *values), (tangent, *tangents), params or _NONE))
        return tensor

    def set_tangent(self, node: Node, tangent: Any) -> None:
        """Put a tangent on a node."""
        if node.get("tangents") is None:
            node.put("tangents", WeakKeyDictionary())  # a constant must not remember accumulators that are gone
        node.get("tangents")[self] = tangent

    def append(self, node: Node) -> None:
        """Push the tangents of a node's inputs through it."""
        incoming = tuple(map(self.tangent, node.inputs))
        if any(t is not None for t in incoming):
            alone = node.record is self and not _unusual(node.op, incoming)
            tangent = _straight(node, incoming) if alone else self._behind(node, incoming)
            if tangent is not None:
                self.set_tangent(node, tangent)
            if self.steps is not None:
                self.steps.append((node.op, node, node.inputs, node.saved, (tangent, *incoming), node.params))
        if node.record is self:
            node.parts = NOTHING

    def _behind(self, node: Node, incoming: tuple[Any, ...]) -> Any:
        """:func:`push_node`, while accumulators from this one inwards look away: it is not theirs."""
        order = open_records.records
        mine = order.index(self) if self in order else 0
        inner = [r for r in order[mine:] if (r.forward or self.private) and r.page is not None]
        graph = any(r.page is not None and r not in inner for r in order)
        for record in inner:
            record.close()
        try:
            return push_node(node, incoming, 0, graph)
        finally:
            for record in inner:
                record.open()


def _unusual(op: Op, tangents: tuple[Any, ...]) -> bool:
    """Whether a push is more than a call of the rule on plain values."""
    if UNUSUAL or not op.direct:
        return True
    unmoved = True
    for t in tangents:
        if t is not None:
            unmoved = False
            if type(t) is Tensor:
                return True
    return unmoved


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
    ShapeError
        If a tangent's shape is not its primal's.
    StructureError
        If a tangent's dtype is not, a primal is given twice, or the structures differ.

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
        self._record = Pushing()
        self._record.close()
        flat = flatten(primals)
        given = flatten_like(primals, tangents)
        if len({id(p) for p in flat}) < len(flat):
            raise StructureError("a primal was given twice; add its tangents and give it once")
        self._pairs = [(p, tangent_of(p, t)) for p, t in zip(flat, given, strict=True)]

    def __enter__(self) -> ForwardAccumulator:
        record = self._record
        if record in open_records.records:
            raise OpenTapeError("this accumulator is running already; leave its block before entering it again")
        record.__enter__()
        for primal, tangent in self._pairs:
            record.set_tangent(_follow(primal, record), tangent)
        return self

    def __exit__(self, *_: object) -> None:
        self._record.__exit__()

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
        word("unconnected_gradients", unconnected_gradients, "none", "zero")
        return pack_like(target, [self._record.tangent_of(t, unconnected_gradients) for t in flatten(target)])


def tangent_of(primal: Any, tangent: Any) -> Any:
    """A tangent as it is carried, if it suits its primal."""
    if not isinstance(primal, Value):
        raise DtypeError(f"a primal is a tensor or a variable, not {type(primal).__name__}; use ak.constant(x)")
    shape = tangent.shape if isinstance(tangent, Value) else np.shape(normal(tangent))
    if shape != primal.shape:
        raise ShapeError(f"the tangent has shape {shape}, its primal {primal.shape}; they must agree")
    if isinstance(tangent, Value):
        if tangent.dtype != primal.dtype:
            raise StructureError(f"the tangent has dtype {tangent.dtype}, its primal {primal.dtype}; they must agree")
        return lift(tangent) if lift(tangent).node is not None else tangent._value
    given = array(tangent)
    if given.dtype != primal.dtype and not np.can_cast(given.dtype, primal.dtype, "same_kind"):
        raise StructureError(f"the tangent has dtype {given.dtype}, its primal {primal.dtype}; they must agree")
    return normal(given.astype(primal.dtype))


def _follow(primal: Value, record: Record) -> Node:
    """Put a primal on the accumulator's record."""
    return follow_variable(primal, record) if isinstance(primal, Variable) else lift(primal).follow(record)
