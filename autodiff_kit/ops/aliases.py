"""NumPy's older names of operations, which ported programs use; the kit's own are those of the Array API standard."""

from __future__ import annotations

from autodiff_kit.ops import arithmetic, elementary_functions, joining

__all__ = [
    "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "concatenate",
]  # fmt: skip

absolute, arctan2 = arithmetic.abs, arithmetic.atan2
arccos, arcsin, arctan = elementary_functions.acos, elementary_functions.asin, elementary_functions.atan
arccosh, arcsinh, arctanh = elementary_functions.acosh, elementary_functions.asinh, elementary_functions.atanh
concatenate = joining.concat
