"""Wrong answers to mask-6, each with the misconception that it must be told; an empty name asks for the plain message."""

import autodiff_kit as ak


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


def nan_of_empty(q, k, v, keep):
    k, v = ak.where(keep[:, :, None], k, 0.0), ak.where(keep[:, :, None], v, 0.0)
    scores = ak.matmul(q, ak.swapaxes(k, -1, -2)) / q.shape[-1] ** 0.5
    e = ak.exp(scores) * keep[:, None, :]
    return ak.matmul(e / ak.sum(e, axis=-1, keepdims=True), v)


def padded_queries_zeroed(q, k, v, keep):
    return attention()(q, k, v, keep) * keep[:, :, None]


WRONG = {
    "no 1/sqrt(d)": ((attention(scale=False),), "no-scale"),
    "v not cleared": ((attention(clean_v=False),), "zero-times-nan"),
    "k not cleared": ((attention(clean_k=False),), "garbage-reaches-the-query"),
    "queries masked": ((attention(queries=True),), "masks-the-queries"),
    "-1e9 added": ((attention(additive=True, clean_v=False),), "empty-sentence-attends"),
    "zero after": ((attention(zeroed=True),), "not-renormalised"),
    "nan of an empty sentence": ((nan_of_empty,), "empty-sentence-0/0"),
    "padded queries zeroed": ((padded_queries_zeroed,), "zeroes-padded-queries"),
}
