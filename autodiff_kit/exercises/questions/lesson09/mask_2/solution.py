"""Choose with where before exp, and let the mask, not the sum, say which rows are empty."""

import numpy as np


def masked_softmax(scores, keep, empty="zero"):
    dtype = scores.dtype
    kept = np.where(keep, scores, -np.inf).astype(dtype)
    none = ~keep.any(-1, keepdims=True)
    largest = np.where(none, 0, kept.max(-1, keepdims=True)).astype(dtype)
    e = np.exp(kept - largest)
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(none, 1, total).astype(dtype)
    return np.where(none, 0 if empty == "zero" else np.nan, weights).astype(dtype)
