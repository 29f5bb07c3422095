"""What lesson 03 must find."""

from __future__ import annotations

import numpy as np

X = np.array([-1.0, 0.0, 4.0])
with np.errstate(all="ignore"):
    CHOSEN = (X > 0).astype(float)  # what where passes to its side
    OF_THE_ROOT, OF_THE_LOG = CHOSEN * (0.5 / np.sqrt(X)), CHOSEN * (1 / X)

FOUND = {
    "where-naive": OF_THE_ROOT.tolist(),
    "where-log": OF_THE_LOG.tolist(),
    "cond-not-run": "none",
    "nan-weights": 64 * 2,
}
"""What each prompt of the lesson must find."""
PRINTED = ["one where: [nan nan 0.25]   two wheres: [0.00 0.00 0.25]"]
"""What its cells print, each within one line."""
