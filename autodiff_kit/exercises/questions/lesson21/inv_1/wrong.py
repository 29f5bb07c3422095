"""Wrong answers to inv-1, each with the misconception that it must be told; an empty name asks for the plain message."""


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


WRONG = {
    "slope at y": ((with_slope(lambda F, dF, x, y: 1 / dF(y)),), "slope-at-y"),
    "F', not 1/F'": ((with_slope(lambda F, dF, x, y: dF(x)),), "slope-not-inverted"),
    "slope at the start": ((with_slope(lambda F, dF, x, y: 1 / dF(0.0)),), "slope-at-the-start"),
    "slope at another start": ((with_slope(lambda F, dF, x, y: 1 / dF(1.0)),), "slope-at-the-start"),
    "two steps": ((two_steps,), "stops-too-early"),
    "a coarse end": ((near_enough,), "stops-too-early"),
    "differences of the solver": ((differences,), ""),
    "F' at y, not inverted": ((with_slope(lambda F, dF, x, y: dF(y)),), "slope-at-y-not-inverted"),
    "1/F(y)": ((with_slope(lambda F, dF, x, y: 1 / F(y)),), "one-over-a-value"),
    "1/F(x)": ((with_slope(lambda F, dF, x, y: 1 / F(x)),), "one-over-a-value"),
    "x and slope swapped": ((lambda F, dF, y: (1 / dF(root(F, y)), root(F, y)),), "swapped"),
}
