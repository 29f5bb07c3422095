"""Conversion between dtypes."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import describe
from autodiff_kit.errors import DtypeError
from autodiff_kit.ops.families import linear, nondifferentiable
from autodiff_kit.platform import as_dtype


@linear(lambda g, _y, _x, *, dtype: g)  # the engine converts a cotangent to the dtype of its source
def _to_float(x: Any, dtype: Any) -> Any:
    """Conversion between floating dtypes."""
    return as_array(x).astype(dtype)


@nondifferentiable()
def _to_int(x: Any, dtype: Any) -> Any:
    """Conversion to integers or booleans."""
    return as_array(x).astype(dtype)


def cast(x: Any, dtype: Any) -> Tensor:
    """Convert to another dtype.

    Parameters
    ----------
    x : Tensor or array_like
    dtype : dtype

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Between floating dtypes it passes, in the source's dtype. To integers or booleans: None.

    Examples
    --------
    >>> ak.cast([1.7, -1.7], "int64").numpy()
    array([ 1, -1])
    """
    try:
        kind = as_dtype(dtype)
    except (TypeError, ValueError) as error:
        given = describe(dtype)
        raise DtypeError(f"cast: {given} is not a dtype; write 'float32', np.int64 or bool, for example") from error
    if kind.kind not in "biuf":
        raise DtypeError(f"cast to {kind} is not supported; use a floating, integer or bool dtype")
    x = as_tensor(x)
    floating = kind.kind == "f" and x.dtype.kind == "f"
    return (_to_float if floating else _to_int)(x, kind)
