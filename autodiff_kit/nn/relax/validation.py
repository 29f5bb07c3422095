"""Validation of the arguments of relaxations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, StructureError
from autodiff_kit.ops.number_parameters import is_followed, real_number

__all__ = ["positive_number", "real_tensor"]


def positive_number(name: str, value: Any) -> Any:
    """A finite number above 0 whose inverse is finite, as a tensor where a tape follows it; otherwise an error."""
    width = real_number(name, value)
    if not width > 0 or math.isinf(1.0 / width):
        raise StructureError(f"{name} must be above 0, got {value}")
    return as_tensor(value) if is_followed(value) else width


def real_tensor(x: Any) -> Tensor:
    """A real tensor; booleans and integers become floats, because differences of unsigned integers wrap around."""
    t = as_tensor(x)
    if t.dtype.kind == "c":
        raise DtypeError(
            f"relaxations need real numbers, because complex numbers have no floor and no sign; got {t.dtype}"
        )
    return t.astype(np.float64) if t.dtype.kind in "biu" else t
