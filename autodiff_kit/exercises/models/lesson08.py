"""Lesson 08: cross-entropies with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Array", "as_naive", "binary_terms", "drawn", "one_hot", "smoothed", "softmax", "xent"]

Array = np.ndarray[Any, Any]
KINDS = ("plain", "raised", "sure")


def drawn(rng: np.random.Generator, kind: str) -> tuple[Array, Array]:
    """Logits and labels: ordinary ones, all of them 10 000 higher, and one 2000 ahead of the true class."""
    rows, classes = int(rng.integers(2, 6)), int(rng.integers(3, 7))
    z, y = rng.normal(size=(rows, classes)) * 2, rng.integers(0, classes, rows)
    if kind == "raised":
        z = z + 1e4
    if kind == "sure":
        z[0, y[0] - 1] += 2000.0
    return z, y


def softmax(z: Array) -> Array:
    """The probabilities of each row."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def one_hot(z: Array, y: Array) -> Array:
    """1 at the label, 0 elsewhere."""
    return np.asarray(np.arange(z.shape[1]) == y[:, None], float)


def xent(z: Array, y: Array) -> float:
    """The mean loss."""
    top = z.max(axis=1)
    logs = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return float(np.mean(logs - z[np.arange(len(y)), y]))


def binary_terms(z: Array, y: Array, *, of_softmax: bool) -> float:
    """A yes/no question for each class, of the logits or of their softmax, summed over the classes."""
    t = one_hot(z, y)
    with np.errstate(all="ignore"):
        if of_softmax:
            p = softmax(z)
            terms = -np.where(t > 0, np.log(p), np.log1p(-p))
        else:
            terms = np.maximum(z, 0) - z * t + np.log1p(np.exp(-np.abs(z)))
    return float(terms.sum(axis=1).mean())


def as_naive(z: Array, y: Array, *, shifted: bool) -> float:
    """The loss as its formula reads, with the maximum subtracted or not; infinities and nan included."""
    with np.errstate(all="ignore"):
        e = np.exp(z - z.max(axis=1, keepdims=True) if shifted else z)
        p = e / e.sum(axis=1, keepdims=True)
        return float(-np.log(p[np.arange(len(y)), y]).mean())


def smoothed(z: Array, y: Array, alpha: float, *, others_only: bool = False, last: bool = False) -> tuple[float, Array]:
    """With smoothing and ignored rows; the switches are a share for the others only, and −1 as the last class."""
    y = np.where(y < 0, z.shape[1] - 1, y) if last else y
    keep, classes = y >= 0, z.shape[1]
    share = alpha / (classes - 1) if others_only else alpha / classes
    t = one_hot(z, y) * (1 - alpha) + share * (1 - one_hot(z, y) if others_only else 1)
    t, n = t * keep[:, None], max(1, int(keep.sum()))
    p = softmax(z)
    return float(-(t * np.log(p)).sum() / n), (p * keep[:, None] - t) / n
