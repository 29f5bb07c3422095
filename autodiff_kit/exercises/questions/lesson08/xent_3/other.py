"""Another right answer to xent-3."""

import numpy as np

import autodiff_kit as ak


def softened_by_the_kit(logits, labels, alpha):
    keep, z = np.flatnonzero(labels >= 0), ak.Variable(logits)
    targets = (1 - alpha) * np.eye(logits.shape[1])[labels[keep]] + alpha / logits.shape[1]
    with ak.GradientTape() as tape:
        loss = ak.mean(ak.nn.softmax_cross_entropy(targets, z[keep]))
    return loss, tape.gradient(loss, z)


OTHER = (softened_by_the_kit,)
