"""Transforms of functions: gradients, Jacobian and Hessian products, full matrices, per-example gradients.

Each transform takes a Python function of arrays and returns a function or the derivative itself. Forward mode costs one
pass for each input, reverse mode one pass for each output; the docstring of each transform states its cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.core.tape import add_tape_method
from autodiff_kit.lazy import LazyAttribute, lazy_names

if TYPE_CHECKING:
    from autodiff_kit.transforms.forward_accumulator import ForwardAccumulator
    from autodiff_kit.transforms.forward_mode import jvp
    from autodiff_kit.transforms.forward_over_reverse import hvp
    from autodiff_kit.transforms.hessian_estimators import HessianNorm, hessian_norm
    from autodiff_kit.transforms.jacobians import hessian, jacobian
    from autodiff_kit.transforms.per_example import per_example_gradients
    from autodiff_kit.transforms.reverse_mode import grad, value_and_grad, vjp
    from autodiff_kit.transforms.vectorized_map import vmap
else:
    _MODULES = {
        "forward_accumulator": "ForwardAccumulator",
        "forward_mode": "jvp",
        "forward_over_reverse": "hvp",
        "hessian_estimators": "HessianNorm hessian_norm",
        "jacobians": "hessian jacobian",
        "per_example": "per_example_gradients",
        "reverse_mode": "grad value_and_grad vjp",
        "vectorized_map": "vmap",
    }
    __getattr__ = lazy_names(__name__, {name: module for module, names in _MODULES.items() for name in names.split()})

for _name in ("jacobian", "batch_jacobian"):
    add_tape_method(_name, LazyAttribute(f"{__name__}.tape_jacobian", _name))

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
