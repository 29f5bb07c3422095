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


def drift_shifted(slots: Slots, n: int, shift: int, lr: float, b1: float, b2: float, eps: float) -> Any:
    """The sum of n steps, counted from another one than the first."""
    k = np.arange(1, n + 1)[:, None] + shift
    mean = slots["m"] * b1**k / (1 - b1 ** (slots["t"] + k))
    return -lr * (mean / (np.sqrt(slots["v"] * b2**k / (1 - b2 ** (slots["t"] + k))) + eps)).sum(0)


def drift_with_old_t(slots: Slots, n: int, **constants: Any) -> Any:
    """Every step is corrected with the t before it."""
    return solution.drift({**slots, "t": slots["t"] - 1}, n, **constants)


def geometric_series(slots: Slots, n: int, lr: float, b1: float, b2: float, eps: float) -> Any:
    """Only m changes; all else is as in the last step before."""
    mean, square = slots["m"] / (1 - b1 ** slots["t"]), slots["v"] / (1 - b2 ** slots["t"])
    return -lr * b1 * (1 - b1**n) / (1 - b1) * mean / (np.sqrt(square) + eps)


def last_step(slots: Slots, n: int, **constants: Any) -> Any:
    """What the last of the steps adds."""
    return solution.drift(slots, n, **constants) - solution.drift(slots, n - 1, **constants)


def n_times_the_first_step(slots: Slots, n: int, **constants: Any) -> Any:
    """Every step is taken to be as long as the first."""
    return n * solution.drift(slots, 1, **constants)
