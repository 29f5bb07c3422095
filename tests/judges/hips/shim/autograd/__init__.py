"""A package of this name over the kit, so that HIPS autograd's own tests can judge it. An adapter, nothing more.

Functions under test take and give plain numbers and arrays where nothing is being differentiated, and tensors of the
kit where something is. ``autograd.numpy`` is NumPy itself: tensors record through NumPy's own protocols.
"""

from .builtins import dict, isinstance, list, tuple, type
from .operators import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)
from .tracer import primitive
