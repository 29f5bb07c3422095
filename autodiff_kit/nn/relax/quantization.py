"""Fake quantization: values rounded to a grid of levels, with straight-through gradients inside the range."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_flag, check_integer
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.relax.validation import real_tensor
from autodiff_kit.ops.custom_gradient import custom_gradient
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.selection import where

__all__ = ["fake_quant"]


def _nudged_range(lo: Any, hi: Any, levels: int, narrow: int) -> tuple[Any, Any, Any]:
    """Step size and ends of the range, shifted so that 0 is exactly a level; computed in the dtype of the ends."""
    kind = np.result_type(lo, hi).type
    scale = kind((hi - lo) / kind(levels))
    zero = kind(narrow) - lo / scale
    place = kind(np.clip(np.floor(zero + kind(0.5)), narrow, narrow + levels))
    return scale, (kind(narrow) - place) * scale, (kind(narrow + levels) - place) * scale


def fake_quant(x: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False) -> Tensor:
    """Values rounded to one of ``2**num_bits`` levels, with the gradient of the identity inside the range.

    Parameters
    ----------
    x : Tensor or array_like
    min, max : Tensor or float
        The range, ``min < max``; it is shifted slightly (nudged) so that 0 is a level.
    num_bits : int, optional
        From 2 to 16.
    narrow_range : bool, optional
        Whether the lowest level is left out.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If ``min`` is not below ``max``, or ``num_bits`` is out of range.

    Notes
    -----
    **Gradient.** To ``x``: 1 inside the nudged range, 0 outside. To ``min`` and ``max``: the sum over the entries
    clamped to that end. **Dtypes.** The range is nudged in the dtype of ``x``, of float16 in float32; at an exact half
    float32 and float64 may choose differently.

    Examples
    --------
    >>> ak.relax.fake_quant([-4.0, -3.5, 0.0, 1.0, 5.0], -4.0, 5.0, num_bits=2).numpy()
    array([-3., -3.,  0.,  0.,  6.])
    """
    x = real_tensor(x)
    kind = np.promote_types(x.dtype, np.float32).type  # float16 does not hold the number of levels
    low, high = (
        end if isinstance(end, Value) else as_tensor(kind(check_number("min and max", end))) for end in (min, max)
    )
    if low.shape or high.shape:
        raise ShapeError(f"fake_quant: min and max must be single numbers, got shapes {low.shape} and {high.shape}")
    lo, hi = kind(unwrap(low)), kind(unwrap(high))
    if not lo < hi:
        raise StructureError(f"fake_quant: min must be below max, got {lo} and {hi}")
    narrow = int(check_flag("narrow_range", narrow_range))
    if not 2 <= check_integer("num_bits", num_bits) <= 16:
        raise StructureError(f"num_bits must be from 2 to 16, got {num_bits}")
    levels = 2**num_bits - 1 - narrow
    scale, first, last = _nudged_range(lo, hi, levels, narrow)

    def quantise(x: Tensor, _low: Tensor, _high: Tensor) -> Any:
        raw = as_array(x._value)
        y = np.floor((np.clip(raw, first, last) - first) / scale + kind(0.5)) * scale + first
        below, above = raw < first, raw > last
        inside = ~(below | above)

        def pull(g: Any) -> Any:
            g = as_tensor(g)
            return where(inside, g, 0.0), where(below, g, 0.0).sum(), where(above, g, 0.0).sum()

        return y.astype(raw.dtype), pull

    return custom_gradient(quantise)(x, low, high)
