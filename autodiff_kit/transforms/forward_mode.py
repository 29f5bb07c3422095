"""Jacobian-vector products of functions, by forward mode: jvp."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.validation import check_flag
from autodiff_kit.pytree import flatten, flatten_like, unflatten_like
from autodiff_kit.transforms.arguments import (
    Function,
    check_callable,
    primals_and_tangents,
    split_aux,
    tensor_outputs,
)
from autodiff_kit.transforms.forward_accumulator import TangentRecord, check_tangent
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients

__all__ = ["jvp", "set_tangents"]


def jvp(f: Function, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """The value of ``f`` and its Jacobian-vector product with a tangent (forward mode).

    Parameters
    ----------
    f : callable
    primals, tangents : tuple, array_like or pytree
        The arguments of ``f`` and a tangent for each, as two tuples. What is no tuple stands for one argument, also a
        list of numbers; a list of tensors or arrays counts as a tuple.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    value, tangent : pytree of Tensor
    aux : object
        With ``has_aux`` only.

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
    check_callable(f, "jvp")
    arguments, directions = primals_and_tangents(primals, tangents)
    with TangentRecord() as accumulator:
        set_tangents(accumulator, arguments, directions)
        output, aux = split_aux(f(*arguments), check_flag("has_aux", has_aux), "jvp")
        value = tensor_outputs(output)
    warn_of_lost_gradients(accumulator, arguments, value)
    tangent = unflatten_like(value, [accumulator.tangent_of(y, "zero") for y in flatten(value)])
    return (value, tangent, aux) if has_aux else (value, tangent)


def set_tangents(accumulator: TangentRecord, arguments: list[Any], directions: list[Any]) -> list[Any]:
    """Seed an accumulator with the tangent of each argument; returns the leaves of the arguments."""
    sources = flatten(arguments)
    for source, direction in zip(sources, flatten_like(arguments, directions), strict=True):
        accumulator.start(source, check_tangent(source, direction))
    return sources
