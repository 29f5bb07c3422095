"""Wrong answers to adam-4, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def moves(slots, n, lr, b1, b2, eps, v_moves=True, t_moves=True, late=False, bias=True, m_moves=True, inside=False):
    m, v, t, total = slots["m"], slots["v"], slots["t"], 0.0
    for _ in range(n):
        used = m
        m = b1 * m if m_moves else m
        if not late:
            used = m
        v = b2 * v if v_moves else v
        t = t + 1 if t_moves else t
        up = used / (1 - b1**t) if bias else used
        down = np.sqrt(v / (1 - b2**t)) if bias else np.sqrt(v)
        total = total - lr * up / (np.sqrt(down**2 + eps) if inside else down + eps)
    return total


def drift(**switches):
    return lambda slots, n, **constants: moves(slots, n, **constants, **switches)


def present_first(slots, n, lr, b1, b2, eps):
    m, v, t, total = slots["m"], slots["v"], slots["t"], 0.0
    for _ in range(n):
        total = total - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
        m, v, t = b1 * m, b2 * v, t + 1
    return total


def series(slots, n, lr, b1, b2, eps):
    mean, square = slots["m"] / (1 - b1 ** slots["t"]), slots["v"] / (1 - b2 ** slots["t"])
    return -lr * sum(b1**k for k in range(1, n + 1)) * mean / (np.sqrt(square) + eps)


WRONG = {
    "nothing": ((lambda slots, n, **constants: 0 * slots["m"],), "zero-gradient-means-still"),
    "n first steps": (
        (lambda slots, n, **constants: n * moves(slots, 1, **constants),),
        "all-steps-like-the-first",
    ),
    "v stays": ((drift(v_moves=False),), "v-does-not-change"),
    "t stays": ((drift(t_moves=False),), "t-does-not-count"),
    "m of before": ((drift(late=True),), "m-decays-too-late"),
    "no correction": ((drift(bias=False),), "no-bias-correction"),
    "m stays": ((drift(m_moves=False),), "m-does-not-decay"),
    "t from 0": ((lambda slots, n, **constants: moves({**slots, "t": 0}, n, **constants),), "t-starts-again"),
    "eps under the root": ((drift(inside=True),), "eps-inside-the-root"),
    "from the present m": ((present_first,), "one-step-too-late"),
    "t of before": ((lambda slots, n, **H: moves({**slots, "t": slots["t"] - 1}, n, **H),), "t-is-one-behind"),
    "n + 1": ((lambda slots, n, **H: moves(slots, n + 1, **H),), "one-step-more"),
    "n - 1": ((lambda slots, n, **H: moves(slots, n - 1, **H) + 0 * slots["m"],), "one-step-fewer"),
    "series": ((series,), "only-m-changes"),
    "the last one": ((lambda slots, n, **H: moves(slots, n, **H) - moves(slots, n - 1, **H),), "the-last-step-only"),
    "sign": ((lambda slots, n, **constants: -moves(slots, n, **constants),), "wrong-sign"),
    "no lr": ((lambda slots, n, lr, **constants: moves(slots, n, lr=1.0, **constants),), ""),
}
