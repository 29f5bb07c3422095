"""Go into the nest, and ask `is None` at its leaves."""

import numpy as np


def fill(grads, sources):
    if isinstance(sources, dict):
        return {name: fill(grads[name], sources[name]) for name in sources}
    if isinstance(sources, (list, tuple)):
        return type(sources)(fill(g, s) for g, s in zip(grads, sources))
    return np.zeros_like(sources) if grads is None else grads
