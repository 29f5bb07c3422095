"""Another right answer to mask-2."""

import numpy as np


def row_by_row(scores, keep, empty="zero"):
    out = np.zeros_like(scores)
    for i, (row, kept) in enumerate(zip(scores, keep, strict=True)):
        if not kept.any():
            out[i] = 0 if empty == "zero" else np.nan
        else:
            e = np.exp(row[kept] - row[kept].max())
            out[i, kept] = e / e.sum()
    return out


OTHER = (row_by_row,)
