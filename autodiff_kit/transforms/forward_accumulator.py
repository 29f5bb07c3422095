"""Forward mode while a function runs: each operation also computes the tangent of its output; nothing is saved."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.fast_backward import FLOAT_ERRORS
from autodiff_kit.core.numpy_protocol import Value, canonical
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import ACTIVE_MODES, NO_PARTS, ArrayNode, Node, Record, make_leaf, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.core.validation import check_choice
from autodiff_kit.core.variable import Variable, attach_variable
from autodiff_kit.errors import DtypeError, OpenTapeError, ShapeError, StructureError, TapeError
from autodiff_kit.pytree import flatten, flatten_like, unflatten_like
from autodiff_kit.transforms.node_tangent import apply_jvp, fast_output_tangent, output_tangent

__all__ = ["ForwardAccumulator", "TangentRecord", "check_tangent"]


class TangentNode(ArrayNode):
    """The node of a value that only one accumulator follows: it has a tangent and no parts."""

    __slots__ = ("owner", "tangent")
    owner: TangentRecord
    tangent: Any


class TangentRecord(Record):
    """A record that keeps no nodes: the tangent of a node is computed when the node is appended.

    Tangents are attributes of the nodes, so they exist as long as the values themselves. ``history``, if present,
    has for each operation: the operation, its node, the nodes that it read, output and inputs, their tangents, and the
    parameters.
    """

    __slots__ = ("history", "private")

    def __init__(self) -> None:
        super().__init__()
        self.forward = True
        self.keep_all = True
        self.private = False  # its tangents are not returned, so no tape needs to record them
        self.history: list[Any] | None = None  # kept for forward over reverse

    def open(self) -> None:
        """Accept operations, from this thread."""
        super().open()
        self.sink = self

    def marks(self, kind: str, what: Any) -> bool:
        """Whether a value with a tangent has left; nobody asks an accumulator about anything else."""
        return kind == "left" and self.tangent(what if isinstance(what, Node) else None) is not None

    def note_operations(self) -> Callable[[], list[tuple[Node, tuple[Node | None, ...]]]]:
        """A function that gives the nodes of the operations from now on, each with the nodes that it read."""
        before = self.history
        history = self.history = [] if before is None else before
        first = len(history)

        def noted() -> list[tuple[Node, tuple[Node | None, ...]]]:
            self.history = before
            return [(step[1], step[2]) for step in history[first:]]

        return noted

    def __enter__(self) -> Self:
        self.open()
        open_records.records.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        open_records.records.remove(self)

    def tangent(self, node: Node | None) -> Any:
        """The tangent of a node; None if it has none."""
        if type(node) is TangentNode and node.owner is self:
            return node.tangent
        return None if node is None else node.get_extra("tangents", {}).get(self)

    def tangent_of(self, value: Any, policy: str) -> Tensor | None:
        """The tangent of a value, as a tensor; None or zeros if it has none."""
        if isinstance(value, Variable):
            hit = self.readings.get(id(value))
            node = hit.first.node if hit is not None else None
        elif isinstance(value, Tensor):
            node = value.node
        else:
            raise DtypeError(f"a target must be a tensor or a variable, got {type(value).__name__}")
        found = self.tangent(node)
        if found is None:
            return as_tensor(np.zeros(value.shape, value.dtype)) if policy == "zero" else None
        return found if type(found) is Tensor else wrap(found)

    def start(self, tensor: Tensor, tangent: Any) -> Node:
        """Follow a tensor from here on, with a tangent."""
        if tensor.node is not None or type(tangent) is Tensor:
            node = tensor.attach(self)
            self.set_tangent(node, tangent)
            return node
        own = TangentNode()
        own.spec = None if type(tensor._value) is float else ArraySpec.of(tensor._value)  # type: ignore[assignment]
        own.owner, own.tangent = self, tangent
        tensor._node = own
        return make_leaf(own, self)

    def take(
        self, op: Op, y: Any, values: tuple[Any, ...], nodes: tuple[Node | None, ...], params: dict[str, Any] | None
    ) -> Tensor | None:
        """The output of an operation, with its tangent; None if only :meth:`append` can compute the tangent."""
        if ACTIVE_MODES or not op.fast_jvp or self.thread != get_ident():
            return None
        tangents, moves = [], False
        for n in nodes:
            t = None
            if n is not None:
                t = n.tangent if type(n) is TangentNode and n.owner is self else self.tangent(n)
                if type(t) is Tensor:
                    return None
                moves = moves or t is not None
            tangents.append(t)
        if not moves:
            return None
        try:
            if params or op.family != "elementwise":
                tangent = apply_jvp(op, tangents, (y, *values), params)
            else:
                tangent = op.jvp(tangents, y, *values)  # type: ignore[misc]
        except FLOAT_ERRORS:
            return None
        tensor, node = Tensor(), TangentNode()
        tensor._value, tensor._node, tensor.record = y, node, None
        spec = node.spec = None if type(y) is float else ArraySpec.of(y)  # type: ignore[assignment]
        node.owner = node.record = self
        node.tangent = tangent = unbroadcast(tangent, spec)
        node.op, node.parts, node.cotangent, node.code, node.lasti = op, NO_PARTS, None, None, 0
        if self.history is not None:
            self.history.append((op, node, nodes, (y, *values), (tangent, *tangents), params or {}))
        return tensor

    def set_tangent(self, node: Node, tangent: Any) -> None:
        """Set the tangent of a node."""
        if node.get_extra("tangents") is None:
            node.set_extra("tangents", WeakKeyDictionary())  # a constant must not keep accumulators alive
        node.get_extra("tangents")[self] = tangent

    def append(self, node: Node) -> None:
        """Compute the tangent of a node from those of its inputs."""
        incoming = tuple(map(self.tangent, node.inputs))
        if any(t is not None for t in incoming):
            alone = node.record is self and not _needs_general_rule(node.op, incoming)
            tangent = fast_output_tangent(node, incoming) if alone else self._tangent_with_outer_records(node, incoming)
            if tangent is not None:
                self.set_tangent(node, tangent)
            if self.history is not None:
                self.history.append((node.op, node, node.inputs, node.saved, (tangent, *incoming), node.params))
        if node.record is self:
            node.parts = NO_PARTS

    def _tangent_with_outer_records(self, node: Node, incoming: tuple[Any, ...]) -> Any:
        """The tangent, computed while the accumulators from this one inwards are closed: they must not follow it."""
        order = open_records.records
        mine = order.index(self) if self in order else 0
        inner = [r for r in order[mine:] if (r.forward or self.private) and r.sink is not None]
        graph = any(r.sink is not None and r not in inner for r in order)
        for record in inner:
            record.close()
        try:
            return output_tangent(node, incoming, graph)
        finally:
            for record in inner:
                record.open()


def _needs_general_rule(op: Op, tangents: tuple[Any, ...]) -> bool:
    """Whether the tangent needs more than a call of the rule on plain values."""
    if ACTIVE_MODES or not op.fast_jvp:
        return True
    all_none = True
    for t in tangents:
        if t is not None:
            all_none = False
            if type(t) is Tensor:
                return True
    return all_none


class ForwardAccumulator:
    """Compute Jacobian-vector products along with the values.

    Parameters
    ----------
    primals : Tensor, Variable, or nest
        The values at which the tangents start.
    tangents : array_like, or nest
        In the structure of ``primals``, each with the shape of its primal. A tensor must have its dtype as well; all
        else is converted to it.

    Raises
    ------
    ShapeError
        If the shape of a tangent is not that of its primal.
    StructureError
        If a tangent is a tensor of another dtype than its primal, a primal is given twice, or the structures differ.

    Notes
    -----
    **Cost.** Each operation also computes its tangent: two to three times the plain computation. Nothing is recorded,
    and the memory does not grow with the number of operations.

    Examples
    --------
    >>> x = ak.constant([1.0, 2.0, 3.0])
    >>> with ak.ForwardAccumulator(x, [1.0, 0.0, -1.0]) as acc:
    ...     y = ak.prod(x) * ak.sin(x)
    >>> acc.jvp(y).numpy().round(4)
    array([6.6077, 3.6372, 6.5044])
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._record = TangentRecord()
        self._record.close()
        flat = flatten(primals)
        given = flatten_like(primals, tangents)
        if len({id(p) for p in flat}) < len(flat):
            raise StructureError("a primal was given twice; add its tangents and give it once")
        self._pairs = [(p, check_tangent(p, t)) for p, t in zip(flat, given, strict=True)]

    def __reduce__(self) -> Any:
        raise TapeError("a forward accumulator cannot be copied or pickled; compute the values in a new one")

    def __enter__(self) -> ForwardAccumulator:
        record = self._record
        if record in open_records.records:
            raise OpenTapeError("this accumulator is already running; leave its block before entering it again")
        record.__enter__()
        for primal, tangent in self._pairs:
            record.set_tangent(_attach(primal, record), tangent)
        return self

    def __exit__(self, *_: object) -> None:
        self._record.__exit__()

    def jvp(self, target: Any, unconnected_gradients: str = "none") -> Any:
        """The tangent of each target, in the structure of the targets.

        Parameters
        ----------
        target : Tensor, Variable, or nest
        unconnected_gradients : {"none", "zero"}
            The result for a target that depends on no primal: None or zeros.

        Returns
        -------
        nest of Tensor or None
        """
        check_choice("unconnected_gradients", unconnected_gradients, "none", "zero")
        return unflatten_like(target, [self._record.tangent_of(t, unconnected_gradients) for t in flatten(target)])


def check_tangent(primal: Any, tangent: Any) -> Any:
    """A tangent in canonical form, if its shape and dtype are those of its primal."""
    if not isinstance(primal, Value):
        raise DtypeError(f"a primal must be a tensor or a variable, got {type(primal).__name__}; use ak.constant(x)")
    shape = tangent.shape if isinstance(tangent, Value) else np.shape(canonical(tangent))
    if shape != primal.shape:
        raise ShapeError(f"the tangent has shape {shape}, but its primal has {primal.shape}; they must be equal")
    if isinstance(tangent, Value):
        if tangent.dtype != primal.dtype:
            raise StructureError(
                f"the tangent has dtype {tangent.dtype}, but its primal has {primal.dtype}; they must be equal"
            )
        return as_tensor(tangent) if as_tensor(tangent).node is not None else tangent._value
    given = as_array(tangent)
    if given.dtype != primal.dtype and not np.can_cast(given.dtype, primal.dtype, "same_kind"):
        raise StructureError(
            f"the tangent has dtype {given.dtype}, but its primal has {primal.dtype}; they must be equal"
        )
    return canonical(given.astype(primal.dtype))


def _attach(primal: Value, record: Record) -> Node:
    """Put a primal on the accumulator's record."""
    return attach_variable(primal, record) if isinstance(primal, Variable) else as_tensor(primal).attach(record)
