"""Wrong solutions of lesson 09, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


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


def axis_0(s, k):
    e = np.exp(s - s.max(0))
    return (e / e.sum(0)) * k


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


def pull(w, k, g):
    g = np.where(k, g, 0)
    return w * (g - (w * g).sum(-1, keepdims=True))


def leak(s, k, v):
    p = sm(s)
    return np.where(k, 0, -p * ((p * k) @ v))


def count(k):
    return np.maximum(k.sum(-1), 1)


def mean_log(x, k):
    return ak.sum(ak.where(k, ak.log(ak.where(k, x, 1.0)), 0.0), axis=-1) / count(k)


def softmax(s):
    e = ak.exp(s - ak.max(s, axis=-1, keepdims=True))
    return e / ak.sum(e, axis=-1, keepdims=True)


def attention(scale=True, clean_v=True, clean_k=True, queries=False, additive=False, zeroed=False):
    def f(q, k, v, keep):
        K = keep[:, :, None] if queries else keep[:, None, :]
        k = ak.where(keep[:, :, None], k, 0.0) if clean_k else k
        v = ak.where(keep[:, :, None], v, 0.0) if clean_v else v
        s = ak.matmul(q, ak.swapaxes(k, -1, -2))
        if scale:
            s = s / q.shape[-1] ** 0.5
        if additive:
            return ak.matmul(softmax(s - 1e9 * ~K), v)
        if zeroed:
            return ak.matmul(softmax(s) * K, v)
        s = ak.where(K, s, -1e30)
        e = ak.exp(s - ak.max(s, axis=-1, keepdims=True)) * K
        return ak.matmul(e / ak.maximum(ak.sum(e, axis=-1, keepdims=True), 1e-30), v)

    return f


WRONG = {
    "mask-1": {
        "no renormalisation": ((zero_after, zero_after, kept), "not-renormalised"),
        "scores times mask": ((zero_after, renorm, lambda s, k: sm(s * k)), "zeroes-the-scores"),
        "no max": ((zero_after, no_max, kept), "overflows"),
        "max over all": ((zero_after, max_of_all, kept), "padding-sets-the-scale"),
        "axis 0": ((axis_0, renorm, kept), "wrong-axis"),
        "mask inverted": ((zero_after, renorm, lambda s, k: sm(np.where(k, -1e30, s))), ""),
    },
    "mask-2": {
        "-1e9": ((minus_1e9,), "minus-1e9-is-not-minus-infinity"),
        "eps 1e-9": ((with_eps,), "eps-vanishes-in-float16"),
        "nan_to_num": ((healthy,), "hides-a-real-nan"),
        "times the mask": ((times_the_mask,), "padding-leaks-nan"),
        "always zero": ((lambda s, k, empty="zero": msm(s, k),), "ignores-the-policy"),
        "float64 out": ((lambda s, k, empty="zero": msm(s, k, empty).astype(float),), ""),
        "0/0": ((lambda s, k, empty="zero": kept(s, k).astype(s.dtype),), ""),
    },
    "mask-3": {
        "w(1-w)g": ((lambda w, k, g: w * (1 - w) * np.where(k, g, 0),), "diagonal-only"),
        "w g": ((lambda w, k, g: w * np.where(k, g, 0),), "weights-times-g"),
        "trusts the padding": (
            (lambda w, k, g: w * (g - (w * g).sum(-1, keepdims=True)),),
            "padding-leaks-nan",
        ),
        "plain mean": (
            (lambda w, k, g: w * (np.where(k, g, 0) - np.where(k, g, 0).mean(-1, keepdims=True)),),
            "centred-over-length",
        ),
        "sign": ((lambda w, k, g: -pull(w, k, g),), ""),
    },
    "mask-4": {
        "zeros": ((lambda s, k, v: 0 * s,), "zeroed-so-nothing-flows"),
        "plain softmax slope": ((lambda s, k, v: ~k * sm(s) * (v - sm(s) @ v),), "forgets-the-mask"),
        "p(1-p)v": ((lambda s, k, v: ~k * sm(s) * (1 - sm(s)) * v,), "own-value"),
        "sign": ((lambda s, k, v: -leak(s, k, v),), "sign"),
        "after renormalising": (
            (lambda s, k, v: leak(s, k, v) / (sm(s) * k).sum(),),
            "divides-by-the-kept-sum",
        ),
    },
    "mask-5": {
        "times the mask": ((lambda x, k: ak.sum(ak.log(x) * k, axis=-1) / count(k),), "zero-times-nan"),
        "divides by 5": ((lambda x, k: mean_log(x, k) * (k.sum(-1) / 5),), "divides-by-the-length"),
        "outer where only": (
            (lambda x, k: ak.sum(ak.where(k, ak.log(x), 0.0), axis=-1) / count(k),),
            "where-only-outside",
        ),
        "empty row 0/0": (
            (lambda x, k: ak.sum(ak.where(k, ak.log(ak.where(k, x, 1.0)), 0.0), axis=-1) / k.sum(-1).astype(float),),
            "empty-row",
        ),
        "gradient cut": ((lambda x, k: mean_log(ak.stop_gradient(x), k),), ""),
    },
    "mask-6": {
        "no 1/sqrt(d)": ((attention(scale=False),), "no-scale"),
        "v not cleared": ((attention(clean_v=False),), "zero-times-nan"),
        "k not cleared": ((attention(clean_k=False),), "garbage-reaches-the-query"),
        "queries masked": ((attention(queries=True),), "masks-the-queries"),
        "-1e9 added": ((attention(additive=True, clean_v=False),), "empty-sentence-attends"),
        "zero after": ((attention(zeroed=True),), "not-renormalised"),
    },
}
