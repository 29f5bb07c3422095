"""Lesson 17: gradients of single examples in a dense layer, clipped rightly and wrongly; an einsum that counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..protocol import Handle, Remote, plain

__all__ = ["clipped_mean", "counted_einsum", "mean_then_clipped", "stretched_mean"]

Array = np.ndarray[Any, Any]
LARGEST = 1_000_000


def einsum(spec: object, *operands: object) -> Array:
    """np.einsum of plain arrays, with a word on what is not one, and on what would grow too large."""
    if type(spec) is not str or not operands:
        raise TypeError('einsum takes its letters first, then the arrays: einsum("ij,jk->ik", A, B).')
    arrays = [_array(operand) for operand in operands]
    sizes: dict[str, int] = {}
    for letters, array in zip(spec.partition("->")[0].replace(" ", "").split(","), arrays, strict=False):
        sizes |= dict(zip(letters, array.shape, strict=False))
    if np.prod([float(size) for size in sizes.values()]) > LARGEST:
        raise ValueError(f"{spec} multiplies more than {LARGEST} times here.")
    return np.asarray(np.einsum(spec, *arrays))


def _array(operand: object) -> Array:
    array = plain(operand, lambda _: Remote(-1))
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise TypeError(f"einsum takes arrays of numbers; it was given a value of type {type(operand).__name__}.")
    return array


def counted_einsum() -> Handle:
    """The einsum that a learner is given; it counts its calls."""
    return Handle(einsum, "einsum", raw=True)


def lengths(G: Array) -> Array:
    """The length of each row, as a column."""
    return np.asarray(np.linalg.norm(G, axis=1, keepdims=True))


def clipped_mean(G: Array, C: float) -> Array:
    """Shorten each row that is longer than C to C, then average."""
    n = lengths(G)
    return np.asarray((G * np.minimum(1.0, C / np.maximum(n, C))).mean(axis=0))


def mean_then_clipped(G: Array, C: float) -> Array:
    """Average, then shorten what is longer than C."""
    mean = G.mean(axis=0)
    return np.asarray(mean * min(1.0, C / float(np.linalg.norm(mean))))


def stretched_mean(G: Array, C: float) -> Array:
    """Give every row that is not zero the length C, then average."""
    n = lengths(G)
    return np.asarray((G * np.divide(C, n, out=np.zeros_like(n), where=n > 0)).mean(axis=0))
