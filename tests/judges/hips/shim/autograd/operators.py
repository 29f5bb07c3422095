"""grad and its kin, over pulls and pushes."""

from functools import partial

import numpy as np

import autodiff_kit as ak
from autodiff_kit.pytree import flatten
from autodiff_kit.pytree import unflatten_like

from . import numpy as anp
from .core import clean, make_jvp as _make_jvp, make_vjp as _make_vjp
from .wrap_util import unary_to_nary


def _one(value):
    if any(np.ndim(leaf) and np.size(leaf) != 1 for leaf in flatten(value)):
        raise TypeError("Grad only applies to real scalar-output functions.")
    if any(
        getattr(leaf, "dtype", np.asarray(leaf if not isinstance(leaf, ak.Tensor) else 0.0).dtype).kind not in "fiu"
        for leaf in flatten(value)
    ):
        raise TypeError("Grad only applies to real scalar-output functions.")
    return unflatten_like(value, [1.0 if np.ndim(leaf) == 0 else np.ones(np.shape(leaf)) for leaf in flatten(value)])


@unary_to_nary
def grad(f, x):
    """
    Returns a function which gives the gradient."""
    vjp, y = _make_vjp(f, x)
    return vjp(_one(y))


@unary_to_nary
def value_and_grad(f, x):
    vjp, y = _make_vjp(f, x)
    return y, vjp(_one(y))


@unary_to_nary
def grad_and_aux(f, x):
    vjp, (y, aux) = _make_vjp(f, x)
    zeros = unflatten_like(aux, [np.zeros(np.shape(leaf)) for leaf in flatten(aux)])
    return vjp((_one(y), zeros)), aux


@unary_to_nary
def elementwise_grad(f, x):
    vjp, y = _make_vjp(f, x)
    return vjp(np.ones(np.shape(y)))


@unary_to_nary
def deriv(f, x):
    return _make_jvp(f, x)(np.ones(np.shape(x)))[1]


@unary_to_nary
def holomorphic_grad(f, x):
    raise TypeError("complex numbers are not the kit's")


@unary_to_nary
def make_vjp(f, x):
    return _make_vjp(f, x)


@unary_to_nary
def make_jvp(f, x):
    return _make_jvp(f, x)


@unary_to_nary
def jacobian(f, x):
    vjp, y = _make_vjp(f, x)
    shape, size = np.shape(y), int(np.prod(np.shape(y)))
    rows = [vjp(row.reshape(shape)) for row in np.eye(size)]
    return clean(anp.reshape(anp.stack(rows), shape + np.shape(x)))


def hessian(f, argnum=0):
    return jacobian(jacobian(f, argnum), argnum)


@unary_to_nary
def make_hvp(f, x):
    return _make_vjp(lambda z: grad(f)(z), x)


def hessian_tensor_product(f, argnum=0):
    slope = grad(f, argnum)

    def inner(*args, **kwargs):
        *args, vector = args
        return anp.tensordot(slope(*args, **kwargs), vector, np.ndim(vector))

    return grad(inner, argnum)


def tensor_jacobian_product(f, argnum=0):
    def inner(*args, **kwargs):
        *args, vector = args
        return anp.tensordot(vector, f(*args, **kwargs), axes=np.ndim(vector))

    return jacobian(inner, argnum)


hessian_vector_product, vector_jacobian_product = hessian_tensor_product, tensor_jacobian_product


def make_ggnvp(f, g=lambda x: 1.0 / 2 * anp.sum(x**2, axis=-1), f_argnum=0):
    @unary_to_nary
    def maker(f, x):
        f_vjp, f_x = _make_vjp(f, x)
        g_hvp, _ = _make_vjp(lambda z: grad(g)(z), f_x)
        f_jvp, _ = _make_vjp(f_vjp, np.zeros(np.shape(f_x)))
        return lambda v: f_vjp(g_hvp(f_jvp(v)))

    return maker(f, f_argnum)


def grad_named(f, name):
    import inspect

    return grad(f, list(inspect.signature(f).parameters).index(name))


def multigrad_dict(f):
    import inspect

    def run(*args, **kwargs):
        bound = inspect.signature(f).bind(*args, **kwargs)
        return grad(lambda named: f(**named))(dict(bound.arguments))

    return run


def checkpoint(f):
    return f
