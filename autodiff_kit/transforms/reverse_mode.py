"""Gradients and vector-Jacobian products of functions, by one reverse pass: grad, value_and_grad, vjp."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.transforms.arguments import (
    Function,
    check_callable,
    cotangents_like,
    pack_by_argnums,
    scalar_output,
    split_arguments,
    tensor_outputs,
    watchable_copy,
)

__all__ = ["grad", "value_and_grad", "vjp"]


def value_and_grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns the value of ``f`` and its gradient.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar tensor).
    argnums : int or tuple of int, optional
        Arguments to differentiate with respect to; each may be a pytree.

    Returns
    -------
    callable
        ``(*args) -> (value, gradient)``; a tuple of argnums gives a tuple of gradients.

    Notes
    -----
    **Cost.** One evaluation of the function and one reverse pass.

    Examples
    --------
    >>> value, slope = ak.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """
    check_callable(f, "value_and_grad")

    def run(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        arguments, sources = split_arguments(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            value = scalar_output(f(*arguments, **kwargs))
        found = tape.gradient(value, sources, unconnected_gradients="zero")
        return value, pack_by_argnums(found, argnums)

    return run


def grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns the gradient of ``f``; see :func:`value_and_grad`.

    Examples
    --------
    >>> float(ak.grad(ak.grad(lambda x: x**3))(3.0))
    18.0
    """
    both = value_and_grad(check_callable(f, "grad"), argnums)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of ``f`` and its vector-Jacobian product as a function (reverse mode).

    Parameters
    ----------
    f : callable
    *primals : array_like or pytree
        The arguments of ``f``.

    Returns
    -------
    value : pytree of Tensor
    pullback : callable
        ``pullback(cotangent)`` returns ``cotangent @ J`` for one primal, a tuple for several. It may be called any
        number of times, and is itself differentiable.

    Notes
    -----
    **Shapes.** For f: (n,) -> (m,), the pullback maps (m,) to (n,). **Cost.** One reverse pass for each call; the
    m × n Jacobian is never built.

    Examples
    --------
    >>> value, pullback = ak.vjp(lambda x: x * x, [1.0, 2.0, 3.0])
    >>> pullback([1.0, 0.0, 1.0]).numpy()
    array([2., 0., 6.])
    """
    check_callable(f, "vjp")
    arguments = [watchable_copy(p) for p in primals]
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        value = tensor_outputs(f(*arguments))

    def pullback(cotangent: Any) -> Any:
        found = tape.gradient(value, arguments, cotangents_like(value, cotangent), unconnected_gradients="zero")
        return found[0] if len(primals) == 1 else tuple(found)

    return value, pullback
