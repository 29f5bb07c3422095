"""The number of turns changes where x times a power of the factor is the limit, the power 0 included."""


def jumps(limit, factor, lo, hi):
    found, x = [], limit
    while x > lo:
        if x < hi:
            found.append(x)
        x = x / factor
    return found[::-1]
