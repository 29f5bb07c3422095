"""Other right answers to lesson 08's questions."""

import numpy as np
from scipy import special

import autodiff_kit as ak


def loss_by_scipy(logits, labels):
    rows = np.arange(len(labels))
    logs = special.log_softmax(logits, axis=1)
    gradient = np.exp(logs)
    gradient[rows, labels] -= 1
    return float(-logs[rows, labels].mean()), gradient / len(labels)


def row_after_row(logits, labels):
    gradient, loss, classes = np.empty_like(logits), 0.0, logits.shape[1]
    if bad := [int(y) for y in labels if not 0 <= y < classes]:
        raise ValueError(f"no classes: {bad}")
    for row, label, out in zip(logits, labels, gradient, strict=True):
        e = np.exp(row - row.max())
        loss += np.log(e.sum()) - row[label] + row.max()
        out[...] = e / e.sum() / len(labels)
        out[label] -= 1 / len(labels)
    return loss / len(labels), gradient


def softened_by_the_kit(logits, labels, alpha):
    keep, z = np.flatnonzero(labels >= 0), ak.Variable(logits)
    targets = (1 - alpha) * np.eye(logits.shape[1])[labels[keep]] + alpha / logits.shape[1]
    with ak.GradientTape() as tape:
        loss = ak.mean(ak.nn.softmax_cross_entropy(targets, z[keep]))
    return loss, tape.gradient(loss, z)


OTHER = {
    "xent-1": (loss_by_scipy,),
    "xent-2": (row_after_row,),
    "xent-3": (softened_by_the_kit,),
}
