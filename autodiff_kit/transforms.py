"""Derivatives of functions: what a tape gives, for those who have a function rather than a block of code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.forward import ForwardAccumulator
from autodiff_kit.core.nest import flatten, pack_like
from autodiff_kit.core.rules import v
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Value, lift, make
from autodiff_kit.errors import DtypeError, StructureError

__all__ = ["grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]

Function = Callable[..., Any]


def _fresh(value: Any) -> Any:
    """A tensor of its own for an argument: watching it must not mark the caller's."""
    tensor = lift(value)
    if not np.issubdtype(tensor.dtype, np.inexact):
        raise DtypeError(f"derivatives need floating values, got {tensor.dtype}; write 5.0 instead of 5")
    if tensor.node is None:
        return make(tensor._value)
    return v.identity(tensor)  # keeps the path to whoever follows the original


def _is_array(nest: Any) -> bool:
    """Whether a list is a way to write an array, and not a nest of several values."""
    return isinstance(nest, list) and bool(nest) and all(isinstance(x, (int, float)) for x in flatten(nest))


def _freshen(nest: Any) -> Any:
    return _fresh(nest) if _is_array(nest) else pack_like(nest, [_fresh(x) for x in flatten(nest)])


def _split(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> tuple[list[Any], tuple[int, ...]]:
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for k in wanted:
        if not -len(args) <= k < len(args):
            raise StructureError(f"argnums names argument {k}, but {len(args)} were given")
    places = tuple(k % len(args) for k in wanted)
    return [_freshen(a) if k in places else a for k, a in enumerate(args)], places


def _scalar(value: Any) -> Tensor:
    if not isinstance(value, Value):
        raise DtypeError(f"the function returned a {type(value).__name__}, not a tensor: nothing can be differentiated")
    if value.shape != ():
        raise StructureError(
            f"grad needs a function with one number as its answer, this one returned shape {value.shape}. "
            "Sum it, or use ak.vjp or ak.jacobian."
        )
    return lift(value)


def value_and_grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that gives the value of ``f`` and its gradient.

    Parameters
    ----------
    f : callable
        With one number as its answer.
    argnums : int or tuple of int, optional
        With respect to which arguments; each may be a nest.

    Returns
    -------
    callable
        ``(*args) -> (value, gradient)``; several arguments give a tuple of gradients.

    Notes
    -----
    **Cost.** The function and one reverse sweep.

    Examples
    --------
    >>> value, slope = ak.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """

    def run(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        arguments, places = _split(args, argnums)
        sources = [arguments[k] for k in places]
        with GradientTape() as tape:
            tape.watch(sources)
            value = _scalar(f(*arguments, **kwargs))
        found = tape.gradient(value, sources, unconnected_gradients="zero")
        return value, found[0] if isinstance(argnums, int) else tuple(found)

    return run


def grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that gives the gradient of ``f``; see :func:`value_and_grad`.

    Examples
    --------
    >>> float(ak.grad(ak.grad(lambda x: x**3))(3.0))
    18.0
    """
    both = value_and_grad(f, argnums)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of ``f`` and a function that pulls cotangents back.

    Parameters
    ----------
    f : callable
    *primals : array_like or nest
        Its arguments.

    Returns
    -------
    value : nest of Tensor
    pullback : callable
        ``pullback(cotangent)`` gives ``u @ J`` for one primal, a tuple for several. It may be called again and again,
        and is itself differentiable.

    Notes
    -----
    **Shapes.** For f: (n,) -> (m,) it takes (m,) and gives (n,). **Cost.** One reverse sweep a call; the m × n
    Jacobian is never built.

    Examples
    --------
    >>> value, pullback = ak.vjp(lambda x: x * x, [1.0, 2.0, 3.0])
    >>> pullback([1.0, 0.0, 1.0]).numpy()
    array([2., 0., 6.])
    """
    arguments = [_freshen(p) for p in primals]
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        value = f(*arguments)

    def pullback(cotangent: Any) -> Any:
        found = tape.gradient(value, arguments, _lifted(cotangent), unconnected_gradients="zero")
        return found[0] if len(primals) == 1 else tuple(found)

    return value, pullback


def _lifted(nest: Any) -> Any:
    """Cotangents may be given as plain lists of numbers; a list of tensors is a nest."""
    return lift(nest) if _is_array(nest) else nest


def jvp(f: Function, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The value of ``f`` and how it moves along a tangent.

    Parameters
    ----------
    f : callable
    primals, tangents : tuple or list
        The arguments of ``f`` and a tangent for each; a single array stands for one argument.

    Returns
    -------
    value, tangent : nest of Tensor

    Notes
    -----
    **Shapes.** For f: (n,) -> (m,) a tangent (n,) gives ``J @ v`` of shape (m,). **Cost.** One forward pass of two to
    three times the function; nothing is recorded.

    Examples
    --------
    >>> value, tangent = ak.jvp(ak.sin, (0.0,), (2.0,))
    >>> float(value), float(tangent)
    (0.0, 2.0)
    """
    arguments, directions = _paired(primals, tangents)
    with ForwardAccumulator(arguments, directions) as acc:
        value = f(*arguments)
    return value, acc.jvp(value, unconnected_gradients="zero")


def _paired(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    many = isinstance(primals, (tuple, list)) and not _is_array(primals)
    arguments = [_freshen(p) for p in (primals if many else (primals,))]
    directions = list(tangents) if many else [tangents]
    if len(arguments) != len(directions):
        raise StructureError(
            f"{len(arguments)} primals and {len(directions)} tangents; give one tangent for each primal"
        )
    shaped = [
        lift(np.asarray(t, dtype=a.dtype)) if isinstance(a, Value) and not isinstance(t, Value) else t
        for a, t in zip(arguments, directions, strict=True)
    ]
    return arguments, shaped


def jacobian(f: Function, argnums: int | tuple[int, ...] = 0, mode: str = "auto") -> Function:
    """A function that gives the Jacobian of ``f``.

    Parameters
    ----------
    f : callable
    argnums : int or tuple of int, optional
    mode : {"auto", "forward", "reverse"}
        Which way round; "auto" takes the cheaper.

    Returns
    -------
    callable
        Giving a tensor of shape ``value.shape + argument.shape``, or a tuple of them.

    Notes
    -----
    **Cost.** One pass over the record with a leading axis of ``min(n, m)``.

    Examples
    --------
    >>> ak.jacobian(lambda x: x * x)([1.0, 2.0]).numpy()
    array([[2., 0.],
           [0., 4.]])
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments, places = _split(args, argnums)
        sources = [arguments[k] for k in places]
        with GradientTape() as tape:
            tape.watch(sources)
            value = f(*arguments, **kwargs)
        found = tape.jacobian(value, sources, unconnected_gradients="zero", mode=mode)
        return found[0] if isinstance(argnums, int) else tuple(found)

    return run


def hessian(f: Function, argnums: int = 0) -> Function:
    """A function that gives the matrix of second derivatives of ``f``.

    Notes
    -----
    **Shapes.** ``argument.shape * 2``. **Cost.** One sweep with a leading axis over a recorded gradient.

    Examples
    --------
    >>> ak.hessian(lambda x: x[0] ** 2 * x[1])([1.0, 2.0]).numpy()
    array([[4., 2.],
           [2., 0.]])
    """
    return jacobian(grad(f, argnums), argnums, mode="reverse")


def hvp(f: Function, primals: Any, tangents: Any) -> Any:
    """The Hessian of ``f`` times a vector, by pushing a tangent through the gradient.

    Parameters
    ----------
    f : callable
        With one number as its answer.
    primals, tangents : array_like, or tuples of them

    Returns
    -------
    Tensor or tuple of Tensor
        Shaped like the one primal, or a tuple where there are several.

    Notes
    -----
    **Cost.** About twice a gradient; the Hessian is never built.

    Examples
    --------
    >>> ak.hvp(lambda x: x[0] ** 2 * x[1], [1.0, 2.0], [1.0, 0.0]).numpy()
    array([4., 2.])
    """
    arguments, directions = _paired(primals, tangents)
    places = tuple(range(len(arguments)))
    _, product = jvp(grad(f, places), tuple(arguments), tuple(directions))
    return product[0] if len(arguments) == 1 else tuple(product)
