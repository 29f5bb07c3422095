"""Logits and labels to draw, and cross-entropies and gradients with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.compare import values_close

from ..shared import one_hot, softmax

Array = np.ndarray[Any, Any]


KINDS = ("plain", "raised", "apart", "sure")


def random_logits_and_labels(rng: np.random.Generator, kind: str) -> tuple[Array, Array]:
    """Logits and labels: ordinary ones, all of them or one row 10 000 higher, and one 2000 ahead of the true class."""
    rows, classes = int(rng.integers(2, 6)), int(rng.integers(3, 7))
    z, y = rng.normal(size=(rows, classes)) * 2, rng.integers(0, classes, rows)
    if kind == "raised":
        z = z + 1e4
    if kind == "apart":
        z[0] += 1e4
    if kind == "sure":
        z[0, y[0] - 1] += 2000.0
    return z, y


def mean_cross_entropy(z: Array, y: Array) -> float:
    """The mean loss."""
    top = z.max(axis=1)
    logs = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return float(np.mean(logs - z[np.arange(len(y)), y]))


def binary_cross_entropy(z: Array, y: Array, *, of_softmax: bool) -> float:
    """A yes/no question for each class, of the logits or of their softmax, summed over the classes."""
    t = one_hot(z, y)
    with np.errstate(all="ignore"):
        if of_softmax:
            p = softmax(z)
            terms = -np.where(t > 0, np.log(p), np.log1p(-p))
        else:
            terms = np.maximum(z, 0) - z * t + np.log1p(np.exp(-np.abs(z)))
    return float(terms.sum(axis=1).mean())


def added_before_log(loss: object, z: Array, y: Array) -> float | None:
    """The loss if a usual small number was added to the probabilities, or they were kept above it; None for none."""
    p = softmax(z)[np.arange(len(y)), y]
    for small in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15, 1e-16, 1e-20, 1e-30, 1e-100, 1e-300):
        for kept in (p + small, np.maximum(p, small)):
            found = float(-np.log(kept).mean())
            if values_close(loss, found, 1e-12):
                return found
    return None


def naive_cross_entropy(z: Array, y: Array, *, shifted: bool) -> float:
    """The loss as its formula reads, with the maximum subtracted or not; infinities and nan included."""
    with np.errstate(all="ignore"):
        e = np.exp(z - z.max(axis=1, keepdims=True) if shifted else z)
        p = e / e.sum(axis=1, keepdims=True)
        return float(-np.log(p[np.arange(len(y)), y]).mean())
