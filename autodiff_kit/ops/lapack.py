"""Common code of the operations on matrices: dtypes for LAPACK, checks of shapes, error messages, costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import concrete_only, opaque
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.shape_manipulation import expand_dims, squeeze
from autodiff_kit.platform import HAS_FLOATING_POINT_SIGNALS


def to_lapack_dtype(name: str, *arrays: Any) -> tuple[list[Tensor], Callable[[Any], Tensor]]:
    """The arrays in float32 or float64, and a function that converts a result back to their own dtype."""
    tensors = [as_tensor(a) for a in arrays]
    for t in tensors:
        if t.dtype.kind not in "biuf" or t.dtype.itemsize > 8:
            raise DtypeError(f"{name} supports real numbers up to float64, got {t.dtype}")
    common = np.result_type(*(t.dtype if t.dtype.kind == "f" else np.dtype(np.float64) for t in tensors))
    own = np.dtype(np.float32) if common == np.float16 else common
    wide = [t if t.dtype == own else cast(t, own) for t in tensors]
    return wide, (lambda y: y) if common == own else lambda y: cast(y, common)


def check_matrices(name: str, a: Tensor, square: bool = True) -> None:
    """Raise if the last two axes are not matrices, or not square matrices."""
    if a.ndim < 2 or (square and a.shape[-1] != a.shape[-2]):
        what = "as many rows as columns" if square else "rows and columns"
        raise ShapeError(f"{name} takes matrices with {what} along the last two axes, got shape {a.shape}")


def prepare_system(name: str, a: Any, b: Any) -> tuple[Tensor, Tensor, Callable[[Any], Tensor]]:
    """Square matrices and right-hand sides with as many axes, and a function that converts a solution back."""
    (a, b), back = to_lapack_dtype(name, a, b)
    check_matrices(name, a)
    vector = b.ndim == 1
    if not b.ndim or b.shape[0 if vector else -2] != a.shape[-1]:
        raise ShapeError(
            f"{name} of shapes {a.shape} and {b.shape}: the second must have one row for each row of the first"
        )
    b = expand_dims(b, -1) if vector else b
    axes = max(a.ndim, b.ndim)
    a, b = (x.reshape((1,) * (axes - x.ndim) + x.shape) if x.ndim < axes else x for x in (a, b))
    return a, b, lambda y: back(squeeze(y, -1) if vector else y)


@opaque
def call_lapack(name: str, advice: str, function: Callable[..., Any], *arrays: Any) -> Any:
    """A result of LAPACK; if it fails, an error with the advice."""
    if name in ("svd", "pinv") and not np.isfinite(arrays[0]).all():  # for some infinities LAPACK gives nan or 0
        raise StructureError(f"{name}: an entry is nan or infinite. {advice}")
    try:
        found = function(*arrays)
        if not HAS_FLOATING_POINT_SIGNALS:
            raise_if_failed(name, arrays, found)
        return found
    except np.linalg.LinAlgError as error:
        raise StructureError(f"{name}: {str(error).lower()}. {advice}") from error


_FAILURES = {
    "solve": "Singular matrix",
    "solve_triangular": "Singular matrix",
    "inv": "Singular matrix",
    "cholesky": "Matrix is not positive definite",
    "eigh": "Eigenvalues did not converge",
    "svd": "SVD did not converge",
    "pinv": "SVD did not converge",
}


def raise_if_failed(name: str, arrays: Sequence[Any], found: Any) -> None:
    """Raise NumPy's LinAlgError where a result shows that LAPACK failed: NumPy then fills it with nan."""
    results = found if isinstance(found, tuple) else (found,)
    made_nan = any(np.isnan(y).any() for y in results)
    # For some a matrix with nan is a failure; the others take nan as a number.
    if name in _FAILURES and made_nan and (np.isfinite(arrays[0]).all() or name in ("svd", "pinv")):
        raise np.linalg.LinAlgError(_FAILURES[name])


NOT_FINITE = "Entries that are nan or infinite cause this; find them with ak.isfinite"


def cubic_flops(share: float) -> Any:
    """The cost of a decomposition: ``share`` times rows times columns times the smaller of both."""
    return lambda y, x: int(share * np.size(x) * min(np.shape(x)[-2:], default=0))


@concrete_only
def check_distinct(x: Any, name: str, meant: str) -> None:
    """Raise if two values are equal within rounding, because then their vectors are not unique."""
    order = np.sort(x, axis=-1)
    near = np.diff(order) <= x.shape[-1] * np.finfo(x.dtype).eps * np.abs(x).max(-1, keepdims=True, initial=0)
    if near.any():
        raise StructureError(
            f"{name} has no derivative here: {meant} coincide (near {order[..., 1:][near][0]:.6g}), so their vectors "
            "are not "
            f"unique. Use the values alone ({meant} have a gradient), or change the matrix slightly."
        )


def as_row(x: Any) -> Any:
    """Vectors as matrices with one row."""
    return v.expand_dims(x, axis=(-2,))


def no_cotangent(_g: Any, _y: Any, _x: Any, _found: Any, *, part: str) -> None:
    """The VJP of an input that is computed from another one: None."""
