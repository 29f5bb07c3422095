"""Wrong answers to stop-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def agreeing(pairs, points, close=lambda p, q: np.allclose(p, q, atol=1e-9)):
    return {
        name
        for name, (f, g) in pairs.items()
        if all(close(ak.grad(f)(x).numpy(), ak.grad(g)(x).numpy()) for x in points)
    }


SYMMETRIC = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])


def sums_only(pairs, rng):
    points = [rng.normal(size=6) for _ in range(3)]
    return agreeing(pairs, points, close=lambda p, q: abs(p.sum() - q.sum()) < 1e-9)


WRONG = {
    "none": ((lambda pairs, rng: set(),), "all-stops-matter"),
    "all": ((lambda pairs, rng: set(pairs),), "none-matter"),
    "symmetric x": ((lambda pairs, rng: agreeing(pairs, [SYMMETRIC]),), "one-point-is-proof"),
    "values": (
        (lambda pairs, rng: {n for n, (f, g) in pairs.items() if float(f(SYMMETRIC)) == float(g(SYMMETRIC))},),
        "none-matter",
    ),
    "guessed letters": ((lambda pairs, rng: {"A", "B", "Z"},), ""),
    "at zero": ((lambda pairs, rng: agreeing(pairs, [np.zeros(6)]),), "equal-entries"),
    "sums": ((sums_only,), "compares-sums"),
}
