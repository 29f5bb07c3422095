"""Alternative names of operations: NumPy's, where the kit's own name is that of the Array API standard."""

from __future__ import annotations

from autodiff_kit.ops import (
    arithmetic,
    comparison,
    creation,
    dtypes,
    elementary_functions,
    joining,
    reductions,
    rounding,
)  # fmt: skip

__all__ = [
    "absolute", "amax", "amin", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around",
    "astype", "bitwise_not", "concatenate", "deg2rad", "empty", "empty_like", "fix", "invert", "pow", "rad2deg",
    "remainder", "true_divide",
]  # fmt: skip

absolute, pow, remainder, true_divide = arithmetic.abs, arithmetic.power, arithmetic.mod, arithmetic.divide
arctan2 = arithmetic.atan2
arccos, arcsin, arctan = elementary_functions.acos, elementary_functions.asin, elementary_functions.atan
arccosh, arcsinh, arctanh = elementary_functions.acosh, elementary_functions.asinh, elementary_functions.atanh
deg2rad, rad2deg = elementary_functions.radians, elementary_functions.degrees
around, fix, astype = rounding.round, rounding.trunc, dtypes.cast
bitwise_not = invert = comparison.bitwise_invert
amax, amin = reductions.max, reductions.min
concatenate = joining.concat
empty, empty_like = creation.zeros, creation.zeros_like  # NumPy leaves these entries undefined; here they are 0
