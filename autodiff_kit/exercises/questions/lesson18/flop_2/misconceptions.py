"""Costs of a matrix chain product: from the left, from the right and greedy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np


def forward_mode_cost(dims: Sequence[int]) -> int:
    """Multiplications of pushing all of the first size's tangents through the chain."""
    return sum(dims[0] * a * b for a, b in pairwise(dims[1:]))


def reverse_mode_cost(dims: Sequence[int]) -> int:
    """Multiplications of pulling all of the last size's cotangents through it."""
    return sum(dims[-1] * a * b for a, b in pairwise(dims[:-1]))


def one_cut_cost(dims: Sequence[int]) -> int:
    """Forward mode up to a cut, reverse mode after it, and one product that joins them; the best cut."""
    return min(
        forward_mode_cost(dims[: k + 1]) + reverse_mode_cost(dims[k:]) + dims[0] * dims[k] * dims[-1]
        for k in range(1, len(dims) - 1)
    )


def greedy_cost(dims: Sequence[int]) -> int:
    """Always the cheapest product of two neighbours first."""
    left, total = list(dims), 0
    while len(left) > 2:
        prices = [left[i - 1] * left[i] * left[i + 1] for i in range(1, len(left) - 1)]
        i = int(np.argmin(prices))
        total += prices[i]
        del left[i + 1]
    return total
