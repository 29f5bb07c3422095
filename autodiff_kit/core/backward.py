"""The reverse sweep: a record, from its end to its beginning."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.modes import absorbed, inspect_part, modes
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import Like, Node
from autodiff_kit.core.tensor import Tensor, array, make, normal, plain
from autodiff_kit.errors import NumbersAskedError, ShapeError, StructureError, UnknownGradientError

__all__ = ["SCALAR", "TROUBLE", "Cotangents", "fit", "needed_for", "pull_node", "sweep", "through_hooks"]

SCALAR = Like((), np.dtype(np.float64))
"""Shape and dtype of a Python float."""

_LOCK = threading.RLock()  # cotangents stand on the nodes while a sweep runs, and threads may share nodes
TROUBLE = (ZeroDivisionError, OverflowError, ValueError, NumbersAskedError)


def fit(g: Any, like: Like | None, lead: int = 0) -> Any:
    """Bring a cotangent to the shape and dtype of its source: the one place where broadcasting is undone.

    Parameters
    ----------
    g : float, ndarray or Tensor
        A cotangent with ``lead`` extra axes in front.
    like : Like or None
        What the source is; None for a Python float.
    lead : int
        Number of leading axes: one for a whole Jacobian or a batch of examples.
    """
    shape, dtype = like or SCALAR
    if type(g) is np.ndarray:
        if g.dtype is dtype and like is not None and not lead:
            if g.shape == shape:
                return g
            if shape and g.shape[1:] == shape and dtype.char != "e":
                return _add_up(g, 0)  # a bias, which was added to each row
    elif type(g) is not Tensor:
        if like is None and isinstance(g, float) and not lead:
            return float(g)
        g = array(g)
    elif like is None and type(g._value) is float and not lead:
        return g
    extra = g.ndim - lead - len(shape)
    if extra > 0:
        g = _sum(g, tuple(range(lead, lead + extra)), False)
    if extra >= 0 and 1 in shape:
        ones = tuple(k - len(shape) for k, n in enumerate(shape) if n == 1 and g.shape[k - len(shape)] != 1)
        g = _sum(g, ones, True) if ones else g
    if g.dtype != dtype:
        g = g.astype(dtype)
    if extra < 0 or g.shape[g.ndim - len(shape) :] != shape:
        g = _broadcast(g, shape, lead)
    return normal(g) if type(g) is not Tensor else g


def _sum(g: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if type(g) is not np.ndarray:
        return g.sum(axis=axes, keepdims=keepdims)
    if g.dtype == np.float16:  # sixteen bits are too few to add up in
        return g.sum(axis=axes, keepdims=keepdims, dtype=np.float32).astype(np.float16)
    return _add_up(g, axes, None, None, keepdims)


_add_up: Any = np.add.reduce


def _broadcast(g: Any, shape: tuple[int, ...], lead: int) -> Any:
    full = g.shape[:lead] + shape
    if type(g) is np.ndarray and not g.ndim:  # of most losses; np.broadcast_to takes five times as long
        spread = np.ndarray(full, g.dtype, g, 0, (0,) * len(full))
        spread.flags.writeable = False
        return spread
    if len(full) > g.ndim:
        g = g.reshape(g.shape[:lead] + (1,) * (len(full) - g.ndim) + g.shape[lead:])
    return np.broadcast_to(g, full)


def needed_for(nodes: list[Node], sources: set[Node]) -> set[Node]:
    """The nodes that depend on one of the sources, the sources among them."""
    needed = set(sources)
    for node in nodes:
        if any(n in needed for n in node.inputs if n is not None):
            needed.add(node)
    return needed


def sweep(
    nodes: list[Node],
    *,
    lead: int = 0,
    graph: bool = False,
    needed: set[Node] | None = None,
    keep: set[Node] | None = None,
    hooks: dict[Node, list[Callable[[Any], Any]]] | None = None,
) -> None:
    """Carry the cotangents that stand on some nodes back to all that they depend on.

    Parameters
    ----------
    nodes : list of Node
        In the order in which they ran.
    lead : int
        Leading axes of the cotangents.
    graph : bool
        Whether the rules run on tensors, so that open tapes record the sweep itself.
    needed : set of Node, optional
        Nodes to pass through; by default all.
    keep : set of Node, optional
        Nodes whose cotangent stays on them, to be read afterwards.
    hooks : dict, optional
        Functions that see, and may replace, a node's cotangent.
    """
    if not (lead or graph or keep or hooks or needed is not None or modes.absorbs or modes.anomalies):
        _plain_sweep(nodes)
        return
    for node in reversed(nodes):
        g = node.cot
        if g is None:
            continue
        if keep is None or node not in keep:
            node.cot = None
        if needed is not None and node not in needed:
            continue
        if hooks and node in hooks:
            g = through_hooks(hooks[node], g, node, lead)
            node.cot = g if keep is not None and node in keep else None
        for n, part in pull_node(node, g, lead, graph, needed):
            if modes.anomalies:
                inspect_part(nodes, node, g, n, part)
            n.cot = part if n.cot is None else n.cot + part


def _plain_sweep(nodes: list[Node]) -> None:  # noqa: C901 - written out for speed
    """The sweep of nearly all gradients, with the rules of one and two inputs called in line. Otherwise the same."""
    for node in reversed(nodes):
        g = node.cot
        if g is None:
            continue
        node.cot = None
        first, second, told = node.op.plain
        if first is None:
            _hand_on(node, g)
            continue
        if second is None:
            n, y, a = node.parts
            try:
                if told:
                    p = _told(first, g, y, a, node.rest["params"])
                else:
                    p = first(g, y, a)
            except TROUBLE:  # Python floats raise where NumPy's give inf or nan
                _hand_on(node, g)
                continue
            if type(p) is not float or type(n) is not Tensor:
                p = fit(p, n.like)
            before = n.cot
            n.cot = p if before is None else before + p
            continue
        n, m, y, a, b = node.parts
        if n is not None:
            try:
                p = first(g, y, a, b)
            except TROUBLE:
                _hand_on(node, g)
                continue
            if type(p) is not float or type(n) is not Tensor:
                p = fit(p, n.like)
            before = n.cot
            n.cot = p if before is None else before + p
        if m is not None:
            try:
                p = second(g, y, a, b)
            except TROUBLE:
                _hand_on(node, g, first=1)
                continue
            if type(p) is not float or type(m) is not Tensor:
                p = fit(p, m.like)
            before = m.cot
            m.cot = p if before is None else before + p


def _told(rule: Any, g: Any, y: Any, a: Any, params: dict[str, Any]) -> Any:
    """A rule that is told more than values; these count on the shape and dtype that Python's floats do not have."""
    g, a = np.float64(g) if type(g) is float else g, np.float64(a) if type(a) is float else a
    return rule(g, np.float64(y) if type(y) is float else y, a, **params)


def _hand_on(node: Node, g: Any, first: int = 0) -> None:
    for n, part in pull_node(node, g, 0, False, None, first):
        n.cot = part if n.cot is None else n.cot + part


def pull_node(
    node: Node, g: Any, lead: int, graph: bool, needed: set[Node] | None, first: int = 0
) -> list[tuple[Node, Any]]:
    """What one node hands to each of its inputs: ``(input, cotangent)`` pairs, fitted to the inputs."""
    op = node.op
    if op.vjps is None and op.vjp_all is None:
        if op.family != "zero":
            raise UnknownGradientError(
                f"operation {op.name!r} has no gradient. Register one with @ak.register_gradient and use "
                f"ak.gradient_override_map({{{op.key!r}: name}}), or stop the path with ak.stop_gradient."
            )
        return []
    if op.rows is not None and not (lead or graph) and (n := node.inputs[0]) is not None and n.op is None:
        rows = op.rows(g, n.like, **node.params)
        if rows is not None:
            return [(n, rows)]
    arguments = _arguments(node, graph)
    g = np.float64(g) if type(g) is float else g
    parts = _all_parts(op, node, g, arguments, graph, lead) if op.vjps is None else None
    params = node.params
    found = []
    for k, n in enumerate(node.inputs):
        if n is None or k < first or not (needed is None or n in needed):
            continue
        if parts is not None:
            part = parts[k]
        else:
            part = ruled(op.vjps[k], (g, *arguments), params)
            if modes.absorbs and op.family == "elementwise":
                part = absorbed(part, g)
        if part is not None:
            found.append((n, part if type(part) is RowGradient else fit(part, n.like, lead)))
    return found


def ruled(rule: Any, arguments: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """What a rule gives; one that needs numbers where there are none yet is recorded as a call of itself."""
    try:
        return rule(*arguments, **params)
    except NumbersAskedError as asked:
        first = arguments[0] if type(arguments[0]) is tuple else ()
        if asked.recorder is None or any(type(x) is Tensor for x in (*first, *arguments)):
            raise
        return asked.recorder.call(rule, arguments, params)


def _arguments(node: Node, graph: bool) -> tuple[Any, ...]:
    """The saved values; as tensors with their nodes where the sweep itself is recorded."""
    saved = node.saved
    if saved is None:
        raise StructureError(f"the record of {node.op.name!r} was released")
    if graph:
        nodes = (node, *node.inputs)
        return tuple([s if type(s) is Like else make(s, n) for s, n in zip(saved, nodes, strict=True)])
    return tuple([np.float64(s) if type(s) is float else s for s in saved])  # these never raise


def _all_parts(op: Op, node: Node, g: Any, arguments: tuple[Any, ...], graph: bool, lead: int) -> dict[int, Any]:
    """Gradients of all inputs from one rule; a user's rule is given tensors whatever the sweep runs on."""
    rule = op.vjp_all
    if rule is None:
        return {}
    if op.users and lead:  # it knows nothing of leading axes: one call for each entry
        each = [_all_parts(op, node, g[k], arguments, graph, lead - 1) for k in range(g.shape[0])]
        return {k: _stacked([parts[k] for parts in each]) for k in range(len(node.inputs))}
    params = node.params
    if op.users and not graph:
        tensors = tuple(s if type(s) is Like else make(normal(s)) for s in arguments)
        parts = rule(make(normal(g)), *tensors, **params)
    else:
        parts = ruled(rule, (g, *arguments), params)
    if not isinstance(parts, (tuple, list)):
        parts = (parts,)
    if len(parts) != len(node.inputs):
        raise StructureError(
            f"the gradient of {op.name!r} returned {len(parts)} values for {len(node.inputs)} inputs; return one each"
        )
    for part, n in zip(parts, node.inputs, strict=True):
        _check_shape(op, part, n)
    return dict(enumerate(parts if graph else map(plain, parts)))


def _stacked(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    return v.stack(parts, axis=-1 - np.ndim(plain(parts[0]))) if type(parts[0]) is Tensor else np.stack(parts)


def _check_shape(op: Op, part: Any, n: Node | None) -> None:
    shape = (n.like or SCALAR).shape if n is not None else None
    if not op.users or part is None or shape is None:
        return
    try:
        np.broadcast_shapes(np.shape(plain(part)), shape)
    except ValueError as error:
        raise ShapeError(
            f"the gradient of {op.name!r} has shape {np.shape(plain(part))}, its input {shape}; they must agree"
        ) from error


def through_hooks(hooks: list[Callable[[Any], Any]], g: Any, node: Node, lead: int) -> Any:
    """A cotangent after a node's hooks have seen, and perhaps replaced it."""
    raw = type(g) is not Tensor
    for hook in hooks:
        new = hook(make(normal(g)) if raw else g)
        if new is not None:
            g = fit(plain(new) if raw else new, node.like, lead)
            raw = type(g) is not Tensor
    return g


class Cotangents:
    """Nodes carry cotangents inside this block; afterwards none does, whatever happened.

    A rule may itself ask a tape for a gradient. Then the inner block puts the outer one's cotangents aside.
    """

    _depth = 0

    def __init__(self, nodes: list[Node], leaves: tuple[Node | None, ...]) -> None:
        self.nodes = nodes
        self.leaves = leaves

    def __enter__(self) -> None:
        _LOCK.acquire()
        Cotangents._depth += 1
        self.aside: list[tuple[Node, Any]] = []
        if Cotangents._depth > 1:
            self.aside = [(n, n.cot) for n in (*self.nodes, *self.leaves) if n is not None and n.cot is not None]
            for node, _ in self.aside:
                node.cot = None

    def __exit__(self, kind: Any, *_: Any) -> None:
        for leaf in self.leaves:
            if leaf is not None:
                leaf.cot = None
        if kind is not None:
            for node in self.nodes:
                for n in (node, *node.inputs):
                    if n is not None:
                        n.cot = None
        for node, g in self.aside:
            node.cot = g
        Cotangents._depth -= 1
        _LOCK.release()
