"""e: rows summed in groups, and the backward pass."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import HAND, HELD, System, Systems, gradients, kept, limit

COPY = "limit: one copy"


def segments(rows: int, columns: int, groups: int, mean: bool = False, ordered: bool = False) -> Any:
    """e: the sum of squares of the groups' sums or means."""

    def build(s: Setting) -> Systems:
        n, count = s.sized(rows, 60), s.sized(groups, 7)
        rng = np.random.default_rng(0)
        x, ids = s.normal(rng, n, columns), rng.integers(0, count, n)
        ids = np.sort(ids) if ordered else ids
        sizes = np.maximum(np.bincount(ids, minlength=count), 1).astype(s.dtype)[:, None]
        losses = _losses(s, ids, count, sizes if mean else None)
        room, loss = np.empty_like(x), losses["kit"]
        return {
            **gradients(s, [x], [0], **losses),
            HELD: kept(ak.value_and_grad(loss, (0,)), ak.constant(x)),
            HAND: System(lambda: _by_hand(x, ids, count, sizes if mean else None)),
            COPY: limit(lambda: np.copyto(room, x)),
        }

    return build


def _losses(s: Setting, ids: Any, count: int, sizes: Any) -> dict[str, Any]:
    where = ak.constant(ids)
    sums = ak.segment.segment_sum if sizes is None else ak.segment.segment_mean
    losses: dict[str, Any] = {"kit": lambda x: (sums(x, where, count) ** 2).sum()}
    if s.torch is not None:
        i, size = s.torch.tensor(ids), None if sizes is None else s.torch.tensor(sizes)

        def torch(x: Any) -> Any:
            y = s.torch.zeros(count, x.shape[1], dtype=x.dtype).index_add(0, i, x)
            y = y if size is None else y / size
            return (y * y).sum()

        losses["torch"] = torch
    if s.jax is not None:
        jnp, ordered = s.jax.numpy, bool((np.diff(ids) >= 0).all())
        j = jnp.asarray(ids)

        def jax(x: Any) -> Any:
            y = s.jax.ops.segment_sum(x, j, count, indices_are_sorted=ordered)
            y = y if sizes is None else y / sizes
            return (y * y).sum()

        losses["jax"] = jax
    if s.tensorflow is not None:
        math, t = s.tensorflow.math, s.tensorflow.constant(ids)
        add = math.unsorted_segment_sum if sizes is None else math.unsorted_segment_mean
        losses["tensorflow"] = lambda x: s.tensorflow.reduce_sum(add(x, t, count) ** 2)
    return losses


def _by_hand(x: Any, ids: Any, count: int, sizes: Any) -> Any:
    y = np.zeros((count, x.shape[1]), x.dtype)
    np.add.at(y, ids, x)
    y = y if sizes is None else y / sizes
    back = 2 * y if sizes is None else 2 * y / sizes
    return (y * y).sum(), back[ids]
