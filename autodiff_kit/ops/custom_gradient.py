"""Gradients that the user defines for a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import Op
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_callable
from autodiff_kit.errors import ArgumentError, ShapeError, StructureError
from autodiff_kit.ops.own_gradient_breaks import run_with_own_gradient

__all__ = ["custom_gradient"]


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Tensor]:
    """Give a function its own gradient.

    Parameters
    ----------
    f : callable
        ``f(*args) -> (value, vjp)`` or ``(value, vjp, jvp)``. ``vjp(g)`` returns the gradient of each argument, in its
        shape, or one value for a single argument; ``jvp(*tangents)`` returns the tangent of the value. A missing
        ``jvp`` is derived.

    Returns
    -------
    callable
        ``(*args) -> value``; keyword arguments are bound to their positions. Keyword-only ones are passed on as they
        are and have no gradient. So are None, text and functions: ``vjp`` returns None for them, or leaves them out,
        and ``jvp`` gets no tangent for them.

    Raises
    ------
    StructureError
        If ``f`` does not return a value and a function, or ``vjp`` returns a wrong number of gradients.
    ShapeError
        If a gradient does not have the shape of its argument, and does not broadcast to it either.

    Notes
    -----
    **Gradient.** Only the arguments get one: a tensor or variable that ``f`` uses from outside gets None (0 and a
    warning in :func:`grad`), so make it an argument. Second derivatives go through the operations that ``vjp`` itself
    uses.

    Examples
    --------
    >>> @ak.custom_gradient
    ... def log1pexp(x):
    ...     return ak.softplus(x), lambda g: g * ak.sigmoid(x)
    >>> float(ak.grad(log1pexp)(1000.0))
    1.0
    """
    check_callable("the function for ak.custom_gradient", f)
    name = getattr(f, "__name__", "custom").strip("<>_") or "custom"
    signature = _signature(f)
    defaults = any(p.default is not p.empty for p in signature.parameters.values())

    @wraps(f)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        rest: dict[str, Any] = {}
        if kwargs or defaults:
            bound = _bound(name, signature, args, kwargs)
            bound.apply_defaults()
            args, rest = bound.args, bound.kwargs
        arrays = [_is_array(name, a) for a in args]
        given = [as_tensor(a) if own else a for a, own in zip(args, arrays, strict=True)]
        inputs = tuple([a for a, own in zip(given, arrays, strict=True) if own])
        answer = run_with_own_gradient(f, lambda: f(*given, **rest), {x.node for x in inputs})
        value, vjp, jvp = _split_answer(name, answer)
        return _record_custom(name, _vjp_rule(name, vjp, arrays), _jvp_rule(jvp), unwrap(as_tensor(value)), inputs)

    return run


def _signature(f: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(f)
    except ValueError:  # some functions written in C have no signature
        return inspect.signature(lambda *args: None)


def _bound(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> inspect.BoundArguments:
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(f"{name}: {error}. It takes {signature}.") from error


def _split_answer(name: str, answer: Any) -> tuple[Any, Callable[..., Any], Callable[..., Any] | None]:
    if not isinstance(answer, tuple) or len(answer) not in (2, 3) or not all(callable(part) for part in answer[1:]):
        raise StructureError(
            f"{name} is a custom gradient: it must return (value, vjp) or (value, vjp, jvp), "
            f"not {type(answer).__name__}"
        )
    return answer[0], answer[1], answer[2] if len(answer) == 3 else None


def _is_array(name: str, argument: Any) -> bool:
    """Whether an argument is a number or an array of numbers; other objects are passed on as they are."""
    if isinstance(argument, dict):
        raise ArgumentError(
            f"{name} is a custom gradient and got a dict, whose entries would have no gradient. Make each entry an "
            "argument of its own, or pass the dict as a keyword-only argument: def f(x, *, settings)."
        )
    return isinstance(argument, (int, float, complex, list, tuple)) or hasattr(argument, "__array__")


def _vjp_rule(name: str, vjp: Callable[..., Any], arrays: list[bool]) -> Callable[..., Any]:
    def rule(g: Any, _y: Any, *inputs: Any) -> Any:
        parts = vjp(g)
        parts = parts if isinstance(parts, (tuple, list)) else (parts,)
        if len(parts) == len(arrays) > len(inputs):
            parts = [part for part, own in zip(parts, arrays, strict=True) if own]
        for part, x in zip(parts, inputs, strict=False):  # the pass itself refuses a wrong number
            if part is not None:
                _check_shape(name, np.shape(unwrap(part)), getattr(x, "shape", ()))
        return parts

    return rule


def _check_shape(name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Raise if a gradient neither has the shape of its argument nor broadcasts to it, as that of a sum does."""
    try:
        fits = np.broadcast_shapes(found, wanted) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(
            f"the gradient of {name!r} has shape {found}, but its input has shape {wanted}; they must be equal. If the "
            "function broadcasts this input, sum over the axes along which it does, as in ak.sum(g, axis=0)."
        )


def _jvp_rule(jvp: Callable[..., Any] | None) -> Callable[..., Any] | None:
    if jvp is None:
        return None

    def rule(tangents: tuple[Any, ...], y: Any, *inputs: Any) -> Any:
        zeros = [x * 0.0 for x in inputs]
        return jvp(*(z if t is None else as_tensor(t) for t, z in zip(tangents, zeros, strict=True)))

    return rule


def _record_custom(
    name: str,
    vjp_all: Callable[..., Any],
    jvp: Callable[..., Any] | None,
    value: Any,
    inputs: tuple[Tensor, ...],
) -> Tensor:
    """A value that was computed elsewhere, recorded as one operation with the user's rules."""
    if (own := getattr(value, "alias", None)) is not None:  # a value without numbers notes what computed it
        value = own()
    rules = {"vjp_all": vjp_all, "jvp": jvp, "user_defined": True, "family": "general"}
    op = Op(name, lambda *_: value, flops=lambda *_: 0, **rules)  # its own operations are recorded as well
    return record_op(op, value, tuple(t._value for t in inputs), tuple(t.node for t in inputs))
