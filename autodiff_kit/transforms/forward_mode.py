"""Jacobian-vector products of functions, by forward mode: jvp."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.pytree import flatten, flatten_like, unflatten_like
from autodiff_kit.transforms.arguments import Function, check_callable, primals_and_tangents, tensor_outputs
from autodiff_kit.transforms.forward_accumulator import TangentRecord, check_tangent

__all__ = ["jvp", "set_tangents"]


def jvp(f: Function, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The value of ``f`` and its Jacobian-vector product with a tangent (forward mode).

    Parameters
    ----------
    f : callable
    primals, tangents : tuple or list
        The arguments of ``f`` and a tangent for each; a single array stands for one argument.

    Returns
    -------
    value, tangent : pytree of Tensor

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
        value = tensor_outputs(f(*arguments))
    return value, unflatten_like(value, [accumulator.tangent_of(y, "zero") for y in flatten(value)])


def set_tangents(accumulator: TangentRecord, arguments: list[Any], directions: list[Any]) -> list[Any]:
    """Seed an accumulator with the tangent of each argument; returns the leaves of the arguments."""
    sources = flatten(arguments)
    for source, direction in zip(sources, flatten_like(arguments, directions), strict=True):
        accumulator.start(source, check_tangent(source, direction))
    return sources
