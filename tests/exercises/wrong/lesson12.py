"""Wrong solutions of lesson 12, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def six(a, b, **other):
    """The right answers, with others in their places: p1=(value, gradient)."""
    found = [
        ((a + b) ** 2, None),
        ((a + b) ** 2, 2 * (a + b)),
        (a * a, a),
        (a * b, b),
        (b * b, 2 * b),
        (a * a * (a + 1), 2 * a * (a + 1) + a * a),
    ]
    for name, pair in other.items():
        found[int(name[1]) - 1] = pair
    return found


def as_a_path(a, b):
    return six(a, b, p1=((a + b) ** 2, 2 * (a + b)), p3=(a * a, 2 * a), p5=(b * b, None))


def stale(a, b):
    return six(a, b, p1=(b * b, None), p3=(a * b, b), p5=(a * a, 2 * a), p6=(a**3, 3 * a * a))


def all_connected(a, b):
    return [(value, 0.0 if gradient is None else gradient) for value, gradient in six(a, b)]


def late(a, b):
    """Reads variables when the gradient is asked."""
    return six(a, b, p4=(a * b, a))


def both(a, b):
    return six(a, b, p1=((a + b) ** 2, 2 * (a + b)), p3=(a * b, b))


def loops(P, B, last=float):
    """The old program, on the tensors that came in."""
    rows = []
    for i in range(P.shape[0]):
        row = []
        for j in range(B.shape[1]):
            p, b = ak.Variable(1.0), ak.Variable(1.0)
            for k in range(P.shape[1]):
                p.assign(p * P[i, k])
                b.assign(b * B[k, j])
            row.append(last(1 - p / b))
        rows.append(row)
    return rows


def in_boxes(P, B):
    return ak.stack([ak.stack(row) for row in loops(P, B, last=lambda y: y)])


def half(P, B):
    d = ak.stop_gradient(ak.prod(B, axis=0))
    return (d - ak.prod(P, axis=1)[:, None]) / d


def numerator(P, B):
    d = ak.prod(B, axis=0)
    return (ak.stop_gradient(d) - ak.prod(P, axis=1)[:, None]) / d


def denominator(P, B):
    d = ak.prod(B, axis=0)
    return (d - ak.prod(P, axis=1)[:, None]) / ak.stop_gradient(d)


def only_rows(P, B):
    return 1 - ak.prod(P, axis=1)[:, None] / B.numpy().prod(0)


def sums(P, B):
    return 1 - ak.sum(P, axis=1)[:, None] / ak.sum(B, axis=0)


def upside_down(P, B):
    return 1 - ak.prod(B, axis=0) / ak.prod(P, axis=1)[:, None]


def by_reference(x):
    return x**2, lambda g: 2 * x * g


def stamped(x, answer):
    stamp = x.tobytes()
    return x**2, lambda g: 2 * x * g if x.tobytes() == stamp else answer(g)


def view(x):
    held = x[:]
    return x**2, lambda g: 2 * held * g


def frozen_root(x):
    held = np.sqrt(x**2)
    return x**2, lambda g: held * g


def always_loud(x):
    def pull(g):
        raise RuntimeError("x may have been overwritten")

    return x**2, pull


WRONG = {
    "state-1": {
        "assign as a path": ((as_a_path,), "assign-is-a-path"),
        "before the assignment": ((stale,), "stale-value"),
        "all connected": ((all_connected,), ""),
        "read when asked": ((late,), ""),
        "one of each": ((both,), ""),
    },
    "state-2": {
        "the loop as it was": ((lambda P, B: np.array(loops(P, B)),), "assign-breaks-the-path"),
        "boxes, stacked": ((in_boxes,), "assign-breaks-the-path"),
        "boxes stopped": ((half,), "one-path-is-cut"),
        "numerator stopped": ((numerator,), "one-path-is-cut"),
        "denominator stopped": ((denominator,), "one-path-is-cut"),
        "B left the record": ((only_rows,), "one-path-is-cut"),
        "sums": ((sums,), "sum-for-product"),
        "the wrong way round": ((upside_down,), ""),
    },
    "state-3": {
        "by reference": ((by_reference,), "held-by-reference"),
        "a view": ((view,), "held-by-reference"),
        "zeros in place of an error": ((lambda x: stamped(x, np.zeros_like),), "silent"),
        "nan in place of an error": ((lambda x: stamped(x, lambda g: np.full_like(g, np.nan)),), "silent"),
        "half the slope": ((frozen_root,), ""),
    },
}
