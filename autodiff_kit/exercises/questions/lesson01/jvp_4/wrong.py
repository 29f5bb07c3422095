"""Wrong answers to jvp-4, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def forward(n, m, push, pull):
    return np.stack([push(r) for r in np.eye(n)], 1)


def reverse(n, m, push, pull):
    return np.stack([pull(r) for r in np.eye(m)])


def cheaper(n, m, push, pull):
    return forward(n, m, push, pull) if n <= m else reverse(n, m, push, pull)


def both_modes(n, m, push, pull):
    reverse(n, m, push, pull)
    return forward(n, m, push, pull)


WRONG = {
    "always reverse": ((reverse,), "always-reverse"),
    "always forward": ((forward,), "always-forward"),
    "columns as rows": ((lambda n, m, p, q: cheaper(n, m, p, q).T,), "transposed"),
    "the wrong way round": (
        (lambda n, m, p, q: forward(n, m, p, q) if n > m else reverse(n, m, p, q),),
        "always-reverse and always-forward",
    ),
    "both modes": ((both_modes,), "too-many-sweeps"),
}
