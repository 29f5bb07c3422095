"""Un-broadcasting: sum a cotangent to the shape of its source and cast it to its dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.numpy_protocol import canonical, check_real_numbers
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import as_array

__all__ = ["unbroadcast"]


def unbroadcast(g: Any, spec: ArraySpec | None, lead: int = 0) -> Any:
    """Sum a cotangent to the shape of its source and cast it to its dtype: the transpose of broadcasting.

    Parameters
    ----------
    g : float, ndarray or Tensor
        A cotangent with ``lead`` extra axes in front.
    spec : ArraySpec or None
        Shape and dtype of the source; None for a Python float.
    lead : int
        Number of leading axes: one for a whole Jacobian or a batch of examples.
    """
    shape, dtype = spec or SCALAR
    if type(g) is np.ndarray:
        if g.dtype is dtype and spec is not None and not lead:
            if g.shape == shape:
                return g
            if shape and g.shape[1:] == shape and dtype.char != "e":
                return _sum(g, (0,), False)  # a bias, which was added to each row
    elif type(g) is not Tensor:
        if spec is None and isinstance(g, float) and not lead:
            return float(g)
        g = as_array(g)
    elif spec is None and type(g._value) is float and not lead:
        return g
    extra = g.ndim - lead - len(shape)
    g = _sum(g, tuple(range(lead, lead + extra)), False) if extra > 0 else g
    if extra >= 0 and 1 in shape:
        ones = tuple([k - len(shape) for k, n in enumerate(shape) if n == 1 and g.shape[k - len(shape)] != 1])
        g = _sum(g, ones, True) if ones else g
    if g.dtype != dtype and (dtype.kind == "f" or g.dtype.kind == "c"):  # an integer's cotangent is no integer
        g = _cast(g, dtype)
    if extra < 0 or g.shape[g.ndim - len(shape) :] != shape:
        g = _broadcast(g, shape, lead)
    return canonical(g) if type(g) is not Tensor else g


def _cast(g: Any, dtype: Any) -> Any:
    if g.dtype.kind == "c":
        check_real_numbers(g.dtype, "a cotangent")
    return g.astype(dtype)


_ONES = {kind: np.ones(4096, kind) for kind in "fd"}  # making them takes as long as a short sum


def _sum(g: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if type(g) is not np.ndarray:
        return g.sum(axis=axes, keepdims=keepdims)
    if g.dtype == np.float16:  # sums in sixteen bits are too inexact
        return g.sum(axis=axes, keepdims=keepdims, dtype=np.float32).astype(np.float16)
    if g.size >> 12 and axes[0] == 0 and len(axes) < g.ndim and g.flags.c_contiguous and g.dtype.char in "fd":
        # The first axes: a product with ones, which BLAS computes several times as fast.
        first = g[(0,) * len(axes)]
        count = g.size // first.size
        ones = _ONES[g.dtype.char][:count] if count <= 4096 else np.ones(count, g.dtype)
        return ones.dot(g.reshape(count, first.size)).reshape(first.shape)
    return np.add.reduce(g, axes, None, None, keepdims)  # type: ignore[call-overload]


def _broadcast(g: Any, shape: tuple[int, ...], lead: int) -> Any:
    full = g.shape[:lead] + shape
    if type(g) is np.ndarray and not g.ndim:  # the case of most losses; np.broadcast_to takes five times as long
        spread = np.ndarray(full, g.dtype, g, 0, (0,) * len(full))
        spread.flags.writeable = False
        return spread
    if len(full) > g.ndim:
        g = g.reshape(g.shape[:lead] + (1,) * (len(full) - g.ndim) + g.shape[lead:])
    return np.broadcast_to(g, full)
