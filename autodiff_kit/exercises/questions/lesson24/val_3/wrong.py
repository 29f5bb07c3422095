"""Wrong answers to val-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def newton(F, dF, y, count, x=0.0):
    for _ in range(count):
        x -= (F(x) - y) / dF(x)
    return x


# ------------------------------------------------------------------------------------------------------------- val-3
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
    "the model for all": ((roads, lambda table, n: "model"), "one-road-for-all"),
    "the solver for all": ((roads, lambda table, n: "solver"), "one-road-for-all"),
    "once + later": ((roads, lambda table, n: fewest(table, 1)), "n-changes-nothing"),
    "n times both": ((roads, lambda table, n: min(table, key=lambda m: n * sum(table[m]))), "n-changes-nothing"),
    "once": ((roads, lambda table, n: fewest(table, 0)), "only-the-calls-once"),
    "cheapest for many": ((roads, lambda table, n: fewest(table, 10**9)), "only-the-later-calls"),
    "dearest": ((roads, lambda table, n: max(table, key=lambda road: table[road][0] + n * table[road][1])), ""),
    "copied figures": ((copied, fewest), ""),
    "all for the queries": ((all_later, fewest), ""),
    "calls, not numbers": ((calls_not_numbers, fewest), ""),
    "dF on every road": ((slope_for_all, fewest), ""),
    "the nearest of three pairs": ((nearest_of_three, fewest), ""),
}
