"""Gradients and vector-Jacobian products of functions, by one reverse pass: grad, value_and_grad, vjp."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autodiff_kit.collector import relax_collector, restore_collector
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.validation import check_flag
from autodiff_kit.transforms.arguments import (
    Function,
    check_callable,
    cotangents_like,
    pack_by_argnums,
    scalar_output,
    split_arguments,
    split_aux,
    tensor_outputs,
    watchable_copy,
)
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients

__all__ = ["collects_afterwards", "grad", "last_gradient", "value_and_grad", "vjp"]

F = TypeVar("F", bound=Callable[..., Any])


def collects_afterwards(function: F) -> F:
    """Decorate a function that makes a tape and drops it: Python's collector waits until the record is gone.

    Before that it would go through all nodes and find nothing to free.
    """

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        relax_collector()
        try:
            return function(*args, **kwargs)
        finally:
            restore_collector(only_numbers=False)

    return cast("F", run)


def last_gradient(tape: GradientTape, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
    """The gradient of a persistent tape that is dropped right after, which is faster than releasing its values.

    Only an error releases them, because its traceback may keep the tape.
    """
    try:
        return tape.gradient(target, sources, unconnected_gradients=unconnected_gradients)
    except BaseException:
        tape._release()
        raise


def value_and_grad(f: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """A function that returns the value of ``f`` and its gradient.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar tensor).
    argnums : int or tuple of int, optional
        Arguments to differentiate with respect to; each may be a pytree.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    callable
        ``(*args) -> (value, gradient)``, with ``has_aux`` ``((value, aux), gradient)``; a tuple of argnums gives a
        tuple of gradients.

    Notes
    -----
    **Gradient.** 0 where ``f`` does not depend on an argument; a tape gives None there.
    **Cost.** One evaluation of the function and one reverse pass.

    Examples
    --------
    >>> value, slope = ak.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """
    check_callable(f, "value_and_grad")
    return _value_and_grad(f, argnums, has_aux, "value_and_grad")


def _value_and_grad(f: Function, argnums: int | tuple[int, ...], has_aux: bool, what: str) -> Function:
    has_aux = check_flag("has_aux", has_aux)

    @collects_afterwards
    def run(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        arguments, sources = split_arguments(args, argnums)
        with GradientTape(persistent=True) as tape:
            tape.watch(sources)
            output, aux = split_aux(f(*arguments, **kwargs), has_aux, what)
            value = scalar_output(output)
        warn_of_lost_gradients(tape._record, sources, value)
        found = last_gradient(tape, value, sources, "zero")
        return (value, aux) if has_aux else value, pack_by_argnums(found, argnums)

    return run


def grad(f: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of ``f``; see :func:`value_and_grad`.

    With ``has_aux``, ``f`` returns ``(value, aux)``, and the function returns ``(gradient, aux)``. The gradient is 0
    where ``f`` does not depend on the argument; a tape gives None there.

    Examples
    --------
    >>> float(ak.grad(ak.grad(lambda x: x**3))(3.0))
    18.0
    >>> slope, residual = ak.grad(lambda x: ((x - 1.0) ** 2, x - 1.0), has_aux=True)(3.0)
    >>> float(slope), float(residual)
    (4.0, 2.0)
    """
    both = _value_and_grad(check_callable(f, "grad"), argnums, has_aux, "grad")
    if not has_aux:
        return lambda *args, **kwargs: both(*args, **kwargs)[1]

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        (_, aux), slope = both(*args, **kwargs)
        return slope, aux

    return run


def vjp(f: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``f`` and its vector-Jacobian product as a function (reverse mode).

    Parameters
    ----------
    f : callable
    *primals : array_like or pytree
        The arguments of ``f``.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    value : pytree of Tensor
    pullback : callable
        ``pullback(cotangent)`` returns ``cotangent @ J`` for one primal, a tuple for several. It may be called any
        number of times, and is itself differentiable.
    aux : object
        With ``has_aux`` only.

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
        output, aux = split_aux(f(*arguments), check_flag("has_aux", has_aux), "vjp")
        value = tensor_outputs(output)
    warn_of_lost_gradients(tape._record, arguments, value)

    def pullback(cotangent: Any) -> Any:
        found = tape.gradient(value, arguments, cotangents_like(value, cotangent), unconnected_gradients="zero")
        return found[0] if len(primals) == 1 else tuple(found)

    return (value, pullback, aux) if has_aux else (value, pullback)
