"""Second names, for those who come from NumPy or the Array API standard. The first names are the standard's."""

from __future__ import annotations

from autodiff_kit.ops import arithmetic, creation, elementary, joining, reduce, rounding

__all__ = [
    "absolute", "amax", "amin", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around",
    "astype", "bitwise_not", "concatenate", "deg2rad", "empty", "empty_like", "fix", "invert", "pow", "rad2deg",
    "remainder", "true_divide",
]  # fmt: skip

absolute, pow, remainder, true_divide = arithmetic.abs, arithmetic.power, arithmetic.mod, arithmetic.divide
arctan2 = arithmetic.atan2
arccos, arcsin, arctan = elementary.acos, elementary.asin, elementary.atan
arccosh, arcsinh, arctanh = elementary.acosh, elementary.asinh, elementary.atanh
deg2rad, rad2deg = elementary.radians, elementary.degrees
around, fix, astype = rounding.round, rounding.trunc, rounding.cast
bitwise_not = invert = rounding.bitwise_invert
amax, amin = reduce.max, reduce.min
concatenate = joining.concat
empty, empty_like = creation.zeros, creation.zeros_like  # what NumPy leaves to chance is 0 here
