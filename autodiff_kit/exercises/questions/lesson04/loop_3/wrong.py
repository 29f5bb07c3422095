"""Wrong answers to loop-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

import autodiff_kit as ak


def newton(a, n, slope):
    x, d = 1.0, 0.0
    for _ in range(n):
        new = 0.5 * (x + a / x)
        x, d = new, slope(a, x, new, d)
    return x, d


def forgets_the_start(a, n):
    return newton(a, n, lambda a, x, new, d: 0.5 * (d + 1 / x - a * (d + 1) / x**2))


def tape_of_the_last(a, n):
    x = newton(a, n - 1, lambda *_: 0.0)[0]
    a = ak.Variable(a)
    with ak.GradientTape() as tape:
        y = 0.5 * (x + a / x)
    return y, tape.gradient(y, a)


def differenced(a, n, h=1e-5):
    x, up, down = (newton(one, n, lambda *_: 0.0)[0] for one in (a, a + h, a - h))
    return x, (up - down) / (2 * h)


def starts_at_one(a, n):
    x, d = 1.0, 1.0
    for _ in range(n):
        x, d = (x + a / x) / 2, (d + 1 / x - a * d / x**2) / 2
    return x, d


WRONG = {
    "1/(2 sqrt a)": (
        (lambda a, n: (newton(a, n, lambda *_: 0.0)[0], 0.5 / math.sqrt(a)),),
        "answers-with-the-limit",
    ),
    "1/(2 x)": ((lambda a, n: (x := newton(a, n, lambda *_: 0.0)[0], 0.5 / x),), "answers-with-the-limit"),
    "the root itself": ((lambda a, n: (math.sqrt(a), 0.5 / math.sqrt(a)),), "answers-with-the-limit"),
    "central difference": ((differenced,), "finite-difference"),
    "new x": (
        (lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 * (d + 1 / new - a * d / new**2)),),
        "uses-the-new-x",
    ),
    "last line": ((lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 / x),), "only-the-last-line"),
    "tape of the last line": ((tape_of_the_last,), "only-the-last-line"),
    "x held still": ((lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 * (d + 1 / x)),), "a-is-all-that-moves"),
    "d starts at 1": ((starts_at_one,), "start-moves-with-a"),
    "d too large by 1": ((forgets_the_start,), ""),
    "one step more": ((lambda a, n: newton(a, n + 1, lambda a, x, new, d: 0.5 * (d + 1 / x - a * d / x**2)),), ""),
}
