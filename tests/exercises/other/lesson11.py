"""Other right answers to lesson 11's questions."""

import numpy as np

import autodiff_kit as ak


def means_by_a_matrix(h, ids, c):
    """Adding as a product with a matrix of ones and zeros, whose transpose is the way back."""
    if any(k not in range(c) for k in ids.tolist()):
        raise IndexError("an id that names no segment")
    belongs = (np.arange(c)[:, None] == ids) * 1.0
    belongs /= np.maximum(belongs.sum(axis=1, keepdims=True), 1)
    return ak.constant(belongs @ h), lambda g: belongs.T @ g


def softmax_by_segments(s, ids, c):
    out = np.empty_like(s)
    for k in range(c):
        mine = ids == k
        if mine.any():
            e = np.exp(s[mine] - s[mine].max())
            out[mine] = e / e.sum()
    return out


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


OTHER = {
    "seg-1": (means_by_a_matrix,),
    "seg-2": (softmax_by_segments,),
    "seg-3": (means_of_every_row,),
}
