"""Wrong answers to jvp-6, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def band(push, n, k, stride=None):
    c = min(n, stride or 2 * k + 1)
    J = np.zeros((n, n))
    for s in range(c):
        v = np.zeros(n)
        v[s::c] = 1
        w = push(v)
        for j in range(s, n, c):
            lo, hi = max(0, j - k), min(n, j + k + 1)
            J[lo:hi, j] = w[lo:hi]
    return J


def band_blocks(push, n, k):
    c = min(n, 2 * k + 1)
    J, size = np.zeros((n, n)), -(-n // c)
    for s in range(c):
        cols = list(range(s * size, min(n, (s + 1) * size)))
        if cols:
            v = np.zeros(n)
            v[cols] = 1
            w = push(v)
            for j in cols:
                lo, hi = max(0, j - k), min(n, j + k + 1)
                J[lo:hi, j] = w[lo:hi]
    return J


def band_wasteful(push, n, k):
    J = band(push, n, k)
    for _ in range(2 * k + 1 - min(n, 2 * k + 1)):
        push(np.zeros(n))
    return J


WRONG = {
    "one push a column": (
        (lambda push, n, k: np.stack([push(r) for r in np.eye(n)], 1),),
        "a-push-per-column",
    ),
    "blocks of neighbours": ((band_blocks,), "neighbours-share-a-push"),
    "stride k+1": ((lambda push, n, k: band(push, n, k, k + 1),), "stride-too-short"),
    "transposed": ((lambda push, n, k: band(push, n, k).T,), "transposed"),
    "2k+1 where n is less": ((band_wasteful,), ""),
}
