"""Wrong answers to loop-2, each with the misconception that it must be told; an empty name asks for the plain message."""


def powers(limit, factor, lo, hi, which):
    return [limit / factor**n for n in reversed(which) if lo < limit / factor**n < hi]


def every_step(limit, factor, lo, hi):
    return sorted(x for x in (limit - factor * k for k in range(200)) if lo < x < hi)


def with_lo(limit, factor, lo, hi):
    return [x for n in reversed(range(60)) if lo <= (x := limit / factor**n) < hi]


WRONG = {
    "limit times factor": ((lambda *a: powers(*a, range(-9, 60)),), "forgets-that-the-loop-may-not-run"),
    "without the limit": ((lambda *a: powers(*a, range(1, 60)),), "one-too-few"),
    "steps": ((every_step,), "steps-of-the-factor"),
    "all of them": ((lambda limit, f, lo, hi: powers(limit, f, 0.0, 1e9, range(60)),), "ignores-the-range"),
    "from the wrong end": ((lambda limit, f, lo, hi: [lo * f**n for n in range(60) if lo * f**n < hi],), ""),
    "largest first": ((lambda *a: powers(*a, range(60))[::-1],), "largest-first"),
    "lo too": ((with_lo,), "includes-lo"),
    "a number": ((lambda limit, f, lo, hi: limit,), ""),
    "ten turns": (
        (lambda limit, factor, lo, hi: [x for n in range(9, -1, -1) if lo < (x := limit / factor**n) < hi],),
        "",
    ),
    "powers of two": (
        (lambda limit, factor, lo, hi: [x for n in range(99, -1, -1) if lo < (x := limit / 2**n) < hi],),
        "",
    ),
}
