"""Other right answers to lesson 04's questions."""

import numpy as np

import autodiff_kit as ak


def loop_by_logarithm(x, limit, factor):
    """The number of turns at once, put right where the logarithm rounds; as arrays without an axis."""
    n = max(0, int(np.ceil(np.log(limit / abs(x)) / np.log(factor))))
    while n and abs(x) * factor ** (n - 1) >= limit:
        n -= 1
    while abs(x) * factor**n < limit:
        n += 1
    return np.array(x * factor**n), np.array(factor**n)


def jumps_of_the_worked_loop(limit, factor, lo, hi):
    """From the small end: the first power above it, and on."""
    x = limit / factor ** np.arange(60)
    return np.sort(x[(x > lo) & (x < hi)])


def root_on_a_tape(a, n):
    a = ak.Variable(a)
    with ak.GradientTape() as tape:
        x = 1.0
        for _ in range(n):
            x = (x + a / x) / 2
    return x, tape.gradient(x, a)


OTHER = {
    "loop-1": (loop_by_logarithm,),
    "loop-2": (jumps_of_the_worked_loop,),
    "loop-3": (root_on_a_tape,),
}
