"""Wrong answers to con-2, each with the misconception that it must be told; an empty name asks for the plain message."""


def stopped(a, c, b, lam, weight=1.0, other=1.0):
    lam, a = weight * lam, other * a
    return (a * c + lam * b) / (a + lam) if c > b else c


WRONG = {
    "at the bound": ((lambda a, c, b, lam: min(c, b),), "a-penalty-enforces"),
    "inside too": ((lambda a, c, b, lam: (a * c + lam * b) / (a + lam),), "pulls-inside-too"),
    "no penalty": ((lambda a, c, b, lam: c,), "never-constrained"),
    "penalty twice": ((lambda a, c, b, lam: stopped(a, c, b, lam, weight=2.0),), "halves-mixed-up"),
    "loss twice": ((lambda a, c, b, lam: stopped(a, c, b, lam, other=2.0),), "halves-mixed-up"),
    "weights swapped": ((lambda a, c, b, lam: (a * b + lam * c) / (a + lam) if c > b else c,), "weights-swapped"),
    "b inside": ((lambda a, c, b, lam: (a * c + lam * b) / (a + lam) if c > b else b,), "bound-in-both-cases"),
    "always b": ((lambda a, c, b, lam: b,), "a-penalty-enforces and bound-in-both-cases"),
    "without a": ((lambda a, c, b, lam: (c + lam * b) / (1 + lam) if c > b else c,), "a-is-missing"),
    "the lesson's case": ((lambda a, c, b, lam: b + 1 / (1 + lam) if c > b else c,), "formula-of-the-example"),
    "sum of both": ((lambda a, c, b, lam: c + lam * b,), ""),
}
