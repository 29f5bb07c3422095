"""u·(Jv) and (uJ)·v are one number; ask three times, and measure the gap against what rounding can do."""

import numpy as np


def wrong_pulls(ops, rng):
    found = set()
    for name, (push, pull, x, m) in ops.items():
        eps = np.finfo(x.dtype).eps
        for _ in range(3):
            v = rng.normal(size=x.shape).astype(x.dtype)
            u = rng.normal(size=m).astype(x.dtype)
            Jv, uJ = push(x, v), pull(x, u)
            u, v, Jv, uJ = (np.asarray(a, np.float64) for a in (u, v, Jv, uJ))
            size = np.abs(u) @ np.abs(Jv) + np.abs(uJ) @ np.abs(v)
            if abs(u @ Jv - uJ @ v) > 50 * eps * size:
                found.add(name)
    return found
