"""Wrong solutions of lesson 21, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


# ------------------------------------------------------------------------------------------------------------- inv-1
def root(F, y):
    lo, hi = -1.0, 1.0
    while F(lo) > y:
        lo *= 2
    while F(hi) < y:
        hi *= 2
    for _ in range(100):
        x = (lo + hi) / 2
        lo, hi = (x, hi) if F(x) < y else (lo, x)
    return x


def newton(F, dF, y, count, x=0.0):
    for _ in range(count):
        x -= (F(x) - y) / dF(x)
    return x


def with_slope(slope):
    def inverse(F, dF, y):
        x = root(F, y)
        return x, slope(F, dF, x, y)

    return inverse


def two_steps(F, dF, y):
    x = newton(F, dF, y, 2)
    return x, 1 / dF(x)


def near_enough(F, dF, y):
    x = 0.0
    while abs(F(x) - y) > 1e-3:
        x = newton(F, dF, y, 1, x)
    return x, 1 / dF(x)


def differences(F, dF, y):
    return root(F, y), (root(F, y + 0.05) - root(F, y - 0.05)) / 0.1


# ------------------------------------------------------------------------------------------------------------- inv-2
def lines(y, x):
    o = np.argsort(y)
    return lambda q: float(np.interp(q, y[o], x[o]))


def inside(y):
    return lambda q: bool(y.min() <= q <= y.max())


def a_line(y, x):
    c = np.polyfit(y, x, 1)
    return (lambda q: float(np.polyval(c, q))), inside(y)


def the_wrong_way(y, x):
    return lines(x, y), inside(y)


def unsorted(y, x):
    """As x grows, not as y does: np.interp does not say that its y are in no order."""
    return (lambda q: float(np.interp(q, y, x))), inside(y)


# ------------------------------------------------------------------------------------------------------------- inv-3
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


# ------------------------------------------------------------------------------------------------------------- inv-4
class Asked:
    def __init__(self, F):
        self.F, self.n = F, 0

    def __call__(self, x):
        self.n += np.size(x)
        return self.F(x)


def roads(road, F, dF, ys):
    F = Asked(F)
    if road == "model":
        x = np.linspace(-1, 1, 101)
        return np.interp(ys, F(x), x), F.n, 0
    slope = dF if road == "solver" else lambda x: (F(x + 1e-4) - F(x - 1e-4)) / 2e-4
    return np.array([newton(F, slope, float(y), 30) for y in ys]), 0, F.n


def fewest(table, n):
    return min(table, key=lambda road: table[road][0] + n * table[road][1])


def copied(road, F, dF, ys):
    xs, _, _ = roads(road, F, dF, ys)
    return xs, *{"solver": (0, 40), "model": (200, 0), "values": (0, 36)}[road]


def all_later(road, F, dF, ys):
    xs, once, later = roads(road, F, dF, ys)
    return xs, 0, once + later


def calls_not_numbers(road, F, dF, ys):
    xs, once, later = roads(road, F, dF, ys)
    return xs, min(once, 1), later


def slope_for_all(road, F, dF, ys):
    return roads(road, F, dF, ys) if road == "model" else roads("solver", F, dF, ys)


def nearest_of_three(road, F, dF, ys):
    if road != "model":
        return roads(road, F, dF, ys)
    x = np.array([-1.0, 0.0, 1.0])
    return x[np.abs(F(x)[:, None] - ys).argmin(0)], 3, 0


WRONG = {
    "inv-1": {
        "slope at y": ((with_slope(lambda F, dF, x, y: 1 / dF(y)),), "slope-at-y"),
        "F', not 1/F'": ((with_slope(lambda F, dF, x, y: dF(x)),), "slope-not-inverted"),
        "slope at the start": ((with_slope(lambda F, dF, x, y: 1 / dF(0.0)),), "slope-at-the-start"),
        "slope at another start": ((with_slope(lambda F, dF, x, y: 1 / dF(1.0)),), "slope-at-the-start"),
        "two steps": ((two_steps,), "stops-too-early"),
        "a coarse end": ((near_enough,), "stops-too-early"),
        "differences of the solver": ((differences,), ""),
        "F' at y, not inverted": ((with_slope(lambda F, dF, x, y: dF(y)),), ""),
        "x and slope swapped": ((lambda F, dF, y: (1 / dF(root(F, y)), root(F, y)),), ""),
    },
    "inv-2": {
        "trusted always": ((lambda y, x: (lines(y, x), lambda q: True),), "M-knows-everywhere"),
        "trusted never": ((lambda y, x: (lines(y, x), lambda q: False),), "trusts-nothing"),
        "a line": ((a_line,), "does-not-fit"),
        "F, not its inverse": ((the_wrong_way,), "does-not-fit"),
        "unsorted": ((unsorted,), "does-not-fit"),
    },
    "inv-3": {
        "no partner": ((probes(lambda F, x, s, e: F(x + s * e) / s * e),), "no-partner"),
        "one side": ((probes(lambda F, x, s, e: (F(x + s * e) - F(x)) / s * e),), "one-sided"),
        "over sigma": ((probes(lambda F, x, s, e: 2 * pairs(F, x, s, e)),), "forgets-the-two"),
        "sum": ((total,), "sum-not-mean"),
        "each pair twice": ((probes(looks_twice),), ""),
        "axis by axis": ((axis_by_axis,), ""),
        "another sign": ((probes(lambda F, x, s, e: -pairs(F, x, s, e)),), ""),
    },
    "inv-4": {
        "the model for all": ((roads, lambda table, n: "model"), "one-road-for-all"),
        "the solver for all": ((roads, lambda table, n: "solver"), "one-road-for-all"),
        "cheapest for one": ((roads, lambda table, n: fewest(table, 1)), "one-road-for-all"),
        "cheapest for many": ((roads, lambda table, n: fewest(table, 10**9)), "one-road-for-all"),
        "dearest": ((roads, lambda table, n: max(table, key=lambda road: table[road][0] + n * table[road][1])), ""),
        "copied figures": ((copied, fewest), ""),
        "all for the queries": ((all_later, fewest), ""),
        "calls, not numbers": ((calls_not_numbers, fewest), ""),
        "dF on every road": ((slope_for_all, fewest), ""),
        "the nearest of three pairs": ((nearest_of_three, fewest), ""),
    },
}
