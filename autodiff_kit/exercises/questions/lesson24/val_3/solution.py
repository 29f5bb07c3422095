"""A function around F counts; a model asks before the first query comes, the others at each query."""

import numpy as np


class Counted:
    def __init__(self, F):
        self.F, self.asked = F, 0

    def __call__(self, x):
        self.asked += np.size(x)
        return self.F(x)


def by_newton(F, slope, y):
    x = 0.0
    for _ in range(60):
        step = (F(x) - y) / slope(x)
        x -= step
        if abs(step) < 1e-12:
            break
    return x


def solve_by(method, F, dF, ys):
    F = Counted(F)
    if method == "model":
        x = np.linspace(-1, 1, 101)
        return np.interp(ys, F(x), x), F.asked, 0
    slope = dF if method == "solver" else lambda x: (F(x + 1e-4) - F(x - 1e-4)) / 2e-4
    return np.array([by_newton(F, slope, float(y)) for y in ys]), 0, F.asked


def cheapest(table, n):
    return min(table, key=lambda method: table[method][0] + n * table[method][1])
