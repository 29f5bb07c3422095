"""Step first, then the nearest allowed point."""

import numpy as np


def projected_step(w, g, lr):
    return np.maximum(w - lr * g, 0.0)
