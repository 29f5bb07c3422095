"""A push gives one column, a pull one row; a fit needs one Jacobian in each iteration."""

import numpy as np


def residual_jacobian(push, pull, m, p, iterations):
    if p <= m:
        J = np.stack([push(e) for e in np.eye(p)], axis=1)
    else:
        J = np.stack([pull(e) for e in np.eye(m)])
    return J, iterations * min(m, p)
