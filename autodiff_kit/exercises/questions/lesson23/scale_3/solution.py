"""Add up what belongs to one row, then step the rows of the batch, with the common t."""

import numpy as np


def lazy_adam(table, ids, grads, slots, lr, b1, b2, eps):
    table, m, v, t = table.copy(), slots["m"].copy(), slots["v"].copy(), slots["t"] + 1
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    rows = np.unique(ids)
    g = summed[rows]
    m[rows] = b1 * m[rows] + (1 - b1) * g
    v[rows] = b2 * v[rows] + (1 - b2) * g * g
    table[rows] -= lr * (m[rows] / (1 - b1**t)) / (np.sqrt(v[rows] / (1 - b2**t)) + eps)
    return table, {"m": m, "v": v, "t": t}
