"""Hooks: the user's functions that receive the cotangent of a value in a backward pass and may replace it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import Node, Record
from autodiff_kit.core.sparse_gradient import SparseGradient
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.errors import ShapeError

__all__ = ["apply_hooks", "apply_leaf_hooks"]


def apply_hooks(hooks: list[Callable[[Any], Any]], g: Any, node: Node, lead: int) -> Any:
    """The cotangent of a node after its hooks have run; of a Jacobian's rows each by itself."""
    if lead:
        rows = [apply_hooks(hooks, g[k], node, lead - 1) for k in range(g.shape[0])]
        return v.stack(rows, axis=-1 - np.ndim(unwrap(rows[0]))) if rows else g
    is_plain = type(g) is not Tensor
    for hook in hooks:
        new = hook(wrap(canonical(g)) if is_plain else g)
        if new is not None:
            new, shape = as_tensor(new), () if node.spec is None else node.spec.shape
            if new.shape not in ((), shape):
                raise ShapeError(
                    f"a hook returned shape {new.shape} for a gradient of shape {shape}; give that, or a number"
                )
            g = unbroadcast(new._value if is_plain else new, node.spec)
            is_plain = type(g) is not Tensor
    return g


def apply_leaf_hooks(record: Record, leaves: list[Node], lead: int) -> None:
    """Apply the hooks of leaves; the backward pass has applied those of computed values."""
    computed = set(record.nodes)
    for leaf in leaves:
        if leaf in record.hooks and leaf not in computed and leaf.cotangent is not None:
            dense = leaf.cotangent.numpy() if isinstance(leaf.cotangent, SparseGradient) else leaf.cotangent
            leaf.cotangent = apply_hooks(record.hooks[leaf], dense, leaf, lead)
