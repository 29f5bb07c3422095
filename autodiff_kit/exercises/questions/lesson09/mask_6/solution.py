"""Clear keys and values before any product; mask, maximum, exp, and a division that an empty row survives."""

import autodiff_kit as ak


def attention(q, k, v, keep):
    k = ak.where(keep[:, :, None], k, 0.0)
    v = ak.where(keep[:, :, None], v, 0.0)
    keys = keep[:, None, :]
    scores = ak.where(keys, ak.matmul(q, ak.swapaxes(k, -1, -2)) / q.shape[-1] ** 0.5, -1e30)
    e = ak.exp(scores - ak.max(scores, axis=-1, keepdims=True)) * keys
    weights = e / ak.maximum(ak.sum(e, axis=-1, keepdims=True), 1e-30)
    return ak.matmul(weights, v)
