"""Wrong answers to xent-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


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


WRONG = {
    "a table of ones": ((refusing(with_a_table),), "builds-the-one-hot"),
    "-1 wraps": ((refusing_large,), "label-wraps-around"),
    "an IndexError": ((lambda z, y: in_place(z, np.where(y < 0, z.shape[1], y)),), ""),
    "half": ((refusing(lambda z, y: (in_place(z, y)[0] / 2, in_place(z, y)[1])),), ""),
}
