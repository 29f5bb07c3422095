"""Wrong answers to jvp-5, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def wrong_pulls_with(probe=None, tol=None, square=False):
    def wrong_pulls(ops, rng):
        found = {"square"} if square else set()
        for name, (push, pull, x, m) in ops.items():
            for _ in range(3):
                v, u = (probe(x.size), probe(m)) if probe else (rng.normal(size=x.shape), rng.normal(size=m))
                p = np.asarray(push(x, v.astype(x.dtype)), float)
                q = np.asarray(pull(x, u.astype(x.dtype)), float)
                size = np.abs(u) @ np.abs(p) + np.abs(q) @ np.abs(v)
                if abs(u @ p - q @ v) > (tol(size) if tol else 50 * np.finfo(x.dtype).eps * size):
                    found.add(name)
        return found

    return wrong_pulls


WRONG = {
    "probes of ones": ((wrong_pulls_with(np.ones),), "probe-of-ones"),
    "absolute 1e-9": ((wrong_pulls_with(tol=lambda size: 1e-9),), "tolerance-without-scale"),
    "one rounding in float32": ((wrong_pulls_with(tol=lambda size: 1.2e-7 * size),), "tolerance-without-scale"),
    "relative 1e-2": ((wrong_pulls_with(tol=lambda size: 1e-2 * size),), "tolerance-too-loose"),
    "differences too": ((wrong_pulls_with(square=True),), "asks-the-identity-for-truth"),
    "absolute 1e-6": ((wrong_pulls_with(tol=lambda size: 1e-6),), "tolerance-without-scale"),
    "absolute 1e-9, ones": ((wrong_pulls_with(np.ones, tol=lambda size: 1e-9),), ""),
    "nobody": ((lambda ops, rng: set(),), ""),
    "everybody": ((lambda ops, rng: set(ops),), "asks-for-equality"),
}
