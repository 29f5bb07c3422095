"""Wrong answers to val-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

from .solution import cheapest, solve_by


def copied(method, F, dF, ys):
    xs, _, _ = solve_by(method, F, dF, ys)
    return xs, *{"solver": (0, 40), "model": (200, 0), "values": (0, 36)}[method]


def all_later(method, F, dF, ys):
    xs, once, later = solve_by(method, F, dF, ys)
    return xs, 0, once + later


def calls_not_numbers(method, F, dF, ys):
    xs, once, later = solve_by(method, F, dF, ys)
    return xs, min(once, 1), later


def slope_for_all(method, F, dF, ys):
    return solve_by(method, F, dF, ys) if method == "model" else solve_by("solver", F, dF, ys)


def outside(method, F, dF, ys):
    if method != "model":
        return solve_by(method, F, dF, ys)
    x = np.linspace(-2, 2, 201)
    return np.interp(ys, F(x), x), 201, 0


def nearest_of_three(method, F, dF, ys):
    if method != "model":
        return solve_by(method, F, dF, ys)
    x = np.array([-1.0, 0.0, 1.0])
    return x[np.abs(F(x)[:, None] - ys).argmin(0)], 3, 0


WRONG = {
    "the model for all": ((solve_by, lambda table, n: "model"), "one-method-for-all"),
    "the solver for all": ((solve_by, lambda table, n: "solver"), "one-method-for-all"),
    "once + later": ((solve_by, lambda table, n: cheapest(table, 1)), "n-changes-nothing"),
    "n times both": ((solve_by, lambda table, n: min(table, key=lambda m: n * sum(table[m]))), "n-changes-nothing"),
    "once": ((solve_by, lambda table, n: cheapest(table, 0)), "only-the-calls-once"),
    "cheapest for many": ((solve_by, lambda table, n: cheapest(table, 10**9)), "only-the-later-calls"),
    "dearest": (
        (solve_by, lambda table, n: max(table, key=lambda method: table[method][0] + n * table[method][1])),
        "",
    ),
    "copied figures": ((copied, cheapest), ""),
    "all for the queries": ((all_later, cheapest), ""),
    "calls, not numbers": ((calls_not_numbers, cheapest), ""),
    "dF in every method": ((slope_for_all, cheapest), ""),
    "pairs outside of -1 to 1": ((outside, cheapest), ""),
    "the nearest of three pairs": ((nearest_of_three, cheapest), ""),
}
