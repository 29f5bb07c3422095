"""Another right answer to jvp-4."""

import numpy as np


def preallocated(n, m, push, pull):
    if n < m:
        columns = [push(e) for e in np.eye(n)]
        J = np.empty((m, n), columns[0].dtype)
        for j, column in enumerate(columns):
            J[:, j] = column
        return J
    return np.array([pull(e) for e in np.eye(m)])


OTHER = (preallocated,)
