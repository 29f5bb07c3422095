"""Another right answer to inv-3."""

import numpy as np


def with_the_inverse_matrix(J, g):
    return g @ np.linalg.inv(J)


OTHER = (with_the_inverse_matrix,)
