"""Wrong answers to hess-3, each with the misconception that it must be told; an empty name asks for the plain message."""

WRONG = {
    "never moves": ((lambda g, x, v, h: (g(x) - g(x)) / (2 * h),), "never-moves"),
    "ahead only": ((lambda g, x, v, h: (g(x + h * v) - g(x)) / h,), "one-sided"),
    "behind only": ((lambda g, x, v, h: (g(x) - g(x - h * v)) / h,), "one-sided"),
    "divides by h": ((lambda g, x, v, h: (g(x + h * v) - g(x - h * v)) / h,), "divides-by-h"),
    "moves every entry": ((lambda g, x, v, h: (g(x + h) - g(x - h)) / (2 * h),), "shifts-by-a-constant"),
    "does not divide": ((lambda g, x, v, h: g(x + h * v) - g(x - h * v),), "does-not-divide"),
    "gradient": ((lambda g, x, v, h: g(x + h * v),), "gradient-itself"),
}
