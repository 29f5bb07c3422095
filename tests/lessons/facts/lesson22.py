"""What lesson 22 must find."""

from __future__ import annotations

import numpy as np

UNDIRECTED = ((0, 1), (0, 2), (1, 2), (2, 3))
DIRECTED = np.zeros((4, 4))
for start, end in UNDIRECTED:
    DIRECTED[end, start] = 1
BOTH = DIRECTED + DIRECTED.T


def first_round_that_differs() -> str:
    """Sums of values after rounds on a ring of six nodes and on two triangles, all nodes starting with 1."""
    triangle = np.ones((3, 3)) - np.eye(3)
    two, ring = np.kron(np.eye(2), triangle), np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    a, b = np.ones(6), np.ones(6)
    for number in range(1, 11):
        a, b = ring @ a, two @ b
        if sorted(a) != sorted(b):
            return str(number)
    return "never"


FOUND = {
    "two-rounds": tuple(np.linalg.matrix_power(BOTH, 2)[:, 0]),
    "against-the-edges": tuple(DIRECTED.sum(axis=0)),
    "counts-alone": 50,
    "ring-or-triangles": first_round_that_differs(),
}
"""What each prompt of the lesson must find."""
PRINTED = ["without neighbours, three seeds, unseen graphs: [50.0 50.0 50.0] %"]
"""What its cells print, each within one line."""
