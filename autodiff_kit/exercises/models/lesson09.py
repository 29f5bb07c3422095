"""Lesson 09: masks in the wrong place, softmaxes with the wrong sum."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def softmax(scores: Array) -> Array:
    """Softmax over the last axis."""
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights: Array = e / e.sum(-1, keepdims=True)
    return weights


def over_first_axis(scores: Array) -> Array:
    """Softmax over the wrong axis."""
    return np.moveaxis(softmax(np.moveaxis(scores, 0, -1)), -1, 0)


def masks(rng: np.random.Generator, shape: tuple[int, ...], *, empty: bool = False) -> Array:
    """Masks with something kept and something padded in every row; the first may be ``empty``."""
    keep = rng.random(shape) < 0.6
    for row in keep.reshape(-1, shape[-1]):
        row[rng.integers(shape[-1])] = True
        if row.all():
            row[rng.integers(shape[-1])] = False
    if empty:
        keep.reshape(-1, shape[-1])[0] = False
    return keep


def attention_alone(q: Array, k: Array, v: Array, lengths: Array, *, scaled: bool = True) -> Array:
    """Every sentence by itself, cut to its length: the judge of what padding may not change."""
    out = np.zeros((*q.shape[:2], v.shape[-1]))
    for b, n in enumerate(lengths):
        if n:
            scores = q[b] @ k[b, :n].T / (q.shape[-1] ** 0.5 if scaled else 1.0)
            out[b] = softmax(scores) @ v[b, :n]
    return out


def attention_on(q: Array, k: Array, v: Array, keep: Array, *, masks_queries: bool = False) -> Array:
    """Attention with the mask on the queries, or with zeroing after the softmax."""
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if not masks_queries:
        zeroed: Array = (softmax(scores) * keep[:, None, :]) @ v
        return zeroed
    rows = keep[:, :, None]
    e = np.exp(np.where(rows, scores - scores.max(-1, keepdims=True), -np.inf))
    masked: Array = e / np.maximum(e.sum(-1, keepdims=True), 1e-30) @ v
    return masked
