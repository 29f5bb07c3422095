"""Attention of each sentence alone, and attention with the mask in the wrong place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import softmax

Array = np.ndarray[Any, Any]


def attention_per_sentence(q: Array, k: Array, v: Array, lengths: Array, *, scaled: bool = True) -> Array:
    """Attention of each sentence alone, without padding: the result that padding must not change."""
    out = np.zeros((*q.shape[:2], v.shape[-1]))
    for b, n in enumerate(lengths):
        if n:
            scores = q[b] @ k[b, :n].T / (q.shape[-1] ** 0.5 if scaled else 1.0)
            out[b] = softmax(scores) @ v[b, :n]
    return out


def attention_with_wrong_mask(q: Array, k: Array, v: Array, keep: Array, *, masks_queries: bool = False) -> Array:
    """Attention with the mask applied to the queries, or as zeros after the softmax."""
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if not masks_queries:
        zeroed: Array = (softmax(scores) * keep[:, None, :]) @ v
        return zeroed
    rows = keep[:, :, None]
    e = np.exp(np.where(rows, scores - scores.max(-1, keepdims=True), -np.inf))
    masked: Array = e / np.maximum(e.sum(-1, keepdims=True), 1e-30) @ v
    return masked
