"""Wrong answers to mask-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def kept(s, k):
    return sm(np.where(k, s, -np.inf))


def msm(s, k, empty="zero"):
    t = np.where(k, s, -np.inf).astype(s.dtype)
    m = t.max(-1, keepdims=True)
    m = np.where(np.isneginf(m), 0, m).astype(s.dtype)
    e = np.where(k, np.exp(t - m), 0).astype(s.dtype)
    none = ~k.any(-1, keepdims=True)
    out = e / np.where(none, 1, e.sum(-1, keepdims=True)).astype(s.dtype)
    return np.where(none, 0 if empty == "zero" else np.nan, out).astype(s.dtype)


def minus_1e9(s, k, empty="zero"):
    low = s.dtype.type(-1e9 if s.dtype != np.float16 else -6e4)
    t = np.where(k, s, low + np.where(np.isfinite(s), s, 0).astype(s.dtype))
    return sm(t.astype(s.dtype))


def with_eps(s, k, empty="zero"):
    if empty == "nan":
        return msm(s, k, empty)
    t = np.where(k, s, -np.inf).astype(s.dtype)
    m = t.max(-1, keepdims=True)
    e = np.exp(t - np.where(np.isneginf(m), 0, m).astype(s.dtype))
    return (e / (e.sum(-1, keepdims=True) + s.dtype.type(1e-9))).astype(s.dtype)


def healthy(s, k, empty="zero"):
    out = np.nan_to_num(msm(s, k, "nan"))
    return out if empty == "zero" else np.where(k.any(-1, keepdims=True), out, np.nan).astype(s.dtype)


def times_the_mask(s, k, empty="zero"):
    if not k.any(-1).all():
        return msm(s, k, empty)
    e = np.exp(np.minimum(s - np.where(k, s, -np.inf).max(-1, keepdims=True), 0)) * k
    return (e / e.sum(-1, keepdims=True)).astype(s.dtype)


def set_to_minus_1e9(s, k, empty="zero"):
    return sm(np.where(k, s, -1e9).astype(s.dtype))


def eps_in_the_sum(s, k, empty, eps):
    t = np.where(k, s, -np.inf).astype(s.dtype)
    m = t.max(-1, keepdims=True)
    e = np.exp(t - np.where(np.isneginf(m), 0, m).astype(s.dtype))
    out = e / (e.sum(-1, keepdims=True) + s.dtype.type(eps))
    return np.where(k.any(-1, keepdims=True), out, 0 if empty == "zero" else np.nan).astype(s.dtype)


def filled(s, k, empty, number, zeroed=True):
    t = np.where(k, s, s.dtype.type(number))
    e = np.exp(t - t.max(-1, keepdims=True))
    e = np.where(k, e, 0).astype(s.dtype) if zeroed else e
    none = ~k.any(-1, keepdims=True)
    out = e / np.where(none, 1, e.sum(-1, keepdims=True)).astype(s.dtype)
    return np.where(none, 0 if empty == "zero" else np.nan, out).astype(s.dtype)


def zero_after(s, k, empty="zero"):
    clean = np.where(np.isfinite(s) | k, s, 0).astype(s.dtype)
    out = np.where(k, sm(clean), 0)
    return np.where(k.any(-1, keepdims=True), out, 0 if empty == "zero" else np.nan).astype(s.dtype)


def plain_zero_after(s, k, empty="zero"):
    out = sm(s) * k
    return np.where(k.any(-1, keepdims=True), out, 0 if empty == "zero" else np.nan).astype(s.dtype)


def max_over_all(s, k, empty="zero"):
    e = np.where(k, np.exp(s - s.max(-1, keepdims=True)), 0).astype(s.dtype)
    none = ~k.any(-1, keepdims=True)
    out = e / np.where(none, 1, e.sum(-1, keepdims=True)).astype(s.dtype)
    return np.where(none, 0 if empty == "zero" else np.nan, out).astype(s.dtype)


WRONG = {
    "-1e9": ((minus_1e9,), "minus-1e9-is-not-minus-infinity"),
    "set to -1e9": ((set_to_minus_1e9,), "minus-1e9-is-not-minus-infinity"),
    "zero after, padding cleared": ((zero_after,), "zero-after"),
    "zero after": ((plain_zero_after,), "zero-after and padding-leaks-nan"),
    "max over all": ((max_over_all,), "padding-leaks-nan"),
    "eps 1e-9": ((with_eps,), "eps-vanishes-in-float16"),
    "nan_to_num": ((healthy,), "hides-a-real-nan"),
    "times the mask": ((times_the_mask,), "padding-leaks-nan"),
    "always zero": ((lambda s, k, empty="zero": msm(s, k),), "ignores-the-policy"),
    "float64 out": ((lambda s, k, empty="zero": msm(s, k, empty).astype(float),), ""),
    "0/0": ((lambda s, k, empty="zero": kept(s, k).astype(s.dtype),), "empty-row-0/0"),
    "eps 1e-6": ((lambda s, k, empty="zero": eps_in_the_sum(s, k, empty, 1e-6),), "eps-in-the-sum"),
    "eps 1e-3": ((lambda s, k, empty="zero": eps_in_the_sum(s, k, empty, 1e-3),), "eps-in-the-sum"),
    "-6e4, then the mask": ((lambda s, k, empty="zero": filled(s, k, empty, -6e4),), "finite-fill"),
    "-1e4, then the mask": ((lambda s, k, empty="zero": filled(s, k, empty, -1e4),), "finite-fill"),
    "-6e4": ((lambda s, k, empty="zero": filled(s, k, empty, -6e4, zeroed=False),), "finite-fill"),
}
