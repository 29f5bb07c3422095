"""Wrong answers to mask-5, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def count(k):
    return np.maximum(k.sum(-1), 1)


def mean_log(x, k):
    return ak.sum(ak.where(k, ak.log(ak.where(k, x, 1.0)), 0.0), axis=-1) / count(k)


WRONG = {
    "times the mask": ((lambda x, k: ak.sum(ak.log(x) * k, axis=-1) / count(k),), "zero-times-nan"),
    "divides by 5": ((lambda x, k: mean_log(x, k) * (k.sum(-1) / 5),), "divides-by-the-length"),
    "outer where only": (
        (lambda x, k: ak.sum(ak.where(k, ak.log(x), 0.0), axis=-1) / count(k),),
        "where-only-outside",
    ),
    "empty row 0/0": (
        (lambda x, k: ak.sum(ak.where(k, ak.log(ak.where(k, x, 1.0)), 0.0), axis=-1) / k.sum(-1).astype(float),),
        "empty-row",
    ),
    "gradient cut": ((lambda x, k: mean_log(ak.stop_gradient(x), k),), ""),
}
