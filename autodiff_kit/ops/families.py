"""Families of operations: decorators that make an operation from its block and derive the missing rules.

Each block makes two functions. The module exports the public one, which takes any array-like value and returns a
tensor. The function of the same name in :data:`v` is for rules: ``v.cos(x)`` is an array if ``x`` is an array.

``counts=True`` says that the operation sums or counts integers, which NumPy does in its default integer type.

Families derive the forward rule from the reverse rules:

:func:`elementwise`
    One rule for each input: ``g`` times the derivative. A tangent goes through the same rule.
:func:`linear`
    The transpose; a tangent goes through the operation itself.
:func:`bilinear`
    A transpose for each input; tangents go through the operation itself, one input at a time.
:func:`general`
    A reverse rule for each input, and a forward rule.
:func:`nondifferentiable`
    No rules: gradients end here, as None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper, wraps
from typing import Any

import numpy as np

from autodiff_kit.core.fast_dispatch import binary_function, comparison_function, plain_function, unary_function
from autodiff_kit.core.numpy_protocol import number_beside
from autodiff_kit.core.operation import OPS, Op, v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import DuplicateNameError
from autodiff_kit.ops.argument_binding import parameter_function, sequence_function
from autodiff_kit.ops.docstrings import complete_docstring
from autodiff_kit.ops.functions_for_rules import binary_on_values, unary_on_values
from autodiff_kit.platform import HAS_64_BIT_INTEGERS, PLAIN, in_int64

__all__ = ["bilinear", "elementwise", "general", "linear", "nondifferentiable"]

Rule = Callable[..., Any]
Function = Callable[..., Any]
Public = Callable[..., Tensor]


def _define(function: Function, arrays: int, known: dict[str, Any]) -> Public:
    """Register an operation and make its two functions."""
    prepare, counts = known.pop("prepare", None), known.pop("counts", False)
    name = function.__name__.strip("_")
    op = Op(name, _counting_in_int64(function) if counts and not HAS_64_BIT_INTEGERS else function, **known)
    if op.key in OPS:
        raise DuplicateNameError(f"an operation named {op.key} is already defined in {OPS[op.key].value.__module__}")
    OPS[op.key] = op
    parameters = _parameters(function)
    has_parameters = len(parameters) > arrays
    plain = op.vjp_all is None and op.sparse_vjp is None
    if op.vjps is not None and plain and (arrays == 1 or (arrays == 2 and not has_parameters)):
        op.fast_rules = (op.vjps[0], op.vjps[1] if arrays == 2 else None, has_parameters)
    if not has_parameters and arrays == 1:
        public = plain_function(op) if PLAIN else unary_function(op)
        values = unary_on_values(op, public)
    elif not has_parameters and arrays == 2:
        fast = comparison_function if op.scalar and op.vjps is None else binary_function
        public = plain_function(op) if PLAIN else fast(op)
        values = binary_on_values(op, public)
    else:
        make = sequence_function if next(iter(parameters)) == "arrays" else parameter_function
        values, public = (make(op, arrays, parameters, prepare, public) for public in (False, True))
    setattr(v, name, values)
    op.function = update_wrapper(public, function)
    public.__doc__ = complete_docstring(op, parameters, arrays)
    public.op = op  # type: ignore[attr-defined]
    return public


def _parameters(function: Function) -> dict[str, Any]:
    """The parameters and their defaults. ``inspect.signature`` of all operations took a tenth of the kit's import."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    required = dict.fromkeys(names, inspect.Parameter.empty)
    return required | dict(zip(names[code.co_argcount - len(defaults) :], defaults, strict=False))


def _counting_in_int64(function: Function) -> Function:
    """A sum, product or count whose integers have 64 bits, as where NumPy's default integer has."""

    def widened(x: Any) -> Any:
        kind = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(x.dtype.kind) if hasattr(x, "dtype") else None
        return x if kind is None else x.astype(kind)

    @wraps(function)
    def value(*inputs: Any, **params: Any) -> Any:
        return in_int64(function(*map(widened, inputs), **params))

    return value


def elementwise(*vjps: Rule, **known: Any) -> Callable[[Function], Public]:
    """Operations that act entry by entry: a rule is ``g`` times the derivative, so tangents use the same rules."""
    first, second = vjps[0], vjps[-1]

    def alone(tangents: tuple[Any, ...], y: Any, x: Any, **params: Any) -> Any:
        return first(tangents[0], y, x, **params)

    def both(tangents: tuple[Any, ...], y: Any, a: Any, b: Any, **params: Any) -> Any:
        s, t = tangents
        part = None if s is None else first(s if type(s) is type(y) else number_beside(y, s), y, a, b, **params)
        if t is None:
            return part
        other = second(t if type(t) is type(y) else number_beside(y, t), y, a, b, **params)
        return other if part is None else part + other

    jvp = alone if len(vjps) == 1 else both
    return lambda f: _define(f, len(vjps), {"vjps": vjps, "jvp": jvp, "family": "elementwise"} | known)


def linear(vjp: Rule, arrays: int = 1, **known: Any) -> Callable[[Function], Public]:
    """Operations that are linear in their input; the rule is the transpose."""

    def decorate(function: Function) -> Public:
        def jvp(tangents: tuple[Any, ...], y: Any, *inputs: Any, **params: Any) -> Any:
            if joins:
                filled = [t if t is not None else np.zeros_like(x) for t, x in zip(tangents, inputs, strict=True)]
                return values(filled, **params)
            return values(tangents[0], **params)

        joins = next(iter(_parameters(function))) == "arrays"
        rules = {"vjp_all": vjp} if joins else {"vjps": (vjp,)}
        public = _define(function, arrays, rules | {"jvp": jvp, "family": "linear"} | known)
        values = getattr(v, function.__name__.strip("_"))
        return public

    return decorate


def bilinear(*vjps: Rule, **known: Any) -> Callable[[Function], Public]:
    """Operations that are linear in each of two inputs, such as matmul; two transposes."""

    def decorate(function: Function) -> Public:
        def jvp(tangents: tuple[Any, ...], y: Any, a: Any, b: Any, **params: Any) -> Any:
            s, t = tangents
            part = None if s is None else values(s, b, **params)
            if t is None:
                return part
            other = values(a, t, **params)
            return other if part is None else part + other

        public = _define(function, 2, {"vjps": vjps, "jvp": jvp, "family": "bilinear"} | known)
        values = getattr(v, function.__name__.strip("_"))
        return public

    return decorate


def general(*vjps: Rule, jvp: Function, **known: Any) -> Callable[[Function], Public]:
    """Operations with reverse rules and a separate forward rule."""
    return lambda f: _define(f, len(vjps), {"vjps": vjps, "jvp": jvp, "family": "general"} | known)


def nondifferentiable(arrays: int = 1, **known: Any) -> Callable[[Function], Public]:
    """Operations without a derivative: rounding, comparison, conversion to integers. Gradients end here, as None."""
    return lambda f: _define(f, arrays, {"family": "nondifferentiable"} | known)
