"""Another right answer to xent-2."""

import numpy as np


def row_after_row(logits, labels):
    gradient, loss, classes = np.empty_like(logits), 0.0, logits.shape[1]
    if bad := [int(y) for y in labels if not 0 <= y < classes]:
        raise ValueError(f"no classes: {bad}")
    for row, label, out in zip(logits, labels, gradient, strict=True):
        e = np.exp(row - row.max())
        loss += np.log(e.sum()) - row[label] + row.max()
        out[...] = e / e.sum() / len(labels)
        out[label] -= 1 / len(labels)
    return loss / len(labels), gradient


OTHER = (row_after_row,)
