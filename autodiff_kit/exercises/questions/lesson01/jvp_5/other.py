"""Another right answer to jvp-5."""

import numpy as np


def compared_as_matrices(ops, rng):
    found = set()
    for name, (push, pull, x, m) in ops.items():
        forwards = np.array([push(x, e) for e in np.eye(x.size, dtype=x.dtype)], float).T
        backwards = np.array([pull(x, e) for e in np.eye(m, dtype=x.dtype)], float)
        scale = np.abs(forwards).max()
        if np.abs(forwards - backwards).max() > 100 * np.finfo(x.dtype).eps * scale:
            found.add(name)
    return found


OTHER = (compared_as_matrices,)
