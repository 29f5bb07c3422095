"""Wrong solutions of lesson 08, each with the misconception that it must be told; an empty name asks for the plain message."""

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


def quietly(f):
    def quiet(z, y):
        with np.errstate(all="ignore"):
            return f(z, y)

    return quiet


def clipped(z, y):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = np.maximum(e / e.sum(axis=1, keepdims=True), 1e-300)
    return -np.log(p[np.arange(len(y)), y]).mean(), right(z, y)[1]


def softmax_alone(z, y):
    return right(z, y)[0], right(z, y, extra=1.0)[1] * len(y)


# ---------------------------------------------------------------------------------------------------- xent-2
def refusing(f):
    def refuses(z, y):
        if ((y < 0) | (y >= z.shape[1])).any():
            raise ValueError(f"no class: {y}")
        return f(z, y)

    return refuses


def with_a_table(z, y):
    t = np.zeros_like(z)
    t[np.arange(len(y)), y] = 1
    logs = z - z.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return -(t * logs).sum() / len(y), (np.exp(logs) - t) / len(y)


def in_place(z, y):
    work = z - z.max(axis=1, keepdims=True)
    told = work[np.arange(len(y)), y]
    np.exp(work, out=work)
    sums = work.sum(axis=1, keepdims=True)
    work /= sums
    work[np.arange(len(y)), y] -= 1
    work /= len(y)
    return np.mean(np.log(sums[:, 0]) - told), work


def refusing_large(z, y):
    if (y >= z.shape[1]).any():
        raise ValueError(f"no class: {y}")
    return in_place(z, y)


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
    "xent-1": {
        "binary terms": ((binary_of_logits,), "sum-of-binary-terms"),
        "binary terms of the softmax": ((binary_of_softmax,), "sum-of-binary-terms"),
        "softmax of a softmax": ((of_a_softmax,), "softmax-twice"),
        "sum": ((lambda z, y: (right(z, y)[0] * len(y), right(z, y)[1]),), "sum-not-mean"),
        "sum, gradient too": ((lambda z, y: tuple(part * len(y) for part in right(z, y)),), "sum-not-mean"),
        "log softmax in two steps": ((two_steps,), "log-of-an-underflown-softmax"),
        "two steps, warnings off": ((quietly(two_steps),), "log-of-an-underflown-softmax"),
        "no maximum": ((no_maximum,), "overflows"),
        "p only": ((lambda z, y: right(z, y, extra=1.0),), "forgets-to-subtract-one"),
        "p only, not a mean": ((softmax_alone,), "forgets-to-subtract-one"),
        "not / N": ((lambda z, y: right(z, y, times=len(y)),), "forgets-the-mean"),
        "clipped": ((clipped,), ""),
        "no minus": ((lambda z, y: (-right(z, y)[0], right(z, y)[1]),), ""),
    },
    "xent-2": {
        "a table of ones": ((refusing(with_a_table),), "builds-the-one-hot"),
        "-1 wraps": ((refusing_large,), "label-wraps-around"),
        "an IndexError": ((lambda z, y: in_place(z, np.where(y < 0, z.shape[1], y)),), ""),
        "half": ((refusing(lambda z, y: (in_place(z, y)[0] / 2, in_place(z, y)[1])),), ""),
    },
    "xent-3": {
        "/ N": ((lambda z, y, a: soft(z, y, a, count=len(y)),), "divides-by-all"),
        "/ N in the gradient": ((all_in_the_gradient,), "divides-by-all"),
        "the last class": ((lambda z, y, a: soft(z, y, a, last=True),), "minus-one-is-the-last-class"),
        "alpha to the others": ((lambda z, y, a: soft(z, y, a, others=True),), "smooths-only-the-others"),
        "p stays": ((lambda z, y, a: soft(z, y, a, ignored=True),), "ignored-rows-get-a-gradient"),
        "no smoothing": ((hard,), ""),
        "class 0 by the kit": ((by_the_kit,), ""),
    },
}
