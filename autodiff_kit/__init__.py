"""autodiff_kit: tape automatic differentiation to see, try and learn from.

``import autodiff_kit as ak``; then open a tape, compute, and ask::

    x = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = x**2
    tape.gradient(y, x)
"""

from __future__ import annotations

from autodiff_kit.ops import methods as _methods  # isort: skip  (first: operators and methods of tensors)
from autodiff_kit import errors, nn, optim, relax
from autodiff_kit.check import check_gradients
from autodiff_kit.core.custom import custom_gradient
from autodiff_kit.core.forward import ForwardAccumulator
from autodiff_kit.core.overrides import gradient_override_map, register_gradient
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Variable, constant
from autodiff_kit.errors import AutodiffError, GradientCheckError
from autodiff_kit.ops.arithmetic import *
from autodiff_kit.ops.choose import *
from autodiff_kit.ops.elementary import *
from autodiff_kit.ops.products import *
from autodiff_kit.ops.reduce import *
from autodiff_kit.ops.rounding import *
from autodiff_kit.ops.shaping import *
from autodiff_kit.optim.rows import RowGradient
from autodiff_kit.transforms import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

__all__ = [
    "AutodiffError",
    "ForwardAccumulator",
    "GradientCheckError",
    "GradientTape",
    "RowGradient",
    "Tensor",
    "Variable",
    "abs",
    "acos",
    "acosh",
    "add",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "broadcast_to",
    "cast",
    "ceil",
    "check_gradients",
    "clip",
    "concat",
    "cond",
    "constant",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "diff",
    "divide",
    "dot",
    "equal",
    "errors",
    "exp",
    "expand_dims",
    "expm1",
    "flip",
    "floor",
    "floor_divide",
    "getitem",
    "grad",
    "gradient_override_map",
    "greater",
    "greater_equal",
    "hessian",
    "hvp",
    "hypot",
    "identity",
    "isfinite",
    "isinf",
    "isnan",
    "jacobian",
    "jvp",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logsumexp",
    "matmul",
    "matvec",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mod",
    "moveaxis",
    "multiply",
    "negative",
    "nn",
    "norm",
    "not_equal",
    "optim",
    "outer",
    "permute_dims",
    "power",
    "prod",
    "ravel",
    "reciprocal",
    "register_gradient",
    "relax",
    "reshape",
    "roll",
    "round",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "softplus",
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
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "transpose",
    "trunc",
    "value_and_grad",
    "var",
    "vecdot",
    "vjp",
    "where",
    "xlogy",
]  # fmt: skip

__version__ = "0.1.0.dev0"
