"""Levenberg-Marquardt steps with any damping diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def damped_step(J: Array, r: Array, lam: float, diagonal: Array) -> Array:
    """The step of the normal equations with ``lam`` times something on the diagonal."""
    return np.linalg.solve(J.T @ J + lam * np.diag(diagonal), -J.T @ r)


def marquardt_step(J: Array, r: Array, lam: float) -> Array:
    """The step of lesson 19, whose damping is scaled by the squared norms of the columns."""
    return damped_step(J, r, lam, np.einsum("ij,ij->j", J, J))
