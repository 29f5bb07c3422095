"""Another right answer to none-3."""

import numpy as np

import autodiff_kit as ak


def filled_with_tensors(grads, sources):
    if isinstance(sources, dict):
        return {name: filled_with_tensors(grads[name], sources[name]) for name in sources}
    if isinstance(sources, list | tuple):
        return type(sources)(map(filled_with_tensors, grads, sources))
    return ak.constant(np.zeros(sources.shape, sources.dtype)) if grads is None else grads


OTHER = (filled_with_tensors,)
