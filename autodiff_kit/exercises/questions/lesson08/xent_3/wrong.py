"""Wrong answers to xent-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def right(z, y, extra=0.0, times=1.0):
    """The right loss and gradient; the gradient with something more at the labels, or times something."""
    rows = np.arange(len(y))
    top = z.max(axis=1, keepdims=True)
    logs = top[:, 0] + np.log(np.exp(z - top).sum(axis=1))
    d = np.exp(z - logs[:, None])
    d[rows, y] += extra - 1
    return np.mean(logs - z[rows, y]), d * times / len(y)


def table(z, y):
    return np.eye(z.shape[1])[y]


# ---------------------------------------------------------------------------------------------------- xent-3
def soft(z, y, alpha, others=False, last=False, count=None, ignored=False):
    keep = np.ones(len(y), bool) if last else y >= 0
    classes = z.shape[1]
    t = (1 - alpha) * table(z, y) + alpha / classes
    if others:
        t = np.where(table(z, y) > 0, 1 - alpha, alpha / (classes - 1))
    n, p = count or keep.sum(), right(z, np.maximum(y, 0), extra=1.0, times=len(y))[1]
    t = t * keep[:, None]
    return -(t * np.log(p)).sum() / n, (p * (1 if ignored else keep[:, None]) - t) / n


def overwritten(z, y, alpha):
    keep, p = (y >= 0)[:, None], right(z, np.maximum(y, 0), extra=1.0, times=len(y))[1]
    t = np.where(table(z, y) > 0, 1 - alpha, alpha / z.shape[1]) * keep
    return -(t * np.log(p)).sum() / keep.sum(), (p * keep - t) / keep.sum()


def all_in_the_gradient(z, y, alpha):
    return soft(z, y, alpha)[0], soft(z, y, alpha, count=len(y))[1]


def hard(z, y, alpha):
    return soft(z, y, 0.0)


def by_the_kit(z, y, alpha):
    z = ak.Variable(z)
    with ak.GradientTape() as tape:
        loss = ak.mean(ak.nn.sparse_softmax_cross_entropy(np.maximum(y, 0), z))
    return loss, tape.gradient(loss, z)


WRONG = {
    "/ N": ((lambda z, y, a: soft(z, y, a, count=len(y)),), "divides-by-all"),
    "/ N in the gradient": ((all_in_the_gradient,), "divides-by-all"),
    "the last class": ((lambda z, y, a: soft(z, y, a, last=True),), "minus-one-is-the-last-class"),
    "alpha to the others": ((lambda z, y, a: soft(z, y, a, others=True),), "smooths-only-the-others"),
    "p stays": ((lambda z, y, a: soft(z, y, a, ignored=True),), "ignored-rows-get-a-gradient"),
    "no smoothing": ((hard,), "no-smoothing"),
    "no smoothing in the gradient": ((lambda z, y, a: (soft(z, y, a)[0], soft(z, y, 0.0)[1]),), "no-smoothing"),
    "true class overwritten": ((overwritten,), "true-class-without-its-share"),
    "overwritten in the gradient": (
        (lambda z, y, a: (soft(z, y, a)[0], overwritten(z, y, a)[1]),),
        "true-class-without-its-share",
    ),
    "others only in the gradient": (
        (lambda z, y, a: (soft(z, y, a)[0], soft(z, y, a, others=True)[1]),),
        "smooths-only-the-others",
    ),
    "only the rows that count": ((lambda z, y, a: soft(z[y >= 0], y[y >= 0], a),), "drops-the-ignored-rows"),
    "class 0 by the kit": ((by_the_kit,), ""),
}
