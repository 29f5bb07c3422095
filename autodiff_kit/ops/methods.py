"""Operators, methods and NumPy's protocols of tensors, filled in from the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Value, lift, method
from autodiff_kit.ops import arithmetic, choose, elementary, products, reduce, rounding, shaping

__all__: list[str] = []


def _reverse(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(b, a)


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": arithmetic.divide,
    "pow": arithmetic.power,
    "mod": arithmetic.mod,
    "floordiv": rounding.floor_divide,
    "matmul": products.matmul,
    "and": rounding.logical_and,
    "or": rounding.logical_or,
}
for _name, _function in _OPERATORS.items():
    method(f"__{_name}__", _function)
    method(f"__r{_name}__", _reverse(_function))

_UNARY: dict[str, Callable[..., Any]] = {
    "neg": arithmetic.negative,
    "abs": arithmetic.abs,
    "pos": choose.identity,
    "invert": rounding.logical_not,
    "getitem": shaping.getitem,
    "lt": rounding.less,
    "le": rounding.less_equal,
    "gt": rounding.greater,
    "ge": rounding.greater_equal,
    "eq": rounding.equal,
    "ne": rounding.not_equal,
}
for _name, _function in _UNARY.items():
    method(f"__{_name}__", _function)


def _reshape(self: Any, *shape: Any) -> Any:
    return shaping.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Any, *axes: Any) -> Any:
    return shaping.permute_dims(self, (axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes) if axes else None)


_METHODS: dict[str, Callable[..., Any]] = {
    "sum": reduce.sum,
    "mean": reduce.mean,
    "prod": reduce.prod,
    "max": reduce.max,
    "min": reduce.min,
    "var": reduce.var,
    "std": reduce.std,
    "cumsum": reduce.cumsum,
    "cumprod": reduce.cumprod,
    "argmax": rounding.argmax,
    "argmin": rounding.argmin,
    "argsort": rounding.argsort,
    "astype": rounding.cast,
    "round": rounding.round,
    "abs": arithmetic.abs,
    "clip": choose.clip,
    "dot": products.dot,
    "reshape": _reshape,
    "transpose": _transpose,
    "permute_dims": shaping.permute_dims,
    "ravel": shaping.ravel,
    "flatten": shaping.ravel,
    "squeeze": shaping.squeeze,
    "swapaxes": shaping.swapaxes,
    "take": shaping.take,
}
for _name, _function in _METHODS.items():
    method(_name, _function)

method("T", property(shaping.permute_dims, doc="The axes in reverse order."))

# NumPy's names where they are not ours.
_RENAMED: dict[str, Callable[..., Any]] = {
    "arcsin": elementary.asin,
    "arccos": elementary.acos,
    "arctan": elementary.atan,
    "arctan2": arithmetic.atan2,
    "arcsinh": elementary.asinh,
    "arccosh": elementary.acosh,
    "arctanh": elementary.atanh,
    "absolute": arithmetic.abs,
    "true_divide": arithmetic.divide,
    "remainder": arithmetic.mod,
    "rint": rounding.round,
    "around": rounding.round,
    "concatenate": shaping.concat,
    "amax": reduce.max,
    "amin": reduce.min,
    "atleast_1d": lambda x: lift(x).reshape((1,)) if not lift(x).ndim else lift(x),
    "shape": lambda x: x.shape,
    "ndim": lambda x: x.ndim,
    "size": lambda x: x.size,
    "copy": lift,
}


def _public() -> dict[str, Callable[..., Any]]:
    modules = (arithmetic, elementary, choose, rounding, shaping, reduce, products)
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def _only_known(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy passes its own defaults, such as ``out=None``; those mean nothing and are dropped."""

    def call(*args: Any, **options: Any) -> Any:
        kept = {k: value for k, value in options.items() if value is not None and value is not np._NoValue}
        kept.pop("casting", None)
        return function(*args, **kept)

    call.__name__ = name
    return call


Value._numpy.update({name: _only_known(name, f) for name, f in (_public() | _RENAMED).items()})
