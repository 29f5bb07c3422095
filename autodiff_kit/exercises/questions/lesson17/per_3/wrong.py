"""Wrong answers to per-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def kernel_only(X, D):
    return np.linalg.norm(X, axis=1) * np.linalg.norm(D, axis=1)


def right_norms(X, D):
    return np.sqrt(kernel_only(X, D) ** 2 + (D**2).sum(axis=1))


def formed(X, D):
    G = X[:, :, None] * D[:, None, :]
    return np.sqrt((G**2).sum(axis=(1, 2)) + (D**2).sum(axis=1))


def formed_one_by_one(X, D):
    return np.array([np.sqrt((np.outer(x, d) ** 2).sum() + d @ d) for x, d in zip(X, D, strict=True)])


def of_the_batch(X, D):
    return np.full(len(X), np.sqrt(((X.T @ D) ** 2).sum() + (D.sum(axis=0) ** 2).sum()))


WRONG = {
    "kernel only": ((kernel_only,), "forgets-the-bias"),
    "sum of lengths": ((lambda X, D: kernel_only(X, D) + np.linalg.norm(D, axis=1),), "adds-the-norms"),
    "squares": ((lambda X, D: right_norms(X, D) ** 2,), "squared"),
    "of the batch": ((of_the_batch,), "norm-of-the-batch-gradient"),
    "of the batch, one number": ((lambda X, D: of_the_batch(X, D)[0],), "norm-of-the-batch-gradient"),
    "formed": ((formed,), "forms-the-gradients"),
    "formed one by one": ((formed_one_by_one,), "forms-the-gradients"),
    "bias from x": ((lambda X, D: np.hypot(kernel_only(X, D), np.linalg.norm(X, axis=1)),), "bias-from-the-input"),
    "bias 1": ((lambda X, D: np.hypot(kernel_only(X, D), 1.0),), "bias-counts-one"),
    "x and d": ((lambda X, D: np.sqrt((X**2).sum(axis=1) + (D**2).sum(axis=1)),), "adds-the-factors"),
    "x and d, no root": ((lambda X, D: (X**2).sum(axis=1) + (D**2).sum(axis=1),), "adds-the-factors-without-root"),
    "bias only": ((lambda X, D: np.linalg.norm(D, axis=1),), ""),
}
