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


def unit(e):
    return e / np.linalg.norm(e)


def averaged_first(F, x, s, E):
    return pairs(F, x, s, E.mean(axis=0))


def factors_averaged_apart(F, x, s, E):
    return np.mean([(F(x + s * e) - F(x - s * e)) / (2 * s) for e in E]) * E.mean(axis=0)


WRONG = {
    "no partner": ((probes(lambda F, x, s, e: F(x + s * e) / s * e),), "no-partner"),
    "one side": ((probes(lambda F, x, s, e: (F(x + s * e) - F(x)) / s * e),), "one-sided"),
    "over sigma": ((probes(lambda F, x, s, e: 2 * pairs(F, x, s, e)),), "forgets-the-two"),
    "sum": ((total,), "sum-not-mean"),
    "each pair twice": ((probes(looks_twice),), ""),
    "axis by axis": ((axis_by_axis,), "unit-vectors"),
    "mean of the axes": ((lambda F, x, s, E: axis_by_axis(F, x, s, E) / len(x),), "mean-over-unit-vectors"),
    "probes averaged": ((averaged_first,), "probes-averaged-first"),
    "factors averaged apart": ((factors_averaged_apart,), "probes-averaged-first"),
    "unit probes": ((probes(lambda F, x, s, e: pairs(F, x, s, unit(e))),), "divided-by-n"),
    "mean over n": ((lambda F, x, s, E: probes(pairs)(F, x, s, E) / len(x),), "divided-by-n"),
    "a unit probe once": ((probes(lambda F, x, s, e: pairs(F, x, s, e) / np.linalg.norm(e)),), "divided-by-root-n"),
    "mean of the mean": ((lambda F, x, s, E: probes(pairs)(F, x, s, E) / len(E),), "divided-twice"),
    "not times e": (
        (lambda F, x, s, E: np.full(len(x), np.mean([(F(x + s * e) - F(x - s * e)) / (2 * s) for e in E])),),
        "not-multiplied-by-e",
    ),
    "another sign": ((probes(lambda F, x, s, e: -pairs(F, x, s, e)),), ""),
}
