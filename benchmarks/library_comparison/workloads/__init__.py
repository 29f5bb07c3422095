"""The workloads by their keys, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems
from benchmarks.library_comparison.workloads import (
    adam,
    attention,
    chains,
    derivatives,
    logistic,
    networks,
    recurrent,
    segments,
)

WORKLOADS: dict[str, Callable[[Setting], Systems]] = {
    "a": chains.numbers,
    "b_mix_1e3": chains.mix(1_000),
    "b_mix_1e5": chains.mix(100_000),
    "b_mix_1e7": chains.mix(10_000_000),
    "b_cheap_1e3": chains.cheap(1_000),
    "b_cheap_1e5": chains.cheap(100_000),
    "b_cheap_1e7": chains.cheap(10_000_000),
    "c_small": networks.training((2, 64, 64, 3), 32),
    "c_big": networks.training((784, 256, 128, 10), 128),
    "d": attention.attention(8, 4, 64, 32),
    "e_sum": segments.segments(1_000_000, 16, 10_000),
    "e_mean_sorted": segments.segments(1_000_000, 16, 10_000, mean=True, ordered=True),
    "f_jacobian": derivatives.jacobian,
    "f_jvp": derivatives.direction,
    "f_hvp": derivatives.curvature,
    "g": derivatives.per_example((2, 64, 64, 3), 256),
    "h": adam.adam(1_000_000),
    "j_small": attention.block(4, 32, 64, 4),
    "j_big": attention.block(8, 64, 128, 4),
    "k_small": recurrent.lstm(64, 16, 32, 64),
    "k_big": recurrent.lstm(64, 32, 64, 128),
    "l": logistic.logistic(100_000, 100),
}

TITLES = {
    "a": "200 scalar operations, value and gradient (float64)",
    "b_mix_1e3": "20 elementwise operations with sin and exp, 1e3",
    "b_mix_1e5": "20 elementwise operations with sin and exp, 1e5",
    "b_mix_1e7": "20 elementwise operations with sin and exp, 1e7",
    "b_cheap_1e3": "20 multiply-adds, 1e3",
    "b_cheap_1e5": "20 multiply-adds, 1e5",
    "b_cheap_1e7": "20 multiply-adds, 1e7",
    "c_small": "MLP 2-64-64-3, batch 32, Adam",
    "c_big": "MLP 784-256-128-10, batch 128, Adam",
    "d": "masked attention, 8 x 4 heads x 64 x 32",
    "e_sum": "segment sum, 1e6 rows of 16, 1e4 groups",
    "e_mean_sorted": "segment mean, the same, ids sorted",
    "f_jacobian": "Jacobian of a 100-wide tanh net (float64)",
    "f_jvp": "jvp of the same net (float64)",
    "f_hvp": "hvp of the same net (float64)",
    "g": "256 per-example gradients of 2-64-64-3",
    "h": "Adam on 1e6 parameters",
    "j_small": "transformer block, 4 x 32 x 64, 4 heads",
    "j_big": "transformer block, 8 x 64 x 128, 4 heads",
    "k_small": "LSTM over 64 steps, batch 16, 32 to 64",
    "k_big": "LSTM over 64 steps, batch 32, 64 to 128",
    "l": "logistic regression, 1e5 x 100",
}

ALWAYS_DOUBLE = ("a", "f_jacobian", "f_jvp", "f_hvp")
"""Workloads that always use float64."""


def chosen(only: str | None) -> list[str]:
    """The keys that a text such as ``a,c_big,j`` selects; all keys if it is empty."""
    if not only:
        return list(WORKLOADS)
    wanted = only.split(",")
    return [key for key in WORKLOADS if any(key == w or key.startswith(f"{w}_") for w in wanted)]
