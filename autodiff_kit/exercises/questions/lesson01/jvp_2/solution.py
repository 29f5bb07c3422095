"""One seed for one answer: a pull for a row, a push for a column, ones for what a tape gives."""

import numpy as np


def row(kit, f, x, i):
    y, pull = kit.vjp(f, x)
    return pull(np.eye(len(y))[i])


def column(kit, f, x, j):
    return kit.jvp(f, x, np.eye(len(x))[j])[1]


def gradient(kit, f, x):
    y, pull = kit.vjp(f, x)
    return pull(np.ones(len(y)))
