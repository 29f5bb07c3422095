"""Wrong answers to lm-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def by_pulls(push, pull, m, p, iterations):
    return np.stack([pull(e) for e in np.eye(m)]), iterations * m


def by_pushes(push, pull, m, p, iterations):
    return np.stack([push(e) for e in np.eye(p)], axis=1), iterations * p


def fewest(push, pull, m, p):
    return by_pushes(push, pull, m, p, 1)[0] if p <= m else by_pulls(push, pull, m, p, 1)[0]


def summed(push, pull, m, p, iterations):
    return pull(np.ones(m)), iterations


WRONG = {
    "pulls": ((by_pulls,), "always-reverse"),
    "pulls, the count of pushes": (
        (lambda q, r, m, p, i: (by_pulls(q, r, m, p, i)[0], i * min(m, p)),),
        "always-reverse",
    ),
    "one pull": ((summed,), "gradient-of-the-cost"),
    "pushes": ((by_pushes,), "always-forward"),
    "rows for columns": ((lambda q, r, m, p, i: (fewest(q, r, m, p).T, i * min(m, p)),), "transposed"),
    "one iteration": ((lambda q, r, m, p, i: (fewest(q, r, m, p), min(m, p)),), "sweeps-of-one-jacobian"),
    "iterations": ((lambda q, r, m, p, i: (fewest(q, r, m, p), i),), "iterations-only"),
    "entries": ((lambda q, r, m, p, i: (fewest(q, r, m, p), m * p * i),), "a-sweep-for-each-entry"),
}
