"""Matrix products. NumPy's BLAS computes them; no kernel of ours is faster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.rules import bilinear, v
from autodiff_kit.core.tensor import Tensor, lift
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.shaping import permute_dims

__all__ = ["dot", "matmul", "matvec", "outer", "tensordot", "vecdot"]


def _turn(x: Any) -> Any:
    """The last two axes exchanged."""
    n = np.ndim(x)
    return v.permute_dims(x, axes=(*range(-n, -2), -1, -2))


def _flops(y: Any, a: Any, b: Any) -> int:
    return int(2 * np.size(y) * np.shape(a)[-1])


@bilinear(
    lambda g, _y, _a, b: v.matmul(g, _turn(b)),
    lambda g, _y, a, _b: v.matmul(_turn(a), g),
    flops=_flops,
)
def matmul_(a: Any, b: Any) -> Any:
    """``a @ b`` for two stacks of matrices."""
    return np.matmul(a, b)


@bilinear(
    lambda g, _y, _a, b: v.expand_dims(g, axis=(-1,)) * b,
    lambda g, _y, a, _b: v.sum(v.expand_dims(g, axis=(-1,)) * a, axis=(-2,), keepdims=False),
    flops=_flops,
)
def matvec(a: Any, b: Any) -> Any:
    """``a @ b`` for a stack of matrices and a vector."""
    return np.matmul(a, np.expand_dims(b, -1))[..., 0]


@bilinear(
    lambda g, _y, _a, b: v.expand_dims(g, axis=(-1,)) * b,
    lambda g, _y, a, _b: v.expand_dims(g, axis=(-1,)) * a,
    flops=_flops,
)
def vecdot(a: Any, b: Any) -> Any:
    """The inner product along the last axis."""
    return np.sum(np.multiply(a, b), axis=-1)


def matmul(a: Any, b: Any) -> Tensor:
    """The matrix product ``a @ b``.

    Parameters
    ----------
    a, b : Tensor or array_like
        At least one axis each; leading axes are stacks and broadcast.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the inner lengths differ, or one of the two is a number.

    Notes
    -----
    **Shapes.** ``(..., m, k) @ (..., k, n)`` gives ``(..., m, n)``; a vector counts as a row on the left and as a
    column on the right. **Cost.** 2mkn forward, 4mkn backward.

    Examples
    --------
    >>> ak.matmul([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.])
    """
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        raise ShapeError(f"matmul of shapes {a.shape} and {b.shape}: numbers have no inner axis; use *")
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
        raise ShapeError(
            f"matmul of shapes {a.shape} and {b.shape}: the last axis of the first has {a.shape[-1]} entries, "
            f"the {'last but one' if b.ndim > 1 else 'only'} of the second {b.shape[-2 if b.ndim > 1 else -1]}"
        )
    out: Tensor
    if b.ndim == 1:
        out = vecdot(a, b) if a.ndim == 1 else matvec(a, b)
    else:
        out = matvec(b.swapaxes(-1, -2), a) if a.ndim == 1 else matmul_(a, b)
    return out


def dot(a: Any, b: Any) -> Tensor:
    """NumPy's dot: the inner product of vectors, the product of matrices, or with a number the multiple."""
    left, right = lift(a), lift(b)
    if not left.ndim or not right.ndim:
        return left * right
    return tensordot(left, right, axes=((-1,), (-2,))) if right.ndim > 2 else matmul(left, right)


def outer(a: Any, b: Any) -> Tensor:
    """Every entry of the first times every entry of the second."""
    return lift(a).reshape((-1, 1)) * lift(b).reshape((1, -1))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum over products along paired axes, as NumPy's."""
    a, b = lift(a), lift(b)
    if np.ndim(axes) == 0:
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        left, right = ((k,) if np.ndim(k) == 0 else tuple(k) for k in axes)
    left, right = tuple(k % a.ndim for k in left), tuple(k % b.ndim for k in right)
    if [a.shape[k] for k in left] != [b.shape[k] for k in right]:
        raise ShapeError(f"tensordot of shapes {a.shape} and {b.shape}: axes {left} and {right} differ in length")
    free_a = tuple(k for k in range(a.ndim) if k not in left)
    free_b = tuple(k for k in range(b.ndim) if k not in right)
    shape_a, shape_b = tuple(a.shape[k] for k in free_a), tuple(b.shape[k] for k in free_b)
    rows, inner, columns = (math.prod(n) for n in (shape_a, [a.shape[k] for k in left], shape_b))
    first = permute_dims(a, (*free_a, *left)).reshape((rows, inner))
    second = permute_dims(b, (*right, *free_b)).reshape((inner, columns))
    return matmul(first, second).reshape(shape_a + shape_b)
