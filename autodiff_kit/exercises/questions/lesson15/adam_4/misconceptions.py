"""The motion that n zeros cause, as each misconception computes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import Slots
from . import solution


def drift_with_mistake(
    slots: Slots, n: int, lr: float, b1: float, b2: float, eps: float, *,
    v_decays: bool = True, t_counts: bool = True, m_late: bool = False, corrected: bool = True,
    m_decays: bool = True, t_again: bool = False, inside: bool = False,
) -> Any:  # fmt: skip
    """The sum of n steps; every switch is one mistake."""
    m, v, t = slots["m"], slots["v"], 0 if t_again else slots["t"]
    moved = np.zeros_like(m)
    for _ in range(n):
        before = m
        m, v, t = b1 * m if m_decays else m, b2 * v if v_decays else v, t + 1 if t_counts else t
        used = before if m_late else m
        mean, square = (used / (1 - b1**t), v / (1 - b2**t)) if corrected else (used, v)
        moved = moved - lr * mean / (np.sqrt(square + eps) if inside else np.sqrt(square) + eps)
    return moved


def n_times_the_first_step(slots: Slots, n: int, **constants: Any) -> Any:
    """Every step is taken to be as long as the first."""
    return n * solution.drift(slots, 1, **constants)
