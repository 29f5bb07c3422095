"""Wrong answers to mask-4, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def leak(s, k, v):
    p = sm(s)
    return np.where(k, 0, -p * ((p * k) @ v))


WRONG = {
    "zeros": ((lambda s, k, v: 0 * s,), "zeroed-so-nothing-flows"),
    "plain softmax slope": ((lambda s, k, v: ~k * sm(s) * (v - sm(s) @ v),), "forgets-the-mask"),
    "p(v - y)": ((lambda s, k, v: ~k * sm(s) * (v - (sm(s) * k) @ v),), "formula-of-a-kept-position"),
    "y over all": ((lambda s, k, v: ~k * -sm(s) * (sm(s) @ v),), "y-over-all-positions"),
    "p(1-p)v": ((lambda s, k, v: ~k * sm(s) * (1 - sm(s)) * v,), "own-value"),
    "sign": ((lambda s, k, v: -leak(s, k, v),), "sign"),
    "after renormalising": (
        (lambda s, k, v: leak(s, k, v) / (sm(s) * k).sum(),),
        "divides-by-the-kept-sum",
    ),
}
