"""Jacobians between any two values of a tape: ``tape.jacobian`` and ``tape.batch_jacobian``."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.gradient_request import fill_unconnected
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tape import GradientTape, add_tape_method
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import StructureError
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.batched_forward import batched_forward_pass

__all__ = ["batch_jacobian", "jacobian", "jacobians_of_leaves"]


def jacobian(
    self: GradientTape, target: Any, sources: Any, unconnected_gradients: str = "none", mode: str = "auto"
) -> Any:
    """The Jacobian of one target with respect to each source, between any two values of the record.

    Parameters
    ----------
    target : Tensor or Variable
        Of shape ``(...)``.
    sources : Tensor, Variable, or nest
    unconnected_gradients : {"none", "zero"}
    mode : {"auto", "forward", "reverse"}
        Forward mode takes one column for each element of the source, reverse mode one row for each element of the
        target; "auto" takes the cheaper mode.

    Returns
    -------
    nest of Tensor or None
        Each of shape ``target.shape + source.shape``.

    Notes
    -----
    **Cost.** One pass over the record with a leading axis, not one pass for each element.

    Examples
    --------
    >>> x = ak.constant([1.0, 2.0, 3.0])
    >>> with ak.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = ak.sin(x) * ak.sum(x)
    >>> tape.jacobian(y, x).numpy()[0].round(6)
    array([4.083285, 0.841471, 0.841471])
    """
    self._check_usable()
    check_choice("unconnected_gradients", unconnected_gradients, "none", "zero")
    check_choice("mode", mode, "auto", "forward", "reverse")
    goal = self._target_tensor(target)
    for source in flatten(sources):
        self._node_of(source)  # raises if it is neither a tensor nor a variable
    try:
        return _blocks(self, goal, sources, unconnected_gradients, mode)
    finally:
        if not self._persistent:
            self._release()


def jacobians_of_leaves(tape: GradientTape, targets: Any, sources: Any, mode: str) -> list[Any]:
    """The Jacobian of each leaf of a pytree with respect to all sources, zeros included; the tape is then released."""
    check_choice("mode", mode, "auto", "forward", "reverse")
    goals = list(map(tape._target_tensor, flatten(targets)))
    try:
        return [_blocks(tape, goal, sources, "zero", mode) for goal in goals]
    finally:
        tape._release()


def _blocks(self: GradientTape, goal: Any, sources: Any, unconnected_gradients: str, mode: str) -> Any:
    """The Jacobian of one target with respect to each source."""
    flat = flatten(sources)
    recorded = any(r.sink is not None for r in open_records.records)  # a forward pass adds no nodes to the record
    columns = sum(s.size for s in flat)
    hooks = bool(self._record.hooks)
    if hooks and mode == "forward":
        raise StructureError(
            'a hook changes gradients on their way back, and a forward pass would leave it out. Give mode="reverse", '
            "or register no hook."
        )
    forward = mode == "forward" or (mode == "auto" and columns < goal.size and not recorded and not hooks)
    found = [_columns(self, goal, s, recorded) for s in flat] if forward else _rows(self, goal, flat)
    shapes = [goal.shape + s.shape for s in flat]
    return unflatten_like(sources, fill_unconnected(found, flat, unconnected_gradients, shapes))


def _rows(self: GradientTape, target: Any, sources: list[Any]) -> list[Tensor | None]:
    size = target.size
    eye = np.eye(size, dtype=target.dtype).reshape(size, *target.shape)
    rows = self._cotangents([target], [eye], sources, list(map(self._node_of, sources)), lead=1)
    return [None if g is None else g.reshape(target.shape + g.shape[1:]) for g in rows]


def _columns(self: GradientTape, target: Any, source: Any, graph: bool) -> Tensor | None:
    start, end = self._node_of(source), self._node_of(target)
    if start is None or end is None:
        return None
    eye = np.eye(source.size, dtype=source.dtype).reshape(source.size, *source.shape)
    seeds = {start: as_tensor(eye) if graph else eye}
    columns = batched_forward_pass(list(self._record.nodes), seeds, graph).get(end)
    if columns is None:
        return None
    moved = v.permute_dims(columns, axes=(*range(1 - columns.ndim, 0), -columns.ndim))
    found = moved.reshape(target.shape + source.shape)
    return found if type(found) is Tensor else wrap(canonical(found))


def batch_jacobian(self: GradientTape, target: Any, source: Any) -> Tensor | None:
    """The Jacobian of each row of the target with respect to the same row of the source.

    Parameters
    ----------
    target, source : Tensor
        With the same first axis, ``(b, ...)``; row i of the target depends on row i of the source only.

    Returns
    -------
    Tensor or None
        Of shape ``(b, *target.shape[1:], *source.shape[1:])``.

    Notes
    -----
    **Cost.** One pass with one leading entry for each element of a row of the target.
    """
    self._check_usable()
    goal = self._target_tensor(target)
    self._node_of(source)  # raises if it is neither a tensor nor a variable
    if goal.ndim == 0 or source.shape[:1] != goal.shape[:1]:
        raise StructureError(f"batch_jacobian needs one batch axis in both: target {goal.shape}, source {source.shape}")
    row = goal.shape[1:]
    size = int(np.prod(row))
    eye = np.eye(size, dtype=goal.dtype).reshape(size, 1, *row)
    seed = np.broadcast_to(eye, (size, *goal.shape))
    try:
        (g,) = self._cotangents([goal], [seed], [source], [self._node_of(source)], lead=1)
    finally:
        if not self._persistent:
            self._release()
    if g is None:
        return None
    batch = g.shape[1]
    return g.swapaxes(0, 1).reshape((batch, *row, *g.shape[2:]))


add_tape_method("jacobian", jacobian)
add_tape_method("batch_jacobian", batch_jacobian)
