"""Another right answer to mask-6."""

import numpy as np

import autodiff_kit as ak


def sentence_by_sentence(q, k, v, keep):
    out = []
    for b, n in enumerate(keep.sum(-1).tolist()):
        if n == 0:
            out.append(ak.constant(np.zeros((q.shape[1], v.shape[2]))))
            continue
        e = ak.exp(ak.matmul(q[b], ak.swapaxes(k[b, :n], 0, 1)) / np.sqrt(q.shape[2]))
        out.append(ak.matmul(e / ak.sum(e, axis=1, keepdims=True), v[b, :n]))
    return ak.stack(out)


OTHER = (sentence_by_sentence,)
