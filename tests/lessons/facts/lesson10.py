"""What lesson 10 must find."""

from __future__ import annotations

import numpy as np

FOUND = {
    "stop-the-mean": 2 * (np.arange(4) - 1.5) / 4,
    "stop-the-hessian": 2 / 4 * np.eye(4)[0],
    "stop-both": 1 / np.sqrt(np.var([1, 2, 3, 4])),
    "cut-bias": "runs",
}
"""What each prompt of the lesson must find."""
PRINTED = ["[-0.75 -0.25 0.25 0.75]"]
"""What its cells print, each within one line."""
