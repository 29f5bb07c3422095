"""Another right answer to seg-3."""

import numpy as np


class EveryRow:
    """Keeps all rows, and averages them anew each time."""

    def __init__(self, c):
        self.rows = [[] for _ in range(c)]

    def update(self, h, ids):
        for row, k in zip(h, ids.tolist(), strict=True):
            self.rows[k].append(row)
        self.ids, width = ids, h.shape[1]
        return np.array([np.mean(rows, axis=0) if rows else np.zeros(width) for rows in self.rows])

    def pull(self, g):
        return [g[k] / len(self.rows[k]) for k in self.ids] @ np.eye(g.shape[1])


def means_of_every_row(c):
    kept = EveryRow(c)
    return kept.update, kept.pull


OTHER = (means_of_every_row,)
