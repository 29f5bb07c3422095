"""Running segment means with one thing misunderstood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..shared import segment_counts, segment_sums

Array = np.ndarray[Any, Any]


@dataclass
class RunningSegmentMeans:
    """Means of classes over batches; ``mistake`` names one, or nothing."""

    c: int
    mistake: str = ""
    seen: Array = field(init=False)
    means: Array | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.seen = np.zeros(self.c)

    def update(self, h: Array, ids: Array) -> Array:
        """The means after one more batch."""
        rows = segment_counts(ids, self.c)
        present = rows > 0
        old = np.zeros((self.c, *h.shape[1:])) if self.means is None else self.means
        news, before = segment_sums(h, ids, self.c), self.seen
        if self.mistake == "repeated-ids-counted-once":
            rows = present * 1
        if self.mistake == "starts-anew":
            before = 0 * before
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
        n = segment_counts(ids, self.c) if self.mistake == "gradient-of-the-batch-mean" else self.seen
        return np.asarray((g / np.maximum(n, 1)[:, None])[ids])
