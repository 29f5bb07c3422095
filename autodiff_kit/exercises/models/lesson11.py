"""Lesson 11: groups of rows, and the ways in which their means and weights come out wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def counts(ids: Array, c: int) -> Array:
    """Rows of each of c segments."""
    return np.bincount(ids, minlength=c)


def sums(h: Array, ids: Array, c: int) -> Array:
    """Sum of the rows of each segment."""
    out = np.zeros((c, *h.shape[1:]))
    np.add.at(out, ids, h)
    return out


def wrong_means(h: Array, ids: Array, c: int) -> dict[str, Any]:
    """What comes of each mistake with a mean, by its name."""
    added, shown = sums(h, ids, c), int(ids.max()) + 1
    rows = counts(ids, c)[:, None]
    last = np.zeros_like(added)
    last[ids] = h
    with np.errstate(all="ignore"):
        naive = added / rows
    return {
        "empty-segment-0/0": naive,
        "loses-the-last-empty-segment": (added / np.maximum(rows, 1))[:shown],
        "last-row-wins": last,
        "sum-not-mean": added,
        "divides-by-all-rows": added / len(ids),
    }


def weights(s: Array, ids: Array, c: int, level: Array | float | None = None) -> Array:
    """The softmax of each segment; ``level`` is what is taken from its scores, by default its own maximum."""
    if level is None:
        most = np.full(c, -np.inf)
        np.maximum.at(most, ids, s)
        level = most[ids]
    with np.errstate(all="ignore"):
        e = np.exp(s - level)
        return np.asarray(e / np.bincount(ids, e, c)[ids])


@dataclass
class RunningMeans:
    """Means of classes over batches; ``mistake`` names one, or nothing."""

    c: int
    mistake: str = ""
    seen: Array = field(init=False)
    means: Array | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.seen = np.zeros(self.c)

    def update(self, h: Array, ids: Array) -> Array:
        """The means after one more batch."""
        rows = counts(ids, self.c)
        present = rows > 0
        old = np.zeros((self.c, *h.shape[1:])) if self.means is None else self.means
        news, before = sums(h, ids, self.c), self.seen
        if self.mistake == "weights-batches-equally":
            news, rows = news / np.maximum(rows, 1)[:, None], present * 1
        if self.mistake == "forgets-the-past":
            before = np.where(present, 0.0, self.seen)
        self.seen = before + rows
        self.means = (before[:, None] * old + news) / np.maximum(self.seen, 1)[:, None]
        if self.mistake == "absent-class-reset":
            self.means = np.where(present[:, None], self.means, 0.0)
        return self.means

    def pull(self, g: Array, ids: Array) -> Array:
        """What comes back to the rows of the last batch."""
        n = counts(ids, self.c) if self.mistake == "gradient-of-the-batch-mean" else self.seen
        return np.asarray((g / np.maximum(n, 1)[:, None])[ids])
