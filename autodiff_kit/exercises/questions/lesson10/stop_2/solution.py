"""The path through the mean inside the variance carries 0."""

import autodiff_kit as ak


def instance_norm(x, stop):
    mu = ak.mean(x, axis=-1, keepdims=True)
    variance = ak.mean((x - stop(mu)) ** 2, axis=-1, keepdims=True)
    return (x - mu) / ak.sqrt(variance + 0.00001)
