"""Another right answer to flop-1."""

import numpy as np


def bill_by_layers(dims, batch, x_grad):
    """Layer by layer: one product forward; one back for the weights, one for the input where somebody wants it."""
    ahead = back = 0
    for i in range(len(dims) - 1):
        product = 2 * batch * dims[i] * dims[i + 1]
        ahead += product
        back += product * (1 + (i > 0 or x_grad))
    return [np.int64(ahead), float(back)]


OTHER = (bill_by_layers,)
