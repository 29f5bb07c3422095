"""Transforms of functions: gradients, Jacobian and Hessian products, full matrices, per-example gradients.

Each transform takes a Python function of arrays and returns a function or the derivative itself. Forward mode costs one
pass for each input, reverse mode one pass for each output; the docstring of each transform states its cost.
"""

from __future__ import annotations

from autodiff_kit.transforms.forward_accumulator import ForwardAccumulator
from autodiff_kit.transforms.forward_mode import jvp
from autodiff_kit.transforms.forward_over_reverse import hvp
from autodiff_kit.transforms.hessian_estimators import HessianNorm, hessian_norm
from autodiff_kit.transforms.jacobians import hessian, jacobian
from autodiff_kit.transforms.per_example import per_example_gradients
from autodiff_kit.transforms.reverse_mode import grad, value_and_grad, vjp
from autodiff_kit.transforms.tape_jacobian import add_jacobian_methods
from autodiff_kit.transforms.vectorized_map import vmap

add_jacobian_methods()

__all__ = [
    "ForwardAccumulator",
    "HessianNorm",
    "grad",
    "hessian",
    "hessian_norm",
    "hvp",
    "jacobian",
    "jvp",
    "per_example_gradients",
    "value_and_grad",
    "vjp",
    "vmap",
]
