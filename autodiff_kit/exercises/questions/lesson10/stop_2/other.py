"""Another right answer to stop-2."""

import autodiff_kit as ak


def one_deviation_stopped(x, stop):
    """The variance as a product of two deviations, of which one has a mean without a path."""
    mean = ak.sum(x, axis=1, keepdims=True) / x.shape[1]
    apart = x - mean
    return apart / (ak.mean(apart * (x - stop(mean)), axis=1, keepdims=True) + 1e-5) ** 0.5


OTHER = (one_deviation_stopped,)
