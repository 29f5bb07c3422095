"""Wrong answers to xent-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


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


def binary_of_logits(z, y):
    terms = np.maximum(z, 0) - z * table(z, y) + np.log1p(np.exp(-np.abs(z)))
    return terms.sum(axis=1).mean(), right(z, y)[1]


def binary_of_softmax(z, y):
    p, t = right(z, y, extra=1.0, times=len(y))[1], table(z, y)
    with np.errstate(all="ignore"):
        return -np.where(t > 0, np.log(p), np.log1p(-p)).sum(axis=1).mean(), right(z, y)[1]


def of_a_softmax(z, y):
    return right(right(z, y, extra=1.0, times=len(y))[1], y)[0], right(z, y)[1]


def two_steps(z, y):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean(), right(z, y)[1]


def no_maximum(z, y):
    return (np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(y)), y]).mean(), right(z, y)[1]


def one_maximum(z, y):
    logs = np.log(np.exp(z - z.max()).sum(axis=1)) + z.max()
    return (logs - z[np.arange(len(y)), y]).mean(), right(z, y)[1]


def quietly(f):
    def quiet(z, y):
        with np.errstate(all="ignore"):
            return f(z, y)

    return quiet


def clipped(z, y):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = np.maximum(e / e.sum(axis=1, keepdims=True), 1e-300)
    return -np.log(p[np.arange(len(y)), y]).mean(), right(z, y)[1]


def small_number_added(z, y, small=1e-12):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y] + small).mean(), right(z, y)[1]


def softmax_alone(z, y):
    return right(z, y)[0], right(z, y, extra=1.0)[1] * len(y)


WRONG = {
    "binary terms": ((binary_of_logits,), "sum-of-binary-terms"),
    "binary terms of the softmax": ((binary_of_softmax,), "sum-of-binary-terms"),
    "softmax of a softmax": ((of_a_softmax,), "softmax-twice"),
    "sum": ((lambda z, y: (right(z, y)[0] * len(y), right(z, y)[1]),), "sum-not-mean"),
    "sum, gradient too": ((lambda z, y: tuple(part * len(y) for part in right(z, y)),), "sum-not-mean"),
    "log softmax in two steps": ((two_steps,), "log-of-an-underflown-softmax"),
    "two steps, warnings off": ((quietly(two_steps),), "log-of-an-underflown-softmax"),
    "no maximum": ((no_maximum,), "overflows"),
    "one maximum": ((one_maximum,), "one-maximum-for-all-rows"),
    "one maximum, warnings off": ((quietly(one_maximum),), "one-maximum-for-all-rows"),
    "labels from 1": ((lambda z, y: right(z, y - 1),), "counts-labels-from-one"),
    "p only": ((lambda z, y: right(z, y, extra=1.0),), "forgets-to-subtract-one"),
    "p only, not a mean": ((softmax_alone,), "forgets-to-subtract-one"),
    "not / N": ((lambda z, y: right(z, y, times=len(y)),), "forgets-the-mean"),
    "clipped": ((clipped,), "adds-a-small-number"),
    "log(p + 1e-12)": ((small_number_added,), "adds-a-small-number"),
    "log(p + 1e-7)": ((lambda z, y: small_number_added(z, y, 1e-7),), "adds-a-small-number"),
    "binary terms, and p only": (
        (lambda z, y: (binary_of_logits(z, y)[0], softmax_alone(z, y)[1]),),
        "sum-of-binary-terms",
    ),
    "softmax twice, not / N": ((lambda z, y: (of_a_softmax(z, y)[0], right(z, y, times=len(y))[1]),), "softmax-twice"),
    "target - p": ((lambda z, y: (right(z, y)[0], -right(z, y)[1]),), "target-minus-probability"),
    "no minus": ((lambda z, y: (-right(z, y)[0], right(z, y)[1]),), "forgets-the-minus"),
}
