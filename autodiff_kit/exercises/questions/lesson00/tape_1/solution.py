"""dz/dy first, then times the slope of y."""


def slopes(a, b, p):
    outer = p * (a * b) ** (p - 1)
    return outer, outer * b, outer * a
