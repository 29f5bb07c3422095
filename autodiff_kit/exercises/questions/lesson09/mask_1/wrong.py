"""Wrong answers to mask-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def zero_after(s, k):
    return sm(s) * k


def kept(s, k):
    return sm(np.where(k, s, -np.inf))


def renorm(s, k):
    e = np.exp(np.minimum(s - np.where(k, s, -np.inf).max(-1, keepdims=True), 0)) * k
    return e / e.sum(-1, keepdims=True)


def no_max(s, k):
    e = np.exp(s) * k
    return e / e.sum(-1, keepdims=True)


def max_of_all(s, k):
    p = sm(s) * k
    return p / p.sum(-1, keepdims=True)


def weighed_again(s, k):
    p = sm(np.where(k, s, -1e9)) * k
    return p / p.sum(-1, keepdims=True)


def axis_0(s, k):
    e = np.exp(s - s.max(0))
    return (e / e.sum(0)) * k


def adds(c):
    return zero_after, renorm, lambda s, k: sm(s + np.where(k, 0.0, c))


def sets(c):
    return zero_after, renorm, lambda s, k: sm(np.where(k, s, c))


WRONG = {
    "no renormalisation": ((zero_after, zero_after, kept), "not-renormalised"),
    "scores times mask": ((zero_after, renorm, lambda s, k: sm(s * k)), "zeroes-the-scores"),
    **{f"adds {c:g}": (adds(c), "not-small-enough") for c in (-10.0, -100.0, -1e4, -1e9)},
    **{f"sets to {c:g}": (sets(c), "not-small-enough") for c in (-10.0, -100.0, -1e4)},
    "adds -7": (adds(-7.0), ""),
    "sets to -1e9": (sets(-1e9), "not-small-enough"),
    "-1e9, then the mask": ((zero_after, weighed_again, kept), "not-small-enough"),
    "scores times mask, all zeroed": ((lambda s, k: sm(s * k), renorm, kept), "zeroes-the-scores"),
    "scores times mask, then zeroed": ((lambda s, k: sm(s * k) * k, renorm, kept), "zeroed-scores-stay"),
    "no max": ((zero_after, no_max, kept), "overflows"),
    "max over all": ((zero_after, max_of_all, kept), "padding-sets-the-scale"),
    "axis 0": ((axis_0, renorm, kept), "wrong-axis"),
    "mask inverted": ((zero_after, renorm, lambda s, k: sm(np.where(k, -1e30, s))), "mask-inverted"),
    "masked before": ((kept, renorm, kept), "masks-before-instead"),
    "zeroes inverted": ((lambda s, k: sm(s) * ~k, renorm, kept), "mask-inverted"),
    "two faults": ((zero_after, zero_after, lambda s, k: sm(s * k)), "not-renormalised"),
    "sign of the scores": ((lambda s, k: sm(-s) * k, renorm, kept), ""),
}
