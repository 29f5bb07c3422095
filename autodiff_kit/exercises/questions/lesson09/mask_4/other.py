"""Another right answer to mask-4."""

import numpy as np


def leak_of_the_jacobian(scores, keep, values):
    weights = np.exp(scores - np.logaddexp.reduce(scores))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return np.where(keep, 0, (keep * values) @ jacobian)


OTHER = (leak_of_the_jacobian,)
