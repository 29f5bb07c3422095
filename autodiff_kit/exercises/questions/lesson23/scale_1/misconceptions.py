"""Sizes of Adam's steps, as each misconception computes them."""

from __future__ import annotations

from typing import Any

import numpy as np


def sizes_with_mistake(
    gradients: Any, b1: float, b2: float, *,
    m_corrected: bool = True, v_corrected: bool = True, of_sizes: bool = False, divided: bool = True,
    rooted: bool = True,
) -> Any:  # fmt: skip
    """Every switch is one mistake."""
    m = v = 0.0
    sizes = []
    for t, g in enumerate(gradients, start=1):
        m = b1 * m + (1 - b1) * (abs(g) if of_sizes else g)
        v = b2 * v + (1 - b2) * g * g
        mean = m / (1 - b1**t) if m_corrected else m
        square = v / (1 - b2**t) if v_corrected else v
        root = np.sqrt(square) if rooted else square
        sizes.append(abs(mean) / (root if divided else 1.0))
    return np.array(sizes)
