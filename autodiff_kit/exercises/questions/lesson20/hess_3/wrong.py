"""Wrong answers to hess-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def along_unit(g, x, u, h):
    return (g(x + h * u) - g(x - h * u)) / (2 * h)


WRONG = {
    "never moves": ((lambda g, x, v, h: (g(x) - g(x)) / (2 * h),), "never-moves"),
    "ahead only": ((lambda g, x, v, h: (g(x + h * v) - g(x)) / h,), "one-sided"),
    "behind only": ((lambda g, x, v, h: (g(x) - g(x - h * v)) / h,), "one-sided"),
    "divides by h": ((lambda g, x, v, h: (g(x + h * v) - g(x - h * v)) / h,), "divides-by-h"),
    "moves every entry": ((lambda g, x, v, h: (g(x + h) - g(x - h)) / (2 * h),), "shifts-by-a-constant"),
    "points exchanged": ((lambda g, x, v, h: (g(x - h * v) - g(x + h * v)) / (2 * h),), "points-exchanged"),
    "unit vector": ((lambda g, x, v, h: along_unit(g, x, v / np.linalg.norm(v), h),), "normalises-v"),
    "does not divide": ((lambda g, x, v, h: g(x + h * v) - g(x - h * v),), "does-not-divide"),
    "gradient": ((lambda g, x, v, h: g(x + h * v),), "gradient-itself"),
}
