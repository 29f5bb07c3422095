"""Wrong answers to tape-1, each with the misconception that it must be told; an empty name asks for the plain message."""


def slopes(a, b, p):
    d = p * (a * b) ** (p - 1)
    return d, d * b, d * a


WRONG = {
    "dz/dy for all": ((lambda a, b, p: (slopes(a, b, p)[0],) * 3,), "stops-at-the-middle"),
    "dy/da": ((lambda a, b, p: (slopes(a, b, p)[0], b, a),), "forgets-the-outer-slope"),
    "y moved by a": ((lambda a, b, p: (slopes(a, b, p)[1],) + slopes(a, b, p)[1:],), "from-the-wrong-end"),
    "a and b mixed up": ((lambda a, b, p: (slopes(a, b, p)[0], *slopes(a, b, p)[:0:-1]),), "swaps-a-and-b"),
    "without the factor p": ((lambda a, b, p: tuple(d / p for d in slopes(a, b, p)),), "forgets-the-factor-p"),
    "p = 2 always": ((lambda a, b, p: slopes(a, b, 2),), "p-taken-for-2"),
    "the value of z": ((lambda a, b, p: ((a * b) ** p,) * 3,), ""),
}
