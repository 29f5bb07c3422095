"""Another right answer to hess-2."""

import numpy as np


def probed_one_by_one(hvp, V):
    n, quadratics, square = len(V), [], 0.0
    for v in V:
        moved = np.asarray(hvp(v))
        quadratics.append(float(np.dot(v, moved)))
        square += float(np.linalg.norm(moved)) ** 2
    trace = sum(quadratics) / n
    spread = sum((q - trace) ** 2 for q in quadratics) / (n - 1)
    return [trace, (square / n) ** 0.5, (spread / n) ** 0.5]


OTHER = (probed_one_by_one,)
