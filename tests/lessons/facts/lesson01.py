"""What lesson 01 must find."""

from __future__ import annotations

import numpy as np

J = np.array([[3.0, 2.0, 0.0], [0.0, -1.0, 3.0], [4.0, 0.0, 1.0]])
V, U = np.array([1.0, 2.0, -1.0]), np.array([1.0, -1.0, 2.0])


FOUND = {
    "vector-target": J.sum(axis=0),
    "jv": J @ V,
    "inner-products": (U @ (J @ V), (U @ J) @ V),
    "sweeps": 2,
    "pulls-only": 2,
    "record": 1000 + 1000 + 1,
}
"""What each prompt of the lesson must find."""
PRINTED = ["[7 -5 3]", "[7 1 4]", "[11 3 -1]"]
"""What its cells print, each within one line."""
