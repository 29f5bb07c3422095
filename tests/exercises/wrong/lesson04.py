"""Wrong solutions of lesson 04, each with the misconception that it must be told; an empty name asks for the plain message."""

import math

import autodiff_kit as ak


def looped(x, limit, factor, runs=lambda x, limit: abs(x) < limit):
    slope = 1.0
    while runs(x, limit):
        x, slope = x * factor, slope * factor
    return x, slope


def too_late(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: abs(x) <= limit)


def too_late_below(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: -limit <= x < limit)


def too_early(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: abs(x * factor) < limit)


def difference(x, limit, factor, h=1e-3, left=1, right=1):
    y, up, down = (looped(one, limit, factor)[0] for one in (x, x + right * h, x - left * h))
    return y, (up - down) / ((left + right) * h)


def counted(x, limit, factor, missing=1.0):
    y, slope = looped(x, limit, factor)
    turn = -1 / (x * math.log(factor)) if abs(x) < limit else 0.0
    return y, slope + y * math.log(factor) * turn / missing


def with_the_sign(x, limit, factor):
    y, slope = looped(x, limit, factor)
    return y, math.copysign(slope, x)


def powers(limit, factor, lo, hi, which):
    return [limit / factor**n for n in reversed(which) if lo < limit / factor**n < hi]


def every_step(limit, factor, lo, hi):
    return sorted(x for x in (limit - factor * k for k in range(200)) if lo < x < hi)


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


WRONG = {
    "loop-1": {
        "<=": ((too_late,), "stops-one-too-late"),
        "<= below": ((too_late_below,), "stops-one-too-late"),
        "central difference": ((difference,), "steps-over-the-jump"),
        "small step": ((lambda x, limit, f: difference(x, limit, f, h=1e-7),), "steps-over-the-jump"),
        "forward": ((lambda x, limit, f: difference(x, limit, f, h=1e-6, left=0),), "steps-over-the-jump"),
        "backward": ((lambda x, limit, f: difference(x, limit, f, h=1e-6, right=0),), "steps-over-the-jump"),
        "trip count": ((counted,), "differentiates-the-trip-count"),
        "trip count, no logarithm": (
            (lambda x, limit, f: counted(x, limit, f, math.log(f)),),
            "differentiates-the-trip-count",
        ),
        "y for the slope": ((lambda x, limit, f: (looped(x, limit, f)[0],) * 2,), "gives-the-value"),
        "one too early": ((too_early,), ""),
        "sign of x": ((with_the_sign,), ""),
        "slope 1": ((lambda x, limit, f: (looped(x, limit, f)[0], 1.0),), ""),
    },
    "loop-2": {
        "limit times factor": ((lambda *a: powers(*a, range(-9, 60)),), "forgets-that-the-loop-may-not-run"),
        "without the limit": ((lambda *a: powers(*a, range(1, 60)),), "one-too-few"),
        "steps": ((every_step,), "steps-of-the-factor"),
        "all of them": ((lambda limit, f, lo, hi: powers(limit, f, 0.0, 1e9, range(60)),), ""),
        "a number": ((lambda limit, f, lo, hi: limit,), ""),
    },
    "loop-3": {
        "1/(2 sqrt a)": (
            (lambda a, n: (newton(a, n, lambda *_: 0.0)[0], 0.5 / math.sqrt(a)),),
            "answers-with-the-limit",
        ),
        "new x": (
            (lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 * (d + 1 / new - a * d / new**2)),),
            "uses-the-new-x",
        ),
        "last line": ((lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 / x),), "only-the-last-line"),
        "tape of the last line": ((tape_of_the_last,), "only-the-last-line"),
        "x held still": ((lambda a, n: newton(a, n, lambda a, x, new, d: 0.5 * (d + 1 / x)),), "a-is-all-that-moves"),
        "d too large by 1": ((forgets_the_start,), ""),
        "one step more": ((lambda a, n: newton(a, n + 1, lambda a, x, new, d: 0.5 * (d + 1 / x - a * d / x**2)),), ""),
    },
}
