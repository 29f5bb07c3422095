"""Another right answer to jvp-6."""

import numpy as np


def masked_columns(push, n, k):
    stride = min(2 * k + 1, n)
    near = np.abs(np.arange(n)[:, None] - np.arange(n)) <= k
    answers = np.array([push((np.arange(n) % stride == s).astype(float)) for s in range(stride)])
    return np.where(near, answers[np.arange(n) % stride].T, 0.0)


OTHER = (masked_columns,)
