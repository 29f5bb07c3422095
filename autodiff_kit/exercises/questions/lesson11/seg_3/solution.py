"""Counts and sums over all batches; the last batch moved its means by one over the counts."""

import numpy as np


def class_means(c):
    kept = {"seen": np.zeros(c), "total": 0.0, "ids": None}

    def weights():
        return np.maximum(kept["seen"], 1)[:, None]

    def update(h, ids):
        batch = np.zeros((c, *h.shape[1:]))
        np.add.at(batch, ids, h)
        kept["seen"] = kept["seen"] + np.bincount(ids, minlength=c)
        kept["total"] = kept["total"] + batch
        kept["ids"] = ids
        return kept["total"] / weights()

    def pull(g):
        return (g / weights())[kept["ids"]]

    return update, pull
