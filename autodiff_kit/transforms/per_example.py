"""Per-example gradients of a batch, in one reverse pass.

One forward pass computes the losses ``(B,)``. In the reverse pass, row b of the losses belongs to example b, and most
operations keep examples separate: row b of their input influences row b of their output only. There the cotangent is
the ordinary one, and an example's share of it is its rows (``row_cotangents``). If all examples share a value (a
broadcast bias, the right factor of a matrix product, a table), its cotangent gets a leading axis for the examples
(``stacked_cotangents``), and from there on the pass is that of a Jacobian.

:mod:`autodiff_kit.transforms.batching_rules` decides which of the two applies to an operation. For an unknown
operation, the rows are expanded to one cotangent for each example. That is always right and costs a factor of B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.backward import input_cotangents, reachable
from autodiff_kit.core.gradient_request import initial_cotangent, zeros_like
from autodiff_kit.core.numpy_protocol import Value, canonical, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import Node, open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.batching_rules import ExampleRange, keeps_examples_separate, shared_input_cotangent
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients

__all__ = ["per_example_gradients"]

MAX_EXPANDED_BYTES = 1 << 26
"""Limit for rows that are expanded to one cotangent for each example; beyond it, the batch is processed in parts."""


def per_example_gradients(loss_fn: Callable[..., Any], variables: Any, *batch: Any, weights: Any = None) -> Any:
    """The gradient of each example's loss with respect to variables, in one reverse pass.

    Parameters
    ----------
    loss_fn : callable
        ``loss_fn(*batch)`` gives the losses ``(B,)``, one for each example; it runs once.
    variables : Variable, Tensor, or pytree
        What to differentiate with respect to.
    *batch : array_like or pytree
        Arguments of ``loss_fn``, with the examples along the first axis.
    weights : array_like, optional
        ``(B,)``; a factor for the loss of each example.

    Returns
    -------
    pytree of Tensor
        In the structure of ``variables``, each with a leading axis of length B. Variables that the losses do not depend
        on get zeros.

    Raises
    ------
    ShapeError
        If the losses are not one for each example, or the weights do not fit them.
    DtypeError
        If a variable does not hold floating values.

    Notes
    -----
    **Shapes.** ``(B, *variable.shape)``; the sum over the first axis is the gradient of the sum of the losses.
    **Cost.** One reverse pass and the writing of the result, as long as operations keep examples separate: elementwise
    operations, matrix products, softmax, sums over other axes, reshapes that keep the first axis, table lookups. Where
    examples mix, or an operation has a custom gradient, up to B times as much from there on, in parts of bounded
    memory. Inside an open tape the reverse pass is recorded, and can be differentiated.

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
    _check_arguments(loss_fn, sources)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variables)
        losses = _checked_losses(loss_fn(*batch), batch)
    warn_of_lost_gradients(tape._record, sources, losses)
    return unflatten_like(variables, _batch_gradients(tape, losses, sources, _example_weights(weights, losses)))


def _check_arguments(loss_fn: Any, sources: list[Any]) -> None:
    if not callable(loss_fn):
        raise DtypeError(f"per_example_gradients needs a function of the batch, got {type(loss_fn).__name__}")
    for source in sources:
        if not isinstance(source, Value):
            raise DtypeError(f"a variable must be an ak.Variable or a tensor, got {type(source).__name__}")
        if not np.issubdtype(source.dtype, np.floating):
            raise DtypeError(f"a variable of dtype {source.dtype} has no gradient; use floating values")


def _checked_losses(value: Any, batch: tuple[Any, ...]) -> Tensor:
    if not isinstance(value, Value):
        raise DtypeError(f"the losses must be a tensor of shape (B,), got {type(value).__name__}")
    losses = as_tensor(value)
    if losses.ndim != 1:
        raise ShapeError(
            f"the losses must have shape (B,), one for each example; got {losses.shape}. "
            "Sum over the other axes, but not over the first."
        )
    if losses.dtype.kind != "f":
        raise DtypeError(f"losses of dtype {losses.dtype} have no gradient; use floating values")
    for k, part in enumerate(batch):
        shape = part.shape if isinstance(part, (Value, np.ndarray)) else ()
        if shape and shape[0] != losses.shape[0]:
            raise ShapeError(
                f"got {losses.shape[0]} losses for {shape[0]} examples (batch argument {k} of shape {shape})"
            )
    return losses


def _example_weights(weights: Any, losses: Tensor) -> Tensor | None:
    if weights is None:
        return None
    factors = as_tensor(weights)
    if factors.dtype.kind not in "biuf":
        raise DtypeError(f"weights must be numbers, got {factors.dtype}")
    if factors.shape != losses.shape:
        raise ShapeError(
            f"got weights of shape {factors.shape} for {losses.shape[0]} losses; give one weight for each loss"
        )
    return factors.astype(losses.dtype)


def _batch_gradients(tape: GradientTape, losses: Tensor, sources: list[Any], factors: Tensor | None) -> list[Tensor]:
    """Gradients of all examples at once if memory allows, otherwise of a part of the batch at a time."""
    count, tip = losses.shape[0], losses.node
    ends = [tape._node_of(s) for s in sources]
    if tip is None or not count:
        return [zeros_like(s, (count, *s.shape)) for s in sources]
    graph = any(record.sink is not None for record in open_records.records)
    seed = initial_cotangent(losses, factors, 0, graph)
    needed = reachable(tape._record.nodes, {n for n in ends if n is not None})
    size, parts = count, []
    while size:
        try:
            for start in range(0, count, size):
                examples = ExampleRange(count, start, min(start + size, count))
                parts.append(_PerExamplePass(examples, tape._record, needed, graph).run(tip, seed, ends))
            break
        except _ExpansionTooLargeError as error:
            size, parts = min(error.max_examples, size - 1), []
    found = [_concatenate(list(each)) for each in zip(*parts, strict=True)]
    return [zeros_like(s, (count, *s.shape)) if g is None else g for g, s in zip(found, sources, strict=True)]


def _concatenate(parts: list[Any]) -> Tensor | None:
    if parts[0] is None:
        return None
    g = parts[0] if len(parts) == 1 else v.concat(parts, axis=-parts[0].ndim)
    return g if type(g) is Tensor else wrap(canonical(g))


class _ExpansionTooLargeError(Exception):
    """Expanding rows for each example would exceed the memory limit; ``max_examples`` would fit."""

    def __init__(self, max_examples: int) -> None:
        super().__init__(max_examples)
        self.max_examples = max_examples


class _PerExamplePass:
    """A reverse pass whose cotangents are rows of the batch, or have a leading axis for the examples in a range."""

    def __init__(self, examples: ExampleRange, record: Any, needed: set[Node], graph: bool) -> None:
        self.examples = examples
        self.record = record
        self.needed = needed
        self.graph = graph
        self.row_cotangents: dict[Node, Any] = {}
        self.stacked_cotangents: dict[Node, Any] = {}

    def run(self, tip: Node, seed: Any, ends: list[Node | None]) -> list[Any]:
        """Cotangents of ``ends``, each with a leading axis for the examples; None for an unconnected one."""
        self.row_cotangents[tip] = seed
        kept = set(ends)
        for node in reversed(self.record.nodes):
            if node in self.needed:
                self._pull_node(node, node in kept)
        return [None if n is None else self._stacked_cotangent(n, bounded=False) for n in ends]

    def _pull_node(self, node: Node, stays: bool) -> None:
        if node not in self.row_cotangents and node not in self.stacked_cotangents:
            return
        hooks = self.record.hooks.get(node)
        if node in self.stacked_cotangents or hooks:  # a cotangent in both forms continues in the stacked one
            g = self._stacked_cotangent(node)
            for hook in hooks or ():
                g = self.stacked_cotangents[node] = _apply_hook_per_example(hook, g)
            self._add(self.stacked_cotangents, input_cotangents(node, g, 1, self.graph, self.needed))
        else:
            self._pull_rows(node, self.row_cotangents[node])
        if not stays:
            self.row_cotangents.pop(node, None)
            self.stacked_cotangents.pop(node, None)

    def _pull_rows(self, node: Node, g: Any) -> None:
        asked = [k for k, n in enumerate(node.inputs) if n in self.needed]
        if all(keeps_examples_separate(node, k, self.examples) for k in asked):
            self._add(self.row_cotangents, input_cotangents(node, g, 0, self.graph, self.needed))
            return
        parts = {k: shared_input_cotangent(node, k, g, self.examples, self.graph) for k in asked}
        if any(part is None for part in parts.values()):
            self._add(self.stacked_cotangents, input_cotangents(node, self._expanded(g), 1, self.graph, self.needed))
            return
        for k, (form, part) in parts.items():  # type: ignore[misc]
            self._add(self.row_cotangents if form == "rows" else self.stacked_cotangents, [(node.inputs[k], part)])

    def _add(self, where: dict[Node, Any], parts: list[tuple[Any, Any]]) -> None:
        for node, part in parts:
            dense, before = np.asarray(part) if type(part) is RowGradient else part, where.get(node)
            where[node] = dense if before is None else before + dense

    def _stacked_cotangent(self, node: Node, bounded: bool = True) -> Any:
        """The cotangent of a node with a leading axis for the examples, whichever form it has so far."""
        g = self.stacked_cotangents.get(node)
        if node in self.row_cotangents:
            laid = self._expanded(self.row_cotangents.pop(node), bounded)
            g = self.stacked_cotangents[node] = laid if g is None else g + laid
        return g

    def _expanded(self, g: Any, bounded: bool = True) -> Any:
        """Rows expanded to one cotangent for each example, zero outside of its own rows."""
        examples = self.examples
        chosen, nbytes = examples.stop - examples.start, g.size * g.dtype.itemsize
        if bounded and chosen > 1 and chosen * nbytes > MAX_EXPANDED_BYTES:
            raise _ExpansionTooLargeError(max(1, MAX_EXPANDED_BYTES // nbytes))
        return examples.expand_rows(g)


def _apply_hook_per_example(hook: Callable[[Any], Any], g: Any) -> Any:
    """The result of calling a hook on each example's gradient separately."""
    recorded, rows = type(g) is Tensor, []
    for k in range(len(g)):
        new = hook(g[k] if recorded else wrap(canonical(g[k])))
        rows.append(g[k] if new is None else new if recorded else unwrap(new))
    return v.stack([v.broadcast_to(row, shape=g.shape[1:]) for row in rows], axis=-g.ndim).astype(g.dtype)
