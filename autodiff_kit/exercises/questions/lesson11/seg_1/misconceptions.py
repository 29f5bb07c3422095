"""Segment means as each misconception of seg-1 computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import segment_counts, segment_sums

Array = np.ndarray[Any, Any]


def wrong_means(h: Array, ids: Array, c: int) -> dict[str, Any]:
    """What comes of each mistake with a mean, by its name."""
    added, shown = segment_sums(h, ids, c), int(ids.max()) + 1
    rows = segment_counts(ids, c)[:, None]
    last = np.zeros_like(added)
    last[ids] = h
    with np.errstate(all="ignore"):
        naive = added / rows
    return {
        "empty-segment-0/0": naive,
        "loses-the-last-empty-segment": (added / np.maximum(rows, 1))[:shown],
        "last-row-wins": last,
        "repeated-ids-added-once": last / np.maximum(rows, 1),
        "sum-not-mean": added,
        "divides-by-all-rows": added / len(ids),
    }
