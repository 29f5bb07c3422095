"""autodiff_kit: tape automatic differentiation to see, try and learn from.

``import autodiff_kit as ak``; then open a tape, compute, and ask::

    x = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = x**2
    tape.gradient(y, x)
"""

from __future__ import annotations

import sys as _sys

from autodiff_kit.ops import tensor_methods as _methods  # isort: skip  (first: operators and methods of tensors)
from autodiff_kit import errors, nn, optim
from autodiff_kit.compile.api import compile
from autodiff_kit.core.custom_gradient import custom_gradient
from autodiff_kit.core.forward import ForwardAccumulator
from autodiff_kit.core.gradient_override import gradient_override_map, register_gradient
from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.modes import detect_anomalies, zero_absorbs
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Variable, constant
from autodiff_kit.diagnostics.cost import cost as _cost  # a method of tapes
from autodiff_kit.diagnostics.explain import explain as _explain  # a method of tapes
from autodiff_kit.diagnostics.gradient_check import check_gradients
from autodiff_kit.diagnostics.tape_table import table as _table  # a method of tapes
from autodiff_kit.errors import AutodiffError, GradientCheckError
from autodiff_kit.nn import layers, relax, segment
from autodiff_kit.nn.module import Module
from autodiff_kit.ops.aliases import *
from autodiff_kit.ops.arithmetic import *
from autodiff_kit.ops.creation import *
from autodiff_kit.ops.cumulative import *
from autodiff_kit.ops.decompositions import *
from autodiff_kit.ops.determinants import *
from autodiff_kit.ops.diagonals import *
from autodiff_kit.ops.einstein_summation import *
from autodiff_kit.ops.elementary_functions import *
from autodiff_kit.ops.indexing import *
from autodiff_kit.ops.joining import *
from autodiff_kit.ops.linear_systems import *
from autodiff_kit.ops.matrix_products import *
from autodiff_kit.ops.norms import *
from autodiff_kit.ops.quantiles import *
from autodiff_kit.ops.reductions import *
from autodiff_kit.ops.rounding import *
from autodiff_kit.ops.selection import *
from autodiff_kit.ops.shape_manipulation import *
from autodiff_kit.ops.signal_processing import *
from autodiff_kit.ops.singular_values import *
from autodiff_kit.ops.statistics import *
from autodiff_kit.transforms.derivatives import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from autodiff_kit.transforms.hessian_norm import HessianNorm, hessian_norm
from autodiff_kit.transforms.per_example import per_example_gradients

__all__ = [
    "AutodiffError",
    "ForwardAccumulator",
    "GradientCheckError",
    "GradientTape",
    "HessianNorm",
    "Module",
    "RowGradient",
    "Tensor",
    "Variable",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "any",
    "append",
    "arange",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "array_equal",
    "array_split",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_or",
    "bitwise_xor",
    "broadcast_arrays",
    "broadcast_to",
    "cast",
    "cbrt",
    "ceil",
    "check_gradients",
    "cholesky",
    "clip",
    "column_stack",
    "compile",
    "concat",
    "cond",
    "constant",
    "convolve",
    "copysign",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "cumlogsumexp",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "custom_gradient",
    "degrees",
    "delete",
    "det",
    "detect_anomalies",
    "diag",
    "diagonal",
    "diff",
    "divide",
    "divide_no_nan",
    "dot",
    "dsplit",
    "dstack",
    "eigh",
    "eigvalsh",
    "einsum",
    "equal",
    "errors",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "eye",
    "fabs",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "full",
    "full_like",
    "getitem",
    "grad",
    "gradient_override_map",
    "greater",
    "greater_equal",
    "heaviside",
    "hessian",
    "hessian_norm",
    "hsplit",
    "hstack",
    "hvp",
    "hypot",
    "identity",
    "inner",
    "interp",
    "inv",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "jacobian",
    "jvp",
    "kron",
    "layers",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_sigmoid",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "matvec",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moveaxis",
    "multi_dot",
    "multiply",
    "nan_to_num",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "negative",
    "nextafter",
    "nn",
    "nonzero",
    "norm",
    "not_equal",
    "ones",
    "ones_like",
    "optim",
    "outer",
    "pad",
    "partition",
    "per_example_gradients",
    "percentile",
    "permute_dims",
    "pinv",
    "polyval",
    "positive",
    "power",
    "prod",
    "ptp",
    "qr",
    "quantile",
    "radians",
    "ravel",
    "reciprocal",
    "register_gradient",
    "relax",
    "repeat",
    "reshape",
    "rint",
    "roll",
    "rollaxis",
    "rot90",
    "round",
    "rsqrt",
    "searchsorted",
    "segment",
    "select",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "slogdet",
    "slopes",
    "softplus",
    "solve",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "subtract",
    "sum",
    "svd",
    "svdvals",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "topk",
    "trace",
    "transpose",
    "trapezoid",
    "tril",
    "triu",
    "trunc",
    "unstack",
    "value_and_grad",
    "var",
    "vecdot",
    "vector_norm",
    "vjp",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "zero_absorbs",
    "zeros",
    "zeros_like",
]  # fmt: skip

__version__ = "0.1.0.dev0"

if "ipykernel" in _sys.modules:  # in a notebook's kernel: the tape inspector may ask of what is recorded there
    from autodiff_kit.lab.kernel import attach as _attach

    _attach()
