"""Wrong answers to val-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


# ------------------------------------------------------------------------------------------------------------- val-1
def probes(one):
    return lambda F, x, s, E: np.mean([one(F, x, s, e) for e in E], axis=0)


def pairs(F, x, s, e):
    return (F(x + s * e) - F(x - s * e)) / (2 * s) * e


def total(F, x, s, E):
    return np.sum([pairs(F, x, s, e) for e in E], axis=0)


def axis_by_axis(F, x, s, E):
    return np.array([(F(x + s * e) - F(x - s * e)) / (2 * s) for e in np.eye(len(x))])


def looks_twice(F, x, s, e):
    return (pairs(F, x, s, e) + pairs(F, x, s, e)) / 2


WRONG = {
    "no partner": ((probes(lambda F, x, s, e: F(x + s * e) / s * e),), "no-partner"),
    "one side": ((probes(lambda F, x, s, e: (F(x + s * e) - F(x)) / s * e),), "one-sided"),
    "over sigma": ((probes(lambda F, x, s, e: 2 * pairs(F, x, s, e)),), "forgets-the-two"),
    "sum": ((total,), "sum-not-mean"),
    "each pair twice": ((probes(looks_twice),), ""),
    "axis by axis": ((axis_by_axis,), ""),
    "another sign": ((probes(lambda F, x, s, e: -pairs(F, x, s, e)),), ""),
}
