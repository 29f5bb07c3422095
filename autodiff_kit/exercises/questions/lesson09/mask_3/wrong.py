"""Wrong answers to mask-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def pull(w, k, g):
    g = np.where(k, g, 0)
    return w * (g - (w * g).sum(-1, keepdims=True))


def by_jacobian(w, k, g):
    w, g = np.where(k, w, 0), np.where(k, g, 0)
    jacobian = w[..., None] * np.eye(w.shape[-1], dtype=w.dtype) - w[..., None] * w[..., None, :]
    return np.einsum("...ij,...j->...i", jacobian, g)


WRONG = {
    "w(1-w)g": ((lambda w, k, g: w * (1 - w) * np.where(k, g, 0),), "diagonal-only"),
    "g": ((lambda w, k, g: np.where(k, g, 0).astype(w.dtype),), "g-itself"),
    "w g": ((lambda w, k, g: w * np.where(k, g, 0),), "weights-times-g"),
    "trusts the padding": (
        (lambda w, k, g: w * (g - (w * g).sum(-1, keepdims=True)),),
        "padding-leaks-nan",
    ),
    "plain mean": (
        (lambda w, k, g: w * (np.where(k, g, 0) - np.where(k, g, 0).mean(-1, keepdims=True)),),
        "centred-over-length",
    ),
    "sign": ((lambda w, k, g: -pull(w, k, g),), ""),
    "by the Jacobian": ((by_jacobian,), "builds-the-jacobian"),
}
