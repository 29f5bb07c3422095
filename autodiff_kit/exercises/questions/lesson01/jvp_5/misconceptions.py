"""The operations of jvp-5, some with a vjp that is not the transpose of their jvp."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


N = 6


IDS = np.array([0, 2, 2, 5, 0, 2])


def softmax(x: Array) -> Array:
    """Softmax of a vector."""
    e = np.exp(x - x.max())
    weights: Array = e / e.sum()
    return weights


def gather_vjp_overwriting(u: Array, dtype: Any) -> Array:
    """A gather's pull that keeps the last of repeats."""
    out = np.zeros(N, dtype)
    out[IDS] = u
    return out


def softmax_jvp(x: Array, v: Array) -> Array:
    """Softmax's Jacobian, which is its own transpose, on a vector."""
    p = softmax(x)
    moved: Array = p * (v - p @ v)
    return moved


def operation_rules(matrix: Array) -> dict[str, tuple[Any, Any, Any]]:
    """For each op: push, honest pull, lying pull; all are functions of the point and a vector."""
    return {
        "matmul": (
            lambda x, v: matrix.astype(x.dtype) @ v,
            lambda x, u: matrix.T.astype(x.dtype) @ u,
            lambda x, u: matrix.astype(x.dtype) @ u,
        ),
        "roll": (lambda x, v: np.roll(v, 1), lambda x, u: np.roll(u, -1), lambda x, u: np.roll(u, 1)),
        "cumsum": (
            lambda x, v: np.cumsum(v),
            lambda x, u: np.cumsum(u[::-1])[::-1],
            lambda x, u: np.cumsum(u),
        ),
        "gather": (
            lambda x, v: v[IDS],
            lambda x, u: np.bincount(IDS, u, N).astype(x.dtype),
            lambda x, u: gather_vjp_overwriting(u, x.dtype),
        ),
        "sin": (
            lambda x, v: np.cos(x) * v,
            lambda x, u: np.cos(x) * u,
            lambda x, u: x.dtype.type(1.001) * np.cos(x) * u,
        ),
        "softmax": (softmax_jvp, softmax_jvp, lambda x, u: softmax(x) * (1 - softmax(x)) * u),
    }


def random_operations(rng: np.random.Generator) -> tuple[dict[str, tuple[Any, Any, Array]], set[str]]:
    """Ten operations by name, each ``(push, pull, x)``, and the names of those whose pull is wrong."""
    matrix = rng.normal(size=(N, N))
    found = operation_rules(matrix)
    lying = set(rng.permutation(list(found))[: int(rng.integers(2, 5))].tolist()) | {"sin", "roll"}
    drawn = {}
    for name, (push, honest, lie) in found.items():
        x = rng.normal(size=N).astype(np.float32 if rng.random() < 0.4 else np.float64)
        drawn[name] = (push, lie if name in lying else honest, x)
    # At these two scales every fixed limit is wrong: rounding is large in one, and the error small in the other.
    large, tiny = matrix * 1e12, matrix * 1e-9
    drawn["scale"] = (lambda x, v: large @ v, lambda x, u: large.T @ u, rng.normal(size=N))
    drawn["tiny"] = (lambda x, v: tiny @ v, lambda x, u: tiny @ u, rng.normal(size=N))
    # Eight roundings, all in one direction: more than one eps of the terms, and never more than five.
    small, rounded = matrix.astype(np.float32), np.float32(1 + 8 * np.finfo(np.float32).eps)
    drawn["honest32"] = (
        lambda x, v: small @ v,
        lambda x, u: small.T @ u * rounded,
        rng.normal(size=N).astype(np.float32),
    )
    # Both rules of square lack the factor 2: they fit each other, and not the function.
    drawn["square"] = (lambda x, v: x * v, lambda x, u: x * u, rng.normal(size=N) + 2)
    return drawn, lying | {"tiny"}
