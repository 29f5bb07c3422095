"""Halve a bracket; the slope of the inverse belongs to the solution, however it was found."""


def inverse(F, dF, y):
    lo, hi = -1.0, 1.0
    while F(lo) > y:
        lo *= 2
    while F(hi) < y:
        hi *= 2
    for _ in range(100):
        x = (lo + hi) / 2
        lo, hi = (x, hi) if F(x) < y else (lo, x)
    return x, 1 / dF(x)
