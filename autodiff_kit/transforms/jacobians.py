"""Full Jacobian and Hessian matrices of functions: jacobian, hessian."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import StructureError
from autodiff_kit.pytree import unflatten_like
from autodiff_kit.transforms.arguments import (
    Function,
    check_callable,
    pack_by_argnums,
    split_arguments,
    split_aux,
    tensor_outputs,
)
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients
from autodiff_kit.transforms.tape_jacobian import jacobians_of_leaves

__all__ = ["hessian", "jacobian"]


def jacobian(f: Function, argnums: int | tuple[int, ...] = 0, mode: str = "auto", has_aux: bool = False) -> Function:
    """A function that returns the Jacobian of ``f``.

    Parameters
    ----------
    f : callable
        Returns a tensor or a pytree of them.
    argnums : int or tuple of int, optional
        Arguments to differentiate with respect to; each may be a pytree.
    mode : {"auto", "forward", "reverse"}
        Forward or reverse mode; "auto" chooses the cheaper one by the sizes of input and output.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    callable
        Returns a tensor of shape ``value.shape + argument.shape``, or a tuple of them; with ``has_aux`` a pair of this
        and ``aux``. Where the value is a pytree, its structure is outside and that of the arguments inside.

    Notes
    -----
    **Cost.** One pass over the tape with a leading axis of ``min(n, m)``, for n inputs and m outputs.

    Examples
    --------
    >>> ak.jacobian(lambda x: x * x)([1.0, 2.0]).numpy()
    array([[2., 0.],
           [0., 4.]])
    """
    check_callable(f, "jacobian")
    has_aux = check_flag("has_aux", has_aux)

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments, sources = split_arguments(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            value, aux = split_aux(f(*arguments, **kwargs), has_aux, "jacobian")
        warn_of_lost_gradients(tape._record, sources, tensor_outputs(value))
        found = _of_each_leaf(tape, value, sources, argnums, mode)
        return (found, aux) if has_aux else found

    return run


def _of_each_leaf(tape: GradientTape, value: Any, sources: list[Any], argnums: Any, mode: str) -> Any:
    """The Jacobian of a value, or of each leaf of a pytree in its structure."""
    found = jacobians_of_leaves(tape, tensor_outputs(value), sources, mode)
    return unflatten_like(value, [pack_by_argnums(blocks, argnums) for blocks in found])


def hessian(f: Function, argnums: int = 0, has_aux: bool = False) -> Function:
    """A function that returns the Hessian of ``f``: its second derivatives.

    Parameters
    ----------
    f : callable
        Returns a tensor or a pytree of them; of one number the Hessian is a matrix, of an array one for each entry.
    argnums : int, optional
        The argument to differentiate with respect to; it may be a pytree.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    callable
        Returns a tensor of shape ``value.shape + argument.shape * 2``; with ``has_aux`` a pair of this and ``aux``. Of
        pytrees, the structure of the value is outside, then that of the argument twice.

    Notes
    -----
    **Cost.** For n inputs, of one number: one reverse pass with a leading axis over a recorded gradient, and memory
    for its intermediate values n times. Of m numbers: a recorded reverse pass with a leading axis of m, then a forward
    pass of n tangents over it, and memory for the intermediate values m · n times, beside the result of m · n² numbers.
    Inside another tape the second pass is a reverse pass, which begins with a unit matrix of (m · n)² entries.

    Examples
    --------
    >>> ak.hessian(lambda x: x[0] ** 2 * x[1])([1.0, 2.0]).numpy()
    array([[4., 2.],
           [2., 0.]])
    >>> ak.hessian(lambda x: x**3)([1.0, 2.0]).shape
    (2, 2, 2)
    """
    given: Any = argnums
    if isinstance(given, (list, tuple, np.ndarray)):
        raise StructureError("hessian takes a single argnums; for a block of two arguments use jacobian(grad(f, i), j)")
    check_callable(f, "hessian")
    has_aux = check_flag("has_aux", has_aux)

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments, sources = split_arguments(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            slopes, mode, aux = _recorded_slopes(f, argnums, has_aux, arguments, kwargs)
        warn_of_lost_gradients(tape._record, sources, slopes)
        found = _of_each_leaf(tape, slopes, sources, argnums, mode)
        return (found, aux) if has_aux else found

    return run


def _recorded_slopes(
    f: Function, argnums: int, has_aux: bool, args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, str, Any]:
    """The gradient or the Jacobian of ``f``, the mode in which to differentiate it once more, and ``aux``."""
    arguments, sources = split_arguments(tuple(args), argnums)
    with GradientTape() as tape:
        tape.watch(sources)
        value, aux = split_aux(f(*arguments, **kwargs), has_aux, "hessian")
    warn_of_lost_gradients(tape._record, sources, tensor_outputs(value))
    if isinstance(value, Value) and value.shape == ():
        return tape.gradient(value, sources, unconnected_gradients="zero")[0], "reverse", aux
    return _of_each_leaf(tape, value, sources, argnums, "auto"), "auto", aux
