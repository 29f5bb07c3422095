"""Full Jacobian and Hessian matrices of functions: jacobian, hessian."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import StructureError
from autodiff_kit.transforms.arguments import Function, check_callable, pack_by_argnums, split_arguments, split_aux
from autodiff_kit.transforms.reverse_mode import grad

__all__ = ["hessian", "jacobian"]


def jacobian(f: Function, argnums: int | tuple[int, ...] = 0, mode: str = "auto", has_aux: bool = False) -> Function:
    """A function that returns the Jacobian of ``f``.

    Parameters
    ----------
    f : callable
    argnums : int or tuple of int, optional
    mode : {"auto", "forward", "reverse"}
        Forward or reverse mode; "auto" chooses the cheaper one by the sizes of input and output.
    has_aux : bool, optional
        ``f`` returns a pair ``(value, aux)``. Only the value is differentiated; ``aux`` may be anything.

    Returns
    -------
    callable
        Returns a tensor of shape ``value.shape + argument.shape``, or a tuple of them; with ``has_aux`` a pair of this
        and ``aux``.

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
        found = tape.jacobian(value, sources, unconnected_gradients="zero", mode=mode)
        packed = pack_by_argnums(found, argnums)
        return (packed, aux) if has_aux else packed

    return run


def hessian(f: Function, argnums: int = 0, has_aux: bool = False) -> Function:
    """A function that returns the Hessian of ``f``, the matrix of its second derivatives.

    With ``has_aux``, ``f`` returns ``(value, aux)``, and the function returns ``(hessian, aux)``.

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
    slope = grad(check_callable(f, "hessian"), argnums, has_aux)
    return jacobian(slope, argnums, mode="reverse", has_aux=has_aux)
