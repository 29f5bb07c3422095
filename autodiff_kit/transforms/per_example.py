"""A gradient for each example of a batch, in one sweep.

The losses of a batch come from one forward pass. On the way back, row b of the losses belongs to example b, and most
operations keep it so: row b of what they read is seen by example b alone. Such a cotangent stands as it does in an
ordinary sweep; an example's part of it is its rows (``rows``). Where a value is read by all examples, a bias that was
broadcast, the right side of a matrix product, rows of a table, its cotangent gets an axis for the examples in front
(``each``), and from there on the sweep is that of a Jacobian.

:mod:`autodiff_kit.transforms.batching_rules` says of an operation which of the two holds. Of whatever it does not know,
nothing is assumed: the rows are laid out one example at a time, which is the definition, and costs a factor of B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.backward import needed_for, pull_node
from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.operation import v
from autodiff_kit.core.pytree import flatten, pack_like
from autodiff_kit.core.record import Node, open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.targets import seed_like, zeros_like
from autodiff_kit.core.tensor import Tensor, Value, lift, make, normal, plain
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.transforms.batching_rules import Examples, shared_part, stays_apart

__all__ = ["per_example_gradients"]

LIMIT = 1 << 26
"""Bytes to which rows may be laid out one example at a time; beyond, the examples go in parts."""


def per_example_gradients(loss_fn: Callable[..., Any], variables: Any, *batch: Any, weights: Any = None) -> Any:
    """The gradient of each example's loss.

    Parameters
    ----------
    loss_fn : callable
        ``loss_fn(*batch)`` gives the losses ``(B,)``, one for each example; it runs once.
    variables : Variable, Tensor, or nest
        With respect to what.
    *batch : array_like or nest
        What ``loss_fn`` is given, with the examples along the first axis.
    weights : array_like, optional
        ``(B,)``; a factor for each example.

    Returns
    -------
    nest of Tensor
        In the structure of ``variables``, each with a first axis of B. What the losses do not depend on gets zeros.

    Raises
    ------
    ShapeError
        If the losses are not one for each example, or the weights do not fit them.
    DtypeError
        If a variable does not hold floating values.

    Notes
    -----
    **Shapes.** ``(B, *variable.shape)``; the sum over the first axis is the gradient of the sum of the losses.
    **Cost.** One sweep and the writing of the answer, where each example has rows of its own along the first axis:
    elementwise operations, matrix products, softmax, sums over other axes, reshapes that keep the first axis, rows of
    tables. Where examples mix, or an operation has a gradient of the user's, up to B times as much from there on, in
    parts of bounded memory. Inside an open tape the sweep is recorded, and can be differentiated.

    Examples
    --------
    >>> w = ak.Variable([1.0, 2.0])
    >>> x = np.array([[1.0, 0.0], [3.0, 1.0], [0.0, 2.0]])
    >>> ak.per_example_gradients(lambda x: (x @ w) ** 2, w, x).numpy()
    array([[ 2.,  0.],
           [30., 10.],
           [ 0., 16.]])
    """
    sources = flatten(variables)
    _check(loss_fn, sources)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variables)
        losses = _losses(loss_fn(*batch), batch)
    return pack_like(variables, _by_sweep(tape, losses, sources, _factors(weights, losses)))


def _check(loss_fn: Any, sources: list[Any]) -> None:
    if not callable(loss_fn):
        raise DtypeError(f"per_example_gradients needs a function of the batch, got {type(loss_fn).__name__}")
    for source in sources:
        if not isinstance(source, Value):
            raise DtypeError(f"a variable is an ak.Variable or a tensor, not {type(source).__name__}")
        if not np.issubdtype(source.dtype, np.floating):
            raise DtypeError(f"a variable of dtype {source.dtype} has no gradient; floating values are needed")


def _losses(value: Any, batch: tuple[Any, ...]) -> Tensor:
    if not isinstance(value, Value):
        raise DtypeError(f"the losses are a tensor of shape (B,), not {type(value).__name__}")
    losses = lift(value)
    if losses.ndim != 1:
        raise ShapeError(
            f"the losses have shape {losses.shape}, (B,) is needed: one for each example. "
            "Sum over the other axes, and not over the first."
        )
    if losses.dtype.kind != "f":
        raise DtypeError(f"losses of dtype {losses.dtype} have no gradient; floating values are needed")
    for k, part in enumerate(batch):
        shape = part.shape if isinstance(part, (Value, np.ndarray)) else ()
        if shape and shape[0] != losses.shape[0]:
            raise ShapeError(f"{losses.shape[0]} losses came from {shape[0]} examples (batch argument {k}, {shape})")
    return losses


def _factors(weights: Any, losses: Tensor) -> Tensor | None:
    if weights is None:
        return None
    factors = lift(weights)
    if factors.dtype.kind not in "biuf":
        raise DtypeError(f"weights are numbers, not {factors.dtype}")
    if factors.shape != losses.shape:
        raise ShapeError(f"weights of shape {factors.shape} for {losses.shape[0]} losses; one for each is needed")
    return factors.astype(losses.dtype)


def _by_sweep(tape: GradientTape, losses: Tensor, sources: list[Any], factors: Tensor | None) -> list[Tensor]:
    """All examples at once if memory allows, else in parts."""
    count, tip = losses.shape[0], losses.node
    ends = [tape._node_of(s) for s in sources]
    if tip is None or not count:
        return [zeros_like(s, (count, *s.shape)) for s in sources]
    graph = any(record.page is not None for record in open_records.records)
    seed = seed_like(losses, factors, 0, graph)
    needed = needed_for(tape._record.nodes, {n for n in ends if n is not None})
    size, parts = count, []
    while size:
        try:
            for start in range(0, count, size):
                sweep = _Sweep(Examples(count, start, min(start + size, count)), tape._record, needed, graph)
                parts.append(sweep.run(tip, seed, ends))
            break
        except _TooLargeError as error:
            size, parts = min(error.fits, size - 1), []
    found = [_joined(list(each)) for each in zip(*parts, strict=True)]
    return [zeros_like(s, (count, *s.shape)) if g is None else g for g, s in zip(found, sources, strict=True)]


def _joined(parts: list[Any]) -> Tensor | None:
    if parts[0] is None:
        return None
    g = parts[0] if len(parts) == 1 else v.concat(parts, axis=-parts[0].ndim)
    return g if type(g) is Tensor else make(normal(g))


class _TooLargeError(Exception):
    """Rows were to be laid out beyond the limit; so many examples would fit."""

    def __init__(self, fits: int) -> None:
        super().__init__(fits)
        self.fits = fits


class _Sweep:
    """One way back: cotangents as rows, or with an axis for the chosen examples in front."""

    def __init__(self, examples: Examples, record: Any, needed: set[Node], graph: bool) -> None:
        self.examples = examples
        self.record = record
        self.needed = needed
        self.graph = graph
        self.rows: dict[Node, Any] = {}
        self.each: dict[Node, Any] = {}

    def run(self, tip: Node, seed: Any, ends: list[Node | None]) -> list[Any]:
        """Cotangents of ``ends``, each with the chosen examples in front; None where nothing leads."""
        self.rows[tip] = seed
        kept = set(ends)
        for node in reversed(self.record.nodes):
            if node in self.needed:
                self._pass(node, node in kept)
        return [None if n is None else self._apart(n, bounded=False) for n in ends]

    def _pass(self, node: Node, stays: bool) -> None:
        if node not in self.rows and node not in self.each:
            return
        hooks = self.record.hooks.get(node)
        if node in self.each or hooks:  # what has both forms goes on in the larger one
            g = self._apart(node)
            for hook in hooks or ():
                g = self.each[node] = _hooked(hook, g)
            self._add(self.each, pull_node(node, g, 1, self.graph, self.needed))
        else:
            self._pass_rows(node, self.rows[node])
        if not stays:
            self.rows.pop(node, None)
            self.each.pop(node, None)

    def _pass_rows(self, node: Node, g: Any) -> None:
        asked = [k for k, n in enumerate(node.inputs) if n in self.needed]
        if all(stays_apart(node, k, self.examples) for k in asked):
            self._add(self.rows, pull_node(node, g, 0, self.graph, self.needed))
            return
        parts = {k: shared_part(node, k, g, self.examples, self.graph) for k in asked}
        if any(part is None for part in parts.values()):
            self._add(self.each, pull_node(node, self._laid_out(g), 1, self.graph, self.needed))
            return
        for k, (form, part) in parts.items():  # type: ignore[misc]
            self._add(self.rows if form == "rows" else self.each, [(node.inputs[k], part)])

    def _add(self, where: dict[Node, Any], parts: list[tuple[Any, Any]]) -> None:
        for node, part in parts:
            dense, before = np.asarray(part) if type(part) is RowGradient else part, where.get(node)
            where[node] = dense if before is None else before + dense

    def _apart(self, node: Node, bounded: bool = True) -> Any:
        """The cotangent with an axis for the examples, whichever form it has."""
        g = self.each.get(node)
        if node in self.rows:
            laid = self._laid_out(self.rows.pop(node), bounded)
            g = self.each[node] = laid if g is None else g + laid
        return g

    def _laid_out(self, g: Any, bounded: bool = True) -> Any:
        """Rows, one example at a time, zeros elsewhere."""
        examples = self.examples
        chosen, nbytes = examples.stop - examples.start, g.size * g.dtype.itemsize
        if bounded and chosen > 1 and chosen * nbytes > LIMIT:
            raise _TooLargeError(max(1, LIMIT // nbytes))
        return examples.lay_out(g)


def _hooked(hook: Callable[[Any], Any], g: Any) -> Any:
    """What a hook makes of each example's gradient by itself."""
    recorded, rows = type(g) is Tensor, []
    for k in range(len(g)):
        new = hook(g[k] if recorded else make(normal(g[k])))
        rows.append(g[k] if new is None else new if recorded else plain(new))
    return v.stack([v.broadcast_to(row, shape=g.shape[1:]) for row in rows], axis=-g.ndim).astype(g.dtype)
