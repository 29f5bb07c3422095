"""Choosing between values, and deciding where gradients pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.rules import elementwise, linear, v
from autodiff_kit.core.tensor import Tensor, Value, lift, make, plain
from autodiff_kit.ops.arithmetic import maximum, minimum

__all__ = ["clip", "cond", "identity", "select", "stop_gradient", "where"]


def _own(condition: Any) -> Any:
    """The record keeps it, so what a user may write to is copied."""
    return np.asarray(condition._value) if isinstance(condition, Value) else np.array(condition)


@elementwise(
    lambda g, _y, _a, _b, *, condition: v.select(g, 0.0, condition=condition),
    lambda g, _y, _a, _b, *, condition: v.select(0.0, g, condition=condition),
    prepare=lambda a, b, condition: {"condition": _own(condition)},
)
def select(a: Any, b: Any, condition: Any) -> Any:
    """``a`` where ``condition`` holds, else ``b``; each side gets the gradient of the entries that it gave."""
    return np.where(condition, a, b)


def where(condition: Any, a: Any, b: Any) -> Tensor:
    """``a`` where ``condition`` holds, else ``b``.

    Parameters
    ----------
    condition : array_like of bool
    a, b : Tensor or array_like
        Broadcast against each other and the condition.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Each side gets the incoming gradient where it was chosen and 0 elsewhere; the condition gets none.
    A side that was *not* chosen still runs its own rule, and ``0 * inf`` is nan: make the input of that side harmless
    too, with a second ``where`` inside.

    Examples
    --------
    >>> x = ak.constant([-1.0, 0.0, 4.0])
    >>> with ak.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = ak.where(x > 0, ak.sqrt(ak.where(x > 0, x, 1.0)), 0.0)
    >>> tape.gradient(y, x).numpy()
    array([0.  , 0.  , 0.25])
    """
    return select(a, b, condition)


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Run one of two functions.

    Parameters
    ----------
    pred : bool or scalar Tensor
    true_fn, false_fn : callable
        Without arguments; only the chosen one runs.

    Returns
    -------
    object
        What the chosen function returned.

    Notes
    -----
    **Gradient.** What only the other branch reads gets None, not 0: it was never recorded.

    Examples
    --------
    >>> ak.cond(2.0 > 1.0, lambda: "yes", lambda: "no")
    'yes'
    """
    return true_fn() if bool(plain(pred)) else false_fn()


@elementwise(
    lambda g, _y, x, *, lo, hi: v.select(g, 0.0, condition=(plain(x) > lo) & (plain(x) < hi)),
    prepare=lambda x, lo, hi: {"lo": -np.inf if lo is None else lo, "hi": np.inf if hi is None else hi},
    points=(((1.0,), (0.0,), {"lo": -1.0, "hi": 1.0}), ((2.0,), (0.0,), {"lo": 3.0, "hi": 1.0})),
)
def _clip(x: Any, lo: Any, hi: Any) -> Any:
    """Entries moved into ``[lo, hi]``."""
    return np.clip(x, lo, hi)


def clip(x: Any, lo: Any = None, hi: Any = None) -> Tensor:
    """Entries moved into ``[lo, hi]``.

    Parameters
    ----------
    x : Tensor or array_like
    lo, hi : Tensor, array_like or None
        Bounds; None for no bound. Where ``lo > hi`` the answer is ``hi``, as NumPy's.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** 1 strictly inside, 0 outside and at a bound. Bounds that are tensors get gradients too, and share at
    a tie: half to ``x``, half to the bound.

    Examples
    --------
    >>> ak.clip([-2.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ])
    """
    if any(getattr(bound, "node", None) is not None or hasattr(bound, "assign") for bound in (lo, hi)):
        low = x if lo is None else maximum(x, lo)
        return low if hi is None else minimum(low, hi)
    return _clip(x, plain(lo), plain(hi))


@linear(lambda g, _y, _x: g)
def identity(x: Any) -> Any:
    """The value itself, as an operation of its own: something to hang an override on."""
    return x


def stop_gradient(x: Any) -> Tensor:
    """The same value, off the record: gradients end here.

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
    return make(lift(x)._value)
