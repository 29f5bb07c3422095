"""Full Jacobian and Hessian matrices of functions: jacobian, hessian."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.errors import StructureError
from autodiff_kit.transforms.arguments import Function, check_callable, pack_by_argnums, split_arguments
from autodiff_kit.transforms.reverse_mode import grad

__all__ = ["hessian", "jacobian"]


def jacobian(f: Function, argnums: int | tuple[int, ...] = 0, mode: str = "auto") -> Function:
    """A function that returns the Jacobian of ``f``.

    Parameters
    ----------
    f : callable
    argnums : int or tuple of int, optional
    mode : {"auto", "forward", "reverse"}
        Forward or reverse mode; "auto" chooses the cheaper one by the sizes of input and output.

    Returns
    -------
    callable
        Returns a tensor of shape ``value.shape + argument.shape``, or a tuple of them.

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

    def run(*args: Any, **kwargs: Any) -> Any:
        arguments, sources = split_arguments(args, argnums)
        with GradientTape() as tape:
            tape.watch(sources)
            value = f(*arguments, **kwargs)
        found = tape.jacobian(value, sources, unconnected_gradients="zero", mode=mode)
        return pack_by_argnums(found, argnums)

    return run


def hessian(f: Function, argnums: int = 0) -> Function:
    """A function that returns the Hessian of ``f``, the matrix of its second derivatives.

    Notes
    -----
    **Shapes.** ``argument.shape * 2``. **Cost.** One reverse pass with a leading axis over a recorded gradient.

    Examples
    --------
    >>> ak.hessian(lambda x: x[0] ** 2 * x[1])([1.0, 2.0]).numpy()
    array([[4., 2.],
           [2., 0.]])
    """
    given: Any = argnums
    if isinstance(given, (list, tuple, np.ndarray)):
        raise StructureError("hessian takes a single argnums; for a block of two arguments use jacobian(grad(f, i), j)")
    return jacobian(grad(check_callable(f, "hessian"), argnums), argnums, mode="reverse")
