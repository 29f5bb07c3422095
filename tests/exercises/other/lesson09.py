"""Other right answers to lesson 09's questions."""

import numpy as np

import autodiff_kit as ak


def exponentials(scores, keep):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    e = np.exp(shifted)
    return np.where(keep, e / e.sum(-1, keepdims=True), 0)


def very_negative(scores, keep):
    kept = np.where(keep, scores, -1e30)
    e = np.exp(kept - kept.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def row_by_row(scores, keep, empty="zero"):
    out = np.zeros_like(scores)
    for i, (row, kept) in enumerate(zip(scores, keep, strict=True)):
        if not kept.any():
            out[i] = 0 if empty == "zero" else np.nan
        else:
            e = np.exp(row[kept] - row[kept].max())
            out[i, kept] = e / e.sum()
    return out


def pull_row_by_row(w, keep, g):
    out = np.zeros_like(w)
    for i, k in enumerate(keep):
        out[i, k] = w[i, k] * (g[i, k] - w[i, k] @ g[i, k])
    return out


def leak_of_the_tape(scores, keep, values):
    with ak.GradientTape() as tape:
        s = ak.constant(scores)
        tape.watch(s)
        e = ak.exp(s - ak.max(s))
        y = ak.sum(ak.where(keep, e / ak.sum(e), 0.0) * values)
    return np.where(keep, 0, tape.gradient(y, s).numpy())


def means_by_product(x, keep):
    logs = ak.log(ak.where(keep, x, np.ones(x.shape))) * keep
    return ak.sum(logs, axis=1) / np.where(keep.any(1), keep.sum(1), 1)


def sentence_by_sentence(q, k, v, keep):
    out = []
    for b, n in enumerate(keep.sum(-1).tolist()):
        if n == 0:
            out.append(ak.constant(np.zeros((q.shape[1], v.shape[2]))))
            continue
        e = ak.exp(ak.matmul(q[b], ak.swapaxes(k[b, :n], 0, 1)) / np.sqrt(q.shape[2]))
        out.append(ak.matmul(e / ak.sum(e, axis=1, keepdims=True), v[b, :n]))
    return ak.stack(out)


OTHER = {
    "mask-1": (
        exponentials,
        very_negative,
        very_negative,
    ),
    "mask-2": (row_by_row,),
    "mask-3": (pull_row_by_row,),
    "mask-4": (leak_of_the_tape,),
    "mask-5": (means_by_product,),
    "mask-6": (sentence_by_sentence,),
}
