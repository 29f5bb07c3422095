"""A push costs one column, a pull one row: take whichever there are fewer of."""

import numpy as np


def jacobian(n, m, push, pull):
    if n <= m:
        return np.stack([push(e) for e in np.eye(n)], axis=1)
    return np.stack([pull(e) for e in np.eye(m)])
