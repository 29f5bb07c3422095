"""Each turn multiplies the value and its slope; the number of turns has none."""


def loop(x, limit, factor):
    slope = 1.0
    while abs(x) < limit:
        x, slope = x * factor, slope * factor
    return x, slope
