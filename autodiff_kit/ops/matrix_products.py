"""Matrix products and other products of arrays, computed by NumPy's BLAS."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import negative_axis, swap_last_axes
from autodiff_kit.ops.axis_order import moveaxis, permute_dims
from autodiff_kit.ops.families import bilinear
from autodiff_kit.ops.shape_manipulation import ravel


def _flops(y: Any, a: Any, b: Any) -> int:
    return int(2 * np.size(y) * np.shape(a)[-1])


def _rows(x: Any) -> Any:
    """The rows of all matrices of a stack as one matrix."""
    columns = x.shape[-1]
    return x.reshape(x.size // columns if columns else math.prod(x.shape[:-1]), columns)


def _matmul_vjp_right(g: Any, a: Any, like: Any) -> Any:
    """The cotangent of ``b``. Of one matrix beside a stack it is one product, not a product for each and their sum."""
    stack = a.ndim > 2 and len(like.shape) == 2 and g.shape[:-1] == a.shape[:-1]
    if stack and not (isinstance(g, Tensor) or isinstance(a, Tensor)) and g.dtype == a.dtype and g.dtype.char in "fd":
        return v.matmul(swap_last_axes(_rows(a)), _rows(g))
    return v.matmul(swap_last_axes(a), g)


@bilinear(
    lambda g, _y, _a, b: v.matmul(g, swap_last_axes(b)),
    lambda g, _y, a, _b: _matmul_vjp_right(g, a, _b),
    flops=_flops,
)
def _matmul(a: Any, b: Any) -> Any:
    """``a @ b`` for two stacks of matrices."""
    if type(a) is type(b) is np.ndarray:
        if b.ndim > 2:
            return np.matmul(a, _rows_in_order(b) if a.shape[-2] >= _FEW_ROWS else b)
        if a.ndim == 2:
            return a.dot(b)  # the same product, for small matrices half a microsecond faster
        if a.dtype.char in "fd" and a.flags.c_contiguous:  # a stack times one matrix: one product of all rows
            return _rows(a).dot(b).reshape(a.shape[:-1] + b.shape[1:])
    return np.matmul(a, b)


_FEW_ROWS, _SMALL_MATRIX = 8, 4096


def _rows_in_order(b: Any) -> Any:
    """A stack of matrices; if they are small and transposed, as the keys of attention are, a copy with rows in order.

    BLAS multiplies by small transposed matrices so much more slowly that the copy gains a fifth to a third.
    """
    transposed = b.strides[-2] == b.itemsize < b.strides[-1] and 0 not in b.strides[:-2]  # one matrix for all stays one
    return np.ascontiguousarray(b) if transposed and b.shape[-2] * b.shape[-1] <= _SMALL_MATRIX else b


@bilinear(
    lambda g, _y, _a, b: v.expand_dims(g, axis=(-1,)) * v.expand_dims(b, axis=(-2,)),
    lambda g, _y, a, _b: v.matvec(swap_last_axes(a), g),
    flops=_flops,
)
def matvec(a: Any, b: Any) -> Any:
    """The product ``a @ b`` of matrices and vectors.

    Parameters
    ----------
    a : Tensor or array_like
        Matrices ``(..., m, n)``.
    b : Tensor or array_like
        Vectors ``(..., n)``; leading axes broadcast.

    Returns
    -------
    Tensor
        Vectors ``(..., m)``.

    Raises
    ------
    ShapeError
        If the first is no matrix, or the lengths differ.

    Notes
    -----
    **Gradient.** To the matrix an outer product, to the vector the product with the transposed matrix. **Cost.** 2mn
    forward, 4mn backward.

    Examples
    --------
    >>> ak.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).tolist()
    [21.0, 43.0]
    """
    if type(a) is type(b) is np.ndarray and a.ndim == 2 and b.ndim == 1:
        return a.dot(b)
    if type(a) in (float, int) or type(b) in (float, int) or a.ndim < 2 or not b.ndim:
        raise ShapeError(f"matvec of shapes {np.shape(a)} and {np.shape(b)}: expected a matrix and a vector")
    if a.ndim > 2:
        return np.matmul(a, b[..., None])[..., 0]
    rows = b if b.ndim < 3 else b.reshape((math.prod(b.shape[:-1]), b.shape[-1]))
    y = np.matmul(rows, a.swapaxes(-1, -2))  # a stack of vectors is a matrix: one product
    return y if rows is b else y.reshape((*b.shape[:-1], y.shape[-1]))


@bilinear(
    lambda g, _y, _a, b: v.expand_dims(g, axis=(-1,)) * b,
    lambda g, _y, a, _b: v.expand_dims(g, axis=(-1,)) * a,
    flops=_flops,
)
def _vecdot(a: Any, b: Any) -> Any:
    """The inner product along the last axis."""
    return np.vecdot(a, b)


def _check_has_axes(name: str, a: Tensor, b: Tensor) -> None:
    if not a.ndim or not b.ndim:
        raise ShapeError(f"{name} of shapes {a.shape} and {b.shape}: a single number has no inner axis; use *")


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
    a, b = as_tensor(a), as_tensor(b)
    left, right = a.shape, b.shape
    if len(left) > 1 and len(right) > 1 and left[-1] == right[-2]:
        return _matmul(a, b)
    if not left or not right:
        _check_has_axes("matmul", a, b)
    if left[-1] != right[-2 if len(right) > 1 else -1]:
        raise ShapeError(
            f"matmul of shapes {a.shape} and {b.shape}: the last axis of the first has {a.shape[-1]} entries, but "
            f"the {'last but one' if b.ndim > 1 else 'only'} axis of the second has {b.shape[-2 if b.ndim > 1 else -1]}"
        )
    if len(right) > 1:  # a row on the left
        return matvec(b.swapaxes(-1, -2) if b.node is not None else wrap(b._value.swapaxes(-1, -2)), a)
    return _vecdot(a, b) if len(left) == 1 else matvec(a, b)


def dot(a: Any, b: Any) -> Tensor:
    """The dot product as NumPy defines it.

    Parameters
    ----------
    a, b : Tensor or array_like
        Two vectors give their inner product, two matrices the matrix product, a number multiples. In general the last
        axis of the first is summed with the last but one of the second.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If these axes differ in length.

    Notes
    -----
    **Cost.** That of :func:`matmul`.

    Examples
    --------
    >>> float(ak.dot([1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    left, right = as_tensor(a), as_tensor(b)
    if not left.ndim or not right.ndim:
        return left * right
    return tensordot(left, right, axes=((-1,), (-2,))) if right.ndim > 2 else matmul(left, right)


def vdot(a: Any, b: Any) -> Tensor:
    """The inner product of all entries of two arrays of the same size, each read as one vector.

    Parameters
    ----------
    a, b : Tensor or array_like
        Of any shapes.

    Returns
    -------
    Tensor
        A number.

    Raises
    ------
    ShapeError
        If the sizes differ.

    Examples
    --------
    >>> float(ak.vdot([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 10.0]]))
    41.0
    """
    left, right = as_tensor(a), as_tensor(b)
    if left.size != right.size:
        raise ShapeError(f"vdot of shapes {left.shape} and {right.shape}: {left.size} and {right.size} entries")
    return _vecdot(ravel(left), ravel(right))


def inner(a: Any, b: Any) -> Tensor:
    """The inner product along the last axis of both, for all pairs of rows.

    Parameters
    ----------
    a, b : Tensor or array_like
        A number gives multiples.

    Returns
    -------
    Tensor
        The other axes of the first, then those of the second.

    Raises
    ------
    ShapeError
        If the last axes differ in length.

    Examples
    --------
    >>> ak.inner([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).tolist()
    [21.0, 43.0]
    """
    left, right = as_tensor(a), as_tensor(b)
    return left * right if not left.ndim or not right.ndim else tensordot(left, right, axes=((-1,), (-1,)))


def outer(a: Any, b: Any) -> Tensor:
    """The outer product: every entry of the first multiplied by every entry of the second.

    Parameters
    ----------
    a, b : Tensor or array_like
        Flattened, if they have more axes than one.

    Returns
    -------
    Tensor
        A row for each entry of the first.

    Notes
    -----
    **Cost.** One product for each pair.

    Examples
    --------
    >>> ak.outer([1.0, 2.0], [1.0, 10.0]).tolist()
    [[1.0, 10.0], [2.0, 20.0]]
    """
    return as_tensor(a).reshape((-1, 1)) * as_tensor(b).reshape((1, -1))


def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product: for each entry of the first factor, the second factor multiplied by it.

    Parameters
    ----------
    a, b : Tensor or array_like
        The one with fewer axes gets axes of length 1 in front.

    Returns
    -------
    Tensor
        Along each axis the product of both lengths.

    Examples
    --------
    >>> ak.kron([1.0, 10.0], [1.0, 2.0]).numpy()
    array([ 1.,  2., 10., 20.])
    """
    a, b = as_tensor(a), as_tensor(b)
    n = max(a.ndim, b.ndim)
    long, short = ((1,) * (n - x.ndim) + x.shape for x in (a, b))
    left = a.reshape([k for pair in zip(long, (1,) * n, strict=True) for k in pair])
    right = b.reshape([k for pair in zip((1,) * n, short, strict=True) for k in pair])
    y: Tensor = (left * right).reshape([k * m for k, m in zip(long, short, strict=True)])
    return y


@bilinear(
    lambda g, _y, _a, b: v.cross(b, g),
    lambda g, _y, a, _b: v.cross(g, a),
    flops=lambda y, *_: 3 * np.size(y),
)
def _cross(a: Any, b: Any) -> Any:
    """The cross product of three-dimensional vectors along the last axis."""
    return np.cross(a, b)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """The cross product of three-dimensional vectors.

    Parameters
    ----------
    a, b : Tensor or array_like
        Three entries along their axis; the other axes broadcast.
    axisa, axisb, axisc : int, optional
        The axis of the vectors in each of the two and in the result.
    axis : int, optional
        One axis for all three.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If an axis does not have three entries.

    Examples
    --------
    >>> ak.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.])
    """
    a, b = as_tensor(a), as_tensor(b)
    _check_has_axes("cross", a, b)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = (moveaxis(x, negative_axis(k, x.ndim, "cross") + x.ndim, -1) for x, k in ((a, axisa), (b, axisb)))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError(f"cross of vectors with {a.shape[-1]} and {b.shape[-1]} entries: both must have three")
    y: Tensor = _cross(a, b)
    return moveaxis(y, -1, negative_axis(axisc, y.ndim, "cross") + y.ndim)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The tensor contraction: the sum of products over paired axes.

    Parameters
    ----------
    a, b : Tensor or array_like
    axes : int or pair of axes, optional
        The number of axes at the end of the first that pair with axes at the beginning of the second; or the axes of
        the first and those of the second, each a number or a sequence.

    Returns
    -------
    Tensor
        The other axes of the first, then those of the second.

    Raises
    ------
    ShapeError
        If an axis does not exist, is given twice, or paired axes differ in length.

    Examples
    --------
    >>> ak.tensordot([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0], 1).numpy()
    array([21., 43.])
    """
    a, b = as_tensor(a), as_tensor(b)
    left, right = _contracted_axes(a, b, axes)
    if [a.shape[k] for k in left] != [b.shape[k] for k in right]:
        raise ShapeError(f"tensordot of shapes {a.shape} and {b.shape}: axes {left} and {right} differ in length")
    free_a = tuple(k for k in range(-a.ndim, 0) if k not in left)
    free_b = tuple(k for k in range(-b.ndim, 0) if k not in right)
    shape_a, shape_b = tuple(a.shape[k] for k in free_a), tuple(b.shape[k] for k in free_b)
    rows, inner, columns = (math.prod(n) for n in (shape_a, [a.shape[k] for k in left], shape_b))
    first = permute_dims(a, (*free_a, *left)).reshape((rows, inner))
    second = permute_dims(b, (*right, *free_b)).reshape((inner, columns))
    return matmul(first, second).reshape(shape_a + shape_b)


def _contracted_axes(a: Tensor, b: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of both that are contracted, counted from the end."""
    try:
        if isinstance(axes, (int, np.integer)):
            count = min(int(axes), a.ndim + 1)  # larger counts raise the same error
            left, right = list(range(-count, 0)), list(range(count))
        else:
            left, right = ([operator.index(n) for n in ([k] if np.ndim(k) == 0 else k)] for k in axes)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"tensordot: axes must be a number or two sequences of axes, got {axes!r}") from error
    left = [negative_axis(k, a.ndim, "tensordot") for k in left]
    right = [negative_axis(k, b.ndim, "tensordot") for k in right]
    if len(left) != len(right) or len(set(left)) < len(left) or len(set(right)) < len(right):
        raise ShapeError(f"tensordot: axes {axes!r} must name equally many axes of both arrays, each axis once")
    return left, right
