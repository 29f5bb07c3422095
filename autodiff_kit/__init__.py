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
from autodiff_kit.core.rules import gradient_override_map, register_gradient
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

__version__ = "0.1.0.dev0"
