"""Selection between values by conditions, and control of where gradients pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.fast_dispatch import PYTHON_NUMBERS
from autodiff_kit.core.numpy_protocol import Value, check_real_numbers, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ArgumentError
from autodiff_kit.ops.arithmetic import maximum, minimum
from autodiff_kit.ops.families import elementwise, linear
from autodiff_kit.ops.promotion import integer_in_dtype, number_or_array, promote
from autodiff_kit.ops.searching import nonzero


def _copied_condition(condition: Any) -> Any:
    """The condition as an array; copied, because the tape keeps it and users may change theirs."""
    if isinstance(condition, Value):
        condition._mark_exit("chose")
        return as_array(condition._value)
    own = condition.copy("K") if type(condition) is np.ndarray else np.copy(condition)
    check_real_numbers(own.dtype, "the condition")
    return own


@elementwise(
    lambda g, _y, _a, _b, *, condition: v.select(g, 0.0, condition=condition),
    lambda g, _y, _a, _b, *, condition: v.select(0.0, g, condition=condition),
    prepare=lambda a, b, condition: {"condition": _copied_condition(condition)},
)
def select(a: Any, b: Any, condition: Any) -> Any:
    """``a`` where ``condition`` is true, else ``b``: the operation of :func:`where`.

    Parameters
    ----------
    a, b : Tensor or array_like
    condition : array_like of bool
        Broadcasts with the two.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** To each side for the entries that are taken from it, elsewhere 0.

    Examples
    --------
    >>> ak.select([1.0, 2.0], 0.0, [True, False]).tolist()
    [1.0, 0.0]
    """
    return np.where(condition, a, b)


def where(condition: Any, a: Any = None, b: Any = None) -> Any:
    """Choose between two values by a condition: ``a`` where it is true, else ``b``.

    Parameters
    ----------
    condition : array_like of bool
    a, b : Tensor or array_like, optional
        Broadcast against each other and the condition.

    Returns
    -------
    Tensor, or tuple of Tensor
        Without ``a`` and ``b`` the positions where the condition is true, as :func:`nonzero` gives them.

    Raises
    ------
    ArgumentError
        If only one of ``a`` and ``b`` is given.

    Notes
    -----
    **Gradient.** Each side gets the incoming gradient where it was chosen and 0 elsewhere; the condition gets none.
    The rule of a side that was *not* chosen is still evaluated, and ``0 * inf`` is nan: make the input of that side
    harmless too, with a second ``where`` inside.

    Examples
    --------
    >>> x = ak.constant([-1.0, 0.0, 4.0])
    >>> with ak.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = ak.where(x > 0, ak.sqrt(ak.where(x > 0, x, 1.0)), 0.0)
    >>> tape.gradient(y, x).numpy()
    array([0.  , 0.  , 0.25])
    """
    if a is None and b is None:
        return nonzero(condition)
    if a is None or b is None:
        raise ArgumentError(
            "where takes a condition and both values, or a condition alone; one of the two values is missing"
        )
    return select(*_promoted(a, b), condition)


def _promoted(a: Any, b: Any) -> tuple[Any, Any]:
    """The two values in dtypes that NumPy joins as it would join the given ones.

    A Python integer takes the dtype of the other value. With a float64 scalar, which the kit stores as a Python number,
    smaller floats become float64.
    """
    if type(a) in PYTHON_NUMBERS or type(b) in PYTHON_NUMBERS:
        return _number_beside(a, b), _number_beside(b, a)
    a, b = as_tensor(a), as_tensor(b)
    mixed = a.dtype != b.dtype and any(type(x._value) is float for x in (a, b))
    return (promote(a, np.float64), promote(b, np.float64)) if mixed else (a, b)


def _number_beside(x: Any, other: Any) -> Any:
    """A Python number, or a symbolic one, in the dtype that it takes beside another value."""
    if type(x) not in PYTHON_NUMBERS or type(x) is float or type(other) in (*PYTHON_NUMBERS, bool):
        return x
    kind = as_tensor(other).dtype
    if type(x) is int:
        return x if kind.kind == "b" else integer_in_dtype(x, kind, "where")
    return as_array(x.as_value(), kind) if kind.kind == "f" else x


def _inside_bounds(x: Any, lo: Any, hi: Any) -> Any:
    """Where entries are strictly inside the given bounds."""
    x = as_array(unwrap(x))
    if lo is None or hi is None:
        return np.ones(x.shape, bool) if lo is hi else x < hi if lo is None else x > lo
    return (x > lo) & (x < hi)


@elementwise(
    lambda g, _y, x, *, lo, hi: v.select(g, 0.0, condition=_inside_bounds(x, lo, hi)),
    points=(((1.0,), (0.0,), {"lo": -1.0, "hi": 1.0}), ((2.0,), (0.0,), {"lo": 3.0, "hi": 1.0})),
)
def _clip(x: Any, lo: Any, hi: Any) -> Any:
    """Entries limited to ``[lo, hi]``."""
    return as_array(x) if lo is None and hi is None else np.clip(x, lo, hi)


def clip(x: Any, lo: Any = None, hi: Any = None) -> Tensor:
    """Limit entries to the interval ``[lo, hi]``.

    Parameters
    ----------
    x : Tensor or array_like
    lo, hi : Tensor, array_like or None
        Bounds; None for no bound. If ``lo > hi`` the result is ``hi``, as in NumPy.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** 1 strictly inside, 0 outside and at a bound. Bounds that are tensors get gradients too, and share at
    a tie: one half to ``x``, one half to the bound.

    Examples
    --------
    >>> ak.clip([-2.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ])
    """
    if any(getattr(bound, "node", None) is not None or hasattr(bound, "assign") for bound in (lo, hi)):
        low = x if lo is None else maximum(x, lo)
        return low if hi is None else minimum(low, hi)
    return _clip(x, None if lo is None else number_or_array(lo), None if hi is None else number_or_array(hi))


@linear(lambda g, _y, _x: g, flops=lambda _y, _x: 0)
def identity(x: Any) -> Any:
    """The value itself, as a recorded operation whose gradient can be overridden."""
    return x


def stop_gradient(x: Any) -> Tensor:
    """The same value as a constant, so that no gradient passes.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor

    Examples
    --------
    >>> x = ak.Variable(3.0)
    >>> with ak.GradientTape() as tape:
    ...     y = x * ak.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0
    """
    tensor = as_tensor(x)
    tensor._mark_exit("stopped")
    return wrap(tensor._value)
