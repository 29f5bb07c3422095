"""Derivatives of functions: what a tape gives, for those who have a function rather than a block of code."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.forward import Pushing, tangent_of
from autodiff_kit.core.modes import modes
from autodiff_kit.core.operation import v
from autodiff_kit.core.pytree import flatten, flatten_like, pack_like
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Value, array, lift, make, normal
from autodiff_kit.errors import AutodiffError, DtypeError, StructureError
from autodiff_kit.transforms.forward_over_reverse import Course

__all__ = ["grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]

Function = Callable[..., Any]


def called(f: Any, what: str) -> Function:
    """``f``, if it can be called at all."""
    if not callable(f):
        raise DtypeError(f"ak.{what} needs a function, got {type(f).__name__}; write ak.{what}(f), not ak.{what}(f(x))")
    return f  # type: ignore[no-any-return]


def generator(seed: Any, what: str) -> np.random.Generator:
    """Random numbers that a seed decides."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise StructureError(f"{what}: seed is a whole number from 0 upwards, not {seed!r}") from error


def _fresh(value: Any) -> Any:
    """A tensor of its own for an argument: watching it must not mark the caller's."""
    tensor = _numbers(value, "an argument")
    if tensor.dtype.kind != "f":
        raise DtypeError(f"derivatives need floating values, got {tensor.dtype}; write 5.0 instead of 5")
    if tensor.node is None:
        return make(tensor._value)
    return v.identity(tensor)  # keeps the path to whoever follows the original


def _numbers(value: Any, what: str) -> Tensor:
    try:
        return lift(value)
    except AutodiffError:
        raise
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{what} is a number, an array or a tensor, not a {type(value).__name__}: {error}") from error


def _is_array(nest: Any) -> bool:
    """Whether a list is a way to write an array, and not a nest of several values."""
    return isinstance(nest, list) and bool(nest) and all(isinstance(x, (int, float)) for x in flatten(nest))


def fresh(nest: Any) -> Any:
    """An argument, or a nest of them, as tensors that may be watched; a list of numbers is an array."""
    return _fresh(nest) if _is_array(nest) else pack_like(nest, [_fresh(x) for x in flatten(nest)])


def _places(argnums: Any, count: int) -> tuple[int, ...]:
    many = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    try:
        wanted = tuple(operator.index(k) for k in many)
    except TypeError as error:
        raise StructureError(f"argnums is the number of an argument, or a tuple of them, not {argnums!r}") from error
    for k in wanted:
        if not -count <= k < count:
            raise StructureError(f"argnums names argument {k}, but {count} were given")
    return tuple(k % count for k in wanted)


def _split(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    """The arguments, those asked for made fresh, and the latter once more by themselves."""
    places = _places(argnums, len(args))
    arguments = [fresh(a) if k in places else a for k, a in enumerate(args)]
    return arguments, [arguments[k] for k in places]


def _packed(found: Any, argnums: Any) -> Any:
    return tuple(found) if isinstance(argnums, (tuple, list)) else found[0]


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
    called(f, "value_and_grad")

    def run(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        arguments, sources = _split(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            value = _scalar(f(*arguments, **kwargs))
        found = tape.gradient(value, sources, unconnected_gradients="zero")
        return value, _packed(found, argnums)

    return run


def grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that gives the gradient of ``f``; see :func:`value_and_grad`.

    Examples
    --------
    >>> float(ak.grad(ak.grad(lambda x: x**3))(3.0))
    18.0
    """
    both = value_and_grad(called(f, "grad"), argnums)
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
    called(f, "vjp")
    arguments = [fresh(p) for p in primals]
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        value = _tensors(f(*arguments))

    def pullback(cotangent: Any) -> Any:
        found = tape.gradient(value, arguments, _weights(value, cotangent), unconnected_gradients="zero")
        return found[0] if len(primals) == 1 else tuple(found)

    return value, pullback


def _tensors(value: Any) -> Any:
    for leaf in flatten(value):
        if not isinstance(leaf, Value):
            raise DtypeError(
                f"the function returned a {type(leaf).__name__}, not a tensor: nothing can be differentiated"
            )
    return value


def _weights(value: Any, cotangent: Any) -> Any:
    """Cotangents in the structure of the value; where it has a tensor, a list is an array."""
    leaves = flatten_like(value, cotangent)
    return pack_like(value, [None if c is None else _real(c) for c in leaves])


def _real(value: Any) -> Tensor:
    tensor = _numbers(value, "a tangent or cotangent")
    if tensor.dtype.kind not in "biuf":
        raise DtypeError(f"a tangent or cotangent holds real numbers, got {tensor.dtype}")
    return tensor


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
    called(f, "jvp")
    arguments, directions = _paired(primals, tangents)
    with Pushing() as record:
        _start(record, arguments, directions)
        value = _tensors(f(*arguments))
    return value, pack_like(value, [record.tangent_of(y, "zero") for y in flatten(value)])


def _start(record: Pushing, arguments: list[Any], directions: list[Any]) -> list[Any]:
    """Put each direction on its argument; the leaves of the arguments."""
    sources = flatten(arguments)
    for source, direction in zip(sources, flatten_like(arguments, directions), strict=True):
        record.start(source, tangent_of(source, direction))
    return sources


def _paired(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    many = isinstance(primals, (tuple, list)) and not _is_array(primals)
    arguments = [fresh(p) for p in (primals if many else (primals,))]
    if many and not isinstance(tangents, (tuple, list)):
        raise StructureError(
            f"{len(arguments)} primals need a tuple of as many tangents, got a {type(tangents).__name__}"
        )
    directions = list(tangents) if many else [tangents]
    if len(arguments) != len(directions):
        raise StructureError(
            f"{len(arguments)} primals and {len(directions)} tangents; give one tangent for each primal"
        )
    return arguments, [_direction(a, t) for a, t in zip(arguments, directions, strict=True)]


def _direction(argument: Any, tangent: Any) -> Any:
    """A tangent as tensors; numbers that are written down take the dtype of their primal."""
    if not isinstance(argument, Value):
        leaves = flatten_like(argument, tangent)
        return pack_like(argument, [_direction(a, t) for a, t in zip(flatten(argument), leaves, strict=True)])
    given = _real(tangent)
    return given if isinstance(tangent, Value) else make(normal(array(given._value, argument.dtype)))


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
    called(f, "jacobian")

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments, sources = _split(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            value = f(*arguments, **kwargs)
        found = tape.jacobian(value, sources, unconnected_gradients="zero", mode=mode)
        return _packed(found, argnums)

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
    given: Any = argnums
    if isinstance(given, (list, tuple, np.ndarray)):
        raise StructureError(
            "hessian takes one argument number; for a block of two arguments use jacobian(grad(f, i), j)"
        )
    return jacobian(grad(called(f, "hessian"), argnums), argnums, mode="reverse")


def hvp(f: Function, primals: Any, tangents: Any) -> Any:
    """The Hessian of ``f`` times a vector: a tangent runs along with ``f``, and back with its gradient.

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
    **Cost.** About twice a gradient; the Hessian is never built. Each value on the way is held with its tangent.

    Examples
    --------
    >>> ak.hvp(lambda x: x[0] ** 2 * x[1], [1.0, 2.0], [1.0, 0.0]).numpy()
    array([4., 2.])
    """
    called(f, "hvp")
    arguments, directions = _paired(primals, tangents)
    if open_records.records or modes.absorbs or modes.anomalies:
        places = tuple(range(len(arguments)))
        _, product = jvp(grad(f, places), tuple(arguments), tuple(directions))
    else:
        product = _bent(f, arguments, directions)
    return product[0] if len(arguments) == 1 else tuple(product)


def _bent(f: Function, arguments: list[Any], directions: list[Any]) -> list[Any]:
    """The same where nobody looks on: ``f`` is recorded once, and the tangent runs along the record and back."""
    with Course() as course:
        sources = _start(course, arguments, directions)
        value = _scalar(f(*arguments))
    products = course.bend(value, sources)
    return [pack_like(a, [next(rest) for _ in flatten(a)]) for rest in (iter(products),) for a in arguments]
