"""Wrong answers to seg-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def soft(s, ids, c, level):
    e = np.exp(s - level)
    return e / np.bincount(ids, e, c)[ids]


def quiet(f):
    def silent(*args):
        with np.errstate(all="ignore"):
            return f(*args)

    return silent


def everything(s, ids, c):
    e = np.exp(s - s.max())
    return e / e.sum()


def not_divided(s, ids, c):
    return np.exp(s - s.max())


def own_level(s, ids, c):
    most = np.full(c, -np.inf)
    np.maximum.at(most, ids, s)
    return most[ids]


def from_zero(s, ids, c):
    most = np.zeros(c)
    np.maximum.at(most, ids, s)
    return soft(s, ids, c, most[ids])


def from_number(s, ids, c, number):
    most = np.full(c, number)
    np.maximum.at(most, ids, s)
    return soft(s, ids, c, most[ids])


def own_means(s, ids, c):
    means = np.bincount(ids, s, c) / np.maximum(np.bincount(ids, minlength=c), 1)
    e = np.exp(s - means[ids])
    return e / np.bincount(ids, e, c)[ids]


WRONG = {
    "global": ((everything,), "softmax-over-everything"),
    "no max": ((lambda s, ids, c: soft(s, ids, c, 0.0),), "overflows"),
    "no max, warnings off": ((quiet(lambda s, ids, c: soft(s, ids, c, 0.0)),), "overflows"),
    "one max": ((lambda s, ids, c: soft(s, ids, c, s.max()),), "one-maximum-for-all"),
    "one max, warnings off": ((quiet(lambda s, ids, c: soft(s, ids, c, s.max())),), "one-maximum-for-all"),
    "maxima from 0": ((from_zero,), "maxima-start-from-zero"),
    "maxima from 0, warnings off": ((quiet(from_zero),), "maxima-start-from-zero"),
    "maxima from -1e9": ((quiet(lambda s, ids, c: from_number(s, ids, c, -1e9)),), "maxima-start-from-zero"),
    "maxima from -1e4": ((lambda s, ids, c: from_number(s, ids, c, -1e4),), "maxima-start-from-zero"),
    "not divided": ((not_divided,), "not-yet-divided"),
    "divided by the count": ((lambda s, ids, c: np.exp(s - own_level(s, ids, c)) / np.bincount(ids)[ids],), ""),
    "means in place of maxima": ((own_means,), "overflows"),
}
