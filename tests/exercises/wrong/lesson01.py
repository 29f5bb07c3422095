"""Wrong solutions of lesson 01, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def value(op, a):
    return {
        "add": lambda: a[0] + a[1],
        "sub": lambda: a[0] - a[1],
        "mul": lambda: a[0] * a[1],
        "square": lambda: a[0] ** 2,
        "sin": lambda: np.sin(a[0]),
    }[op]()


def slopes(op, a):
    return {
        "add": lambda: (1.0, 1.0),
        "sub": lambda: (1.0, -1.0),
        "mul": lambda: (a[1], a[0]),
        "square": lambda: (2 * a[0],),
        "sin": lambda: (np.cos(a[0]),),
    }[op]()


def right(op, a, d):
    return sum(s * t for s, t in zip(slopes(op, a), d))


def push_with(rule):
    def push(program, outputs, x, v):
        val, tan = list(x), list(v)
        for op, *ins in program:
            a, d = [val[i] for i in ins], [tan[i] for i in ins]
            val.append(value(op, a))
            tan.append(rule(op, a, d))
        return np.array([val[i] for i in outputs]), np.array([tan[i] for i in outputs])

    return push


def pull_with(overwrite=False, forward=False, seed_over=False):
    def pull(program, outputs, x, u):
        val = list(x)
        for op, *ins in program:
            val.append(value(op, [val[i] for i in ins]))
        bar = [0.0] * len(val)
        for i, w in zip(outputs, u):
            bar[i] = w if seed_over else bar[i] + w
        order = list(enumerate(program, len(x)))
        for k, (op, *ins) in order if forward else reversed(order):
            for i, s in zip(ins, slopes(op, [val[j] for j in ins])):
                bar[i] = bar[k] * s if overwrite else bar[i] + bar[k] * s
        return np.array(bar[: len(x)])

    return pull


good_push, good_pull = push_with(right), pull_with()


def tangents_multiplied(op, a, d):
    return d[0] * d[1] if op == "mul" else right(op, a, d)


def slope_of_tangent(op, a, d):
    return {"square": lambda: 2 * d[0], "sin": lambda: np.cos(d[0])}.get(op, lambda: right(op, a, d))()


def whole_step(op, a, d):
    return value(op, [p + q for p, q in zip(a, d)]) - value(op, a)


def e(k, n):
    return np.eye(n)[k]


def row(kit, f, x, i):
    y, p = kit.vjp(f, x)
    return p(e(i, len(y)))


def column(kit, f, x, j):
    return kit.jvp(f, x, e(j, len(x)))[1]


def gradient(kit, f, x):
    y, p = kit.vjp(f, x)
    return p(np.ones(len(y)))


def whole(kit, f, x):
    y, p = kit.vjp(f, x)
    return ak.stack([p(e(i, len(y))) for i in range(len(y))])


def central(kit, f, x, v, h=1e-6):
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


def pull_of_v(kit, f, x, v):
    y, p = kit.vjp(f, x)
    w = np.zeros(len(y))
    k = min(len(w), len(v))
    w[:k] = v[:k]
    return p(w)


def one_number(kit, f, x, v):
    y, p = kit.vjp(f, x)
    return np.full(len(y), float(ak.sum(p(np.ones(len(y))) * v)))


def forward(n, m, push, pull):
    return np.stack([push(r) for r in np.eye(n)], 1)


def reverse(n, m, push, pull):
    return np.stack([pull(r) for r in np.eye(m)])


def cheaper(n, m, push, pull):
    return forward(n, m, push, pull) if n <= m else reverse(n, m, push, pull)


def both_modes(n, m, push, pull):
    reverse(n, m, push, pull)
    return forward(n, m, push, pull)


def liar_with(probe=None, tol=None, square=False):
    def liars(ops, rng):
        found = {"square"} if square else set()
        for name, (push, pull, x, m) in ops.items():
            for _ in range(3):
                v, u = (probe(x.size), probe(m)) if probe else (rng.normal(size=x.shape), rng.normal(size=m))
                p = np.asarray(push(x, v.astype(x.dtype)), float)
                q = np.asarray(pull(x, u.astype(x.dtype)), float)
                size = np.abs(u) @ np.abs(p) + np.abs(q) @ np.abs(v)
                if abs(u @ p - q @ v) > (tol(size) if tol else 50 * np.finfo(x.dtype).eps * size):
                    found.add(name)
        return found

    return liars


def band(push, n, k, stride=None):
    c = min(n, stride or 2 * k + 1)
    J = np.zeros((n, n))
    for s in range(c):
        v = np.zeros(n)
        v[s::c] = 1
        w = push(v)
        for j in range(s, n, c):
            lo, hi = max(0, j - k), min(n, j + k + 1)
            J[lo:hi, j] = w[lo:hi]
    return J


def band_blocks(push, n, k):
    c = min(n, 2 * k + 1)
    J, size = np.zeros((n, n)), -(-n // c)
    for s in range(c):
        cols = list(range(s * size, min(n, (s + 1) * size)))
        if cols:
            v = np.zeros(n)
            v[cols] = 1
            w = push(v)
            for j in cols:
                lo, hi = max(0, j - k), min(n, j + k + 1)
                J[lo:hi, j] = w[lo:hi]
    return J


def band_wasteful(push, n, k):
    J = band(push, n, k)
    for _ in range(2 * k + 1 - min(n, 2 * k + 1)):
        push(np.zeros(n))
    return J


WRONG = {
    "jvp-1": {
        "product of tangents": ((push_with(tangents_multiplied), good_pull), "product-of-tangents"),
        "square' = 2 v": ((push_with(slope_of_tangent), good_pull), "slope-at-the-tangent"),
        "f(x+v) - f(x)": ((push_with(whole_step), good_pull), "finite-step"),
        "overwrite": ((good_push, pull_with(overwrite=True)), "overwrites-at-fan-out"),
        "forward order": ((good_push, pull_with(forward=True)), "runs-downwards"),
        "seed overwritten": ((good_push, pull_with(seed_over=True)), "repeated-output-lost"),
    },
    "jvp-2": {
        "gradient returns J": ((row, column, whole), "gives-the-jacobian"),
        "gradient is J @ 1": (
            (row, column, lambda k, f, x: k.jvp(f, x, np.ones(len(x)))[1]),
            "sums-the-rows",
        ),
        "mean": ((row, column, lambda k, f, x: gradient(k, f, x) / len(f(x))), "mean-not-sum"),
        "row and column swapped": (
            (
                lambda k, f, x, i: column(k, f, x, min(i, len(x) - 1)),
                lambda k, f, x, j: row(k, f, x, min(j, len(f(x)) - 1)),
                gradient,
            ),
            "row-is-column",
        ),
        "row out of J": ((lambda k, f, x, i: whole(k, f, x)[i], column, gradient), "jacobian-first"),
        "column out of J": ((row, lambda k, f, x, j: whole(k, f, x)[:, j], gradient), "jacobian-first"),
    },
    "jvp-3": {
        "row by row": ((lambda k, f, x, v: ak.matmul(whole(k, f, x), v),), "jacobian-first"),
        "central difference": ((central,), "finite-difference"),
        "one-sided difference": ((lambda k, f, x, v: (f(x + 1e-7 * v) - f(x)) / 1e-7,), "finite-difference"),
        "pulls v": ((pull_of_v,), "pulled-not-pushed"),
        "a push": ((lambda k, f, x, v: k.jvp(f, x, v)[1],), "used-a-push"),
        "gradient dot v": ((one_number,), "column-sums-times-v"),
    },
    "jvp-4": {
        "always reverse": ((reverse,), "always-reverse"),
        "always forward": ((forward,), "always-forward"),
        "columns as rows": ((lambda n, m, p, q: cheaper(n, m, p, q).T,), "transposed"),
        "the wrong way round": (
            (lambda n, m, p, q: forward(n, m, p, q) if n > m else reverse(n, m, p, q),),
            "",
        ),
        "both modes": ((both_modes,), "too-many-sweeps"),
    },
    "jvp-5": {
        "probes of ones": ((liar_with(np.ones),), "probe-of-ones"),
        "absolute 1e-9": ((liar_with(tol=lambda size: 1e-9),), "tolerance-without-scale"),
        "relative 1e-2": ((liar_with(tol=lambda size: 1e-2 * size),), "tolerance-too-loose"),
        "differences too": ((liar_with(square=True),), "asks-the-identity-for-truth"),
        "nobody": ((lambda ops, rng: set(),), "probe-of-ones"),
        "everybody": ((lambda ops, rng: set(ops),), "tolerance-without-scale"),
    },
    "jvp-6": {
        "one push a column": (
            (lambda push, n, k: np.stack([push(r) for r in np.eye(n)], 1),),
            "a-push-per-column",
        ),
        "blocks of neighbours": ((band_blocks,), "neighbours-share-a-push"),
        "stride k+1": ((lambda push, n, k: band(push, n, k, k + 1),), "stride-too-short"),
        "transposed": ((lambda push, n, k: band(push, n, k).T,), "transposed"),
        "2k+1 where n is less": ((band_wasteful,), ""),
    },
}
