"""Banded Jacobians read from jvps with columns grouped in the wrong way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]


def band_from_groups(push: Callable[[Array], Array], n: int, k: int, groups: list[list[int]]) -> Array:
    """A band read from pushes of the given groups of columns."""
    J = np.zeros((n, n))
    for columns in groups:
        v = np.zeros(n)
        v[columns] = 1
        together = push(v)
        for j in columns:
            rows = slice(max(0, j - k), min(n, j + k + 1))
            J[rows, j] = together[rows]
    return J


def adjacent_columns(n: int, k: int) -> list[list[int]]:
    """2k+1 groups of columns that lie side by side."""
    size = -(-n // min(n, 2 * k + 1))
    return [list(range(start, min(n, start + size))) for start in range(0, n, size)]


def strided_columns(n: int, stride: int) -> list[list[int]]:
    """Groups of columns that lie a stride apart."""
    return [list(range(start, n, stride)) for start in range(min(n, stride))]
