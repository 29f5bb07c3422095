"""The workloads by their keys, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems
from benchmarks.library_comparison.workloads import (
    adam,
    attention,
    chains,
    contractions,
    derivatives,
    linear_algebra,
    logistic,
    loops,
    models,
    networks,
    normalization,
    recurrent,
    segments,
    tables,
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
    "einsum_4": contractions.four,
    "einsum_5": contractions.five,
    "cholesky_50": linear_algebra.gaussian_process(50),
    "cholesky_500": linear_algebra.gaussian_process(500),
    "solve_50": linear_algebra.solve(50),
    "solve_500": linear_algebra.solve(500),
    "newton": linear_algebra.newton,
    "fit": linear_algebra.fit,
    "norm": normalization.middle_axes,
    "head": normalization.wide_head,
    "rows": tables.rows,
    "scan_max": loops.best_path,
    "scan_logsumexp": loops.all_paths,
    "scan_gru": loops.gated_cell,
    "scan_ode": loops.equation,
    "gpt": models.language_model,
    "cnn": models.convolutional_network,
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
    "einsum_4": "of four factors, 48 x 48 x 48, rank 16, SGD",
    "einsum_5": "of five factors, 12^5, rank 8, SGD",
    "cholesky_50": "Gaussian process on 50 points, SGD (float64)",
    "cholesky_500": "Gaussian process on 500 points, SGD (float64)",
    "solve_50": "linear system 50 x 50, 4 columns, SGD (float64)",
    "solve_500": "linear system 500 x 500, 4 columns, SGD (float64)",
    "newton": "step, logistic regression 2000 x 30 (float64)",
    "fit": "of 5 parameters to 500 points, 8 Gauss-Newton steps (float64)",
    "norm": "over the middle axes of 16 x 32 x 32 x 16, SGD",
    "head": "with softmax over 10,000 classes, 64 x 64, SGD",
    "rows": "1,024 of a table of 100,000 x 64, SGD",
    "scan_max": "best path of 64 steps, 32 states, SGD",
    "scan_logsumexp": "all paths of 64 steps, 32 states, SGD",
    "scan_gru": "gated cell over 64 steps, batch 16, 32 to 64, SGD",
    "scan_ode": "32 Runge-Kutta steps of a small network, SGD",
    "gpt": "2 blocks, 4 x 32 x 64, 256 words, Adam",
    "cnn": "2 convolutions, 32 images of 28 x 28, Adam",
}

ALWAYS_DOUBLE = (
    "a", "f_jacobian", "f_jvp", "f_hvp", "cholesky_50", "cholesky_500", "solve_50", "solve_500", "newton", "fit",
)  # fmt: skip
"""Workloads that always use float64."""


def chosen(only: str | None) -> list[str]:
    """The keys that a text such as ``a,c_big,j`` selects; all keys if it is empty."""
    if not only:
        return list(WORKLOADS)
    wanted = only.split(",")
    return [key for key in WORKLOADS if any(key == w or key.startswith(f"{w}_") for w in wanted)]
