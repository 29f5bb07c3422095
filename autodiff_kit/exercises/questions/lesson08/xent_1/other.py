"""Another right answer to xent-1."""

import numpy as np
from scipy import special


def loss_by_scipy(logits, labels):
    rows = np.arange(len(labels))
    logs = special.log_softmax(logits, axis=1)
    gradient = np.exp(logs)
    gradient[rows, labels] -= 1
    return float(-logs[rows, labels].mean()), gradient / len(labels)


OTHER = (loss_by_scipy,)
