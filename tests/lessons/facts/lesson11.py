"""What lesson 11 must find."""

from __future__ import annotations

import numpy as np

ROWS_BEFORE = 3
COUNTS = np.bincount([0, 0, 1, 1, 1], minlength=3)

FOUND = {
    # Rows divide by counts of 2 and 3; the weight gets the sum of the means, one of which is 0/0.
    "nan-reaches": (int(np.isnan(1 / COUNTS[[0, 0, 1, 1, 1]]).sum()), int((COUNTS == 0).any())),
    "pull-of-a-mean": tuple(6 / COUNTS[[0, 0, 1, 1, 1]]),
    "an-id-of-minus-one": (1 + 2, 3 + 4, 5),
    "row-in-a-running-mean": 1 / (ROWS_BEFORE + 1),
}
"""What each prompt of the lesson must find."""
PRINTED = ["naive means: [1.5 4.0 nan]   means: [1.5 4.0 0.0]", "gradient for the new row: [0.25]"]
"""What its cells print, each within one line."""
TRY_ANSWERS = {"11-039": {float(np.mean([2, 4, 6, 8, 12]))}}
"""Numbers of answers that no cell has, by cell."""
