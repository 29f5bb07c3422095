"""Wrong answers to state-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


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


def last_factor_on_the_tape(P, B):
    rows = []
    for i in range(P.shape[0]):
        row = []
        for j in range(B.shape[1]):
            p, b = ak.Variable(1.0), ak.Variable(1.0)
            for k in range(P.shape[1] - 1):
                p.assign(p * P[i, k])
                b.assign(b * B[k, j])
            row.append(1 - p * P[i, -1] / (b * B[-1, j]))
        rows.append(ak.stack(row))
    return ak.stack(rows)


def by_logarithms(P, B):
    return 1 - ak.exp(ak.sum(ak.log(P), axis=1)[:, None] - ak.sum(ak.log(B), axis=0))


WRONG = {
    "the loop as it was": ((lambda P, B: np.array(loops(P, B)),), "assign-breaks-the-path"),
    "boxes, stacked": ((in_boxes,), "assign-breaks-the-path"),
    "boxes stopped": ((half,), "one-path-is-cut"),
    "numerator stopped": ((numerator,), "one-path-is-cut"),
    "denominator stopped": ((denominator,), "one-path-is-cut"),
    "B left the record": ((only_rows,), "one-path-is-cut"),
    "all but the last by assign": ((last_factor_on_the_tape,), "only-the-last-factor"),
    "P along the other axis": ((lambda P, B: 1 - ak.prod(P, axis=0)[:, None] / ak.prod(B, axis=0),), "axes-swapped"),
    "both along the other axis": ((lambda P, B: 1 - ak.prod(P, axis=0)[:, None] / ak.prod(B, axis=1),), "axes-swapped"),
    "B along the other axis": ((lambda P, B: 1 - ak.prod(P, axis=1)[:, None] / ak.prod(B, axis=1),), "axes-swapped"),
    "sums": ((sums,), "sum-for-product"),
    "the wrong way round": ((upside_down,), ""),
    "by logarithms": ((by_logarithms,), "through-logarithms"),
}
