"""Another right answer to per-3."""

import numpy as np


def lengths_with_a_one(X, D):
    """The bias is the weight of an input that is always 1."""
    ones = np.concatenate([X, np.ones((len(X), 1))], axis=1)
    return np.linalg.norm(ones, axis=1) * np.linalg.norm(D, axis=1)


OTHER = (lengths_with_a_one,)
