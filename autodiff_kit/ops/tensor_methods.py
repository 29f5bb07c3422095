"""Operators, methods and NumPy's protocols of tensors, filled in from the operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Value, lift, method, plain
from autodiff_kit.errors import ArgumentError
from autodiff_kit.ops import (
    aliases,
    arithmetic,
    creation,
    cumulative,
    decompositions,
    determinants,
    diagonals,
    einstein_summation,
    elementary_functions,
    indexing,
    joining,
    linear_systems,
    matrix_products,
    norms,
    quantiles,
    reductions,
    rounding,
    selection,
    shape_manipulation,
    signal_processing,
    singular_values,
    statistics,
)

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
    "matmul": matrix_products.matmul,
    "and": rounding.bitwise_and,
    "or": rounding.bitwise_or,
    "xor": rounding.bitwise_xor,
    "divmod": lambda a, b: (rounding.floor_divide(a, b), arithmetic.mod(a, b)),
}
for _name, _function in _OPERATORS.items():
    method(f"__{_name}__", _function)
    method(f"__r{_name}__", _reverse(_function))

_UNARY: dict[str, Callable[..., Any]] = {
    "neg": arithmetic.negative,
    "abs": arithmetic.abs,
    "pos": selection.identity,
    "invert": rounding.bitwise_invert,
    "getitem": indexing.getitem,
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
    return shape_manipulation.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Any, *axes: Any) -> Any:
    one = len(axes) == 1 and isinstance(axes[0], (list, tuple, np.ndarray, type(None)))
    return shape_manipulation.permute_dims(self, (axes[0] if one else axes) if axes else None)


_METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(module, name)
    for module, names in (
        (reductions, "sum mean prod max min"),
        (statistics, "var std"),
        (cumulative, "cumsum cumprod"),
        (rounding, "all any argmax argmin argsort nonzero round searchsorted"),
        (indexing, "argpartition partition sort take"),
        (joining, "repeat"),
        (arithmetic, "abs"),
        (selection, "clip"),
        (matrix_products, "dot"),
        (diagonals, "diagonal trace"),
        (shape_manipulation, "permute_dims ravel squeeze swapaxes"),
    )
    for name in names.split()
} | {
    "astype": rounding.cast,
    "copy": selection.identity,
    "flatten": shape_manipulation.ravel,
    "reshape": _reshape,
    "transpose": _transpose,
}
for _name, _function in _METHODS.items():
    method(_name, _function)

method("T", property(shape_manipulation.permute_dims, doc="The axes in reverse order."))

method("mT", property(shape_manipulation.matrix_transpose, doc="The last two axes exchanged."))


# -------------------------------------------------------------------------------- NumPy's functions on tensors
_ARRAYS = (
    aliases, arithmetic, elementary_functions, selection, creation, rounding, shape_manipulation, indexing, joining, reductions, cumulative, norms,
    statistics, quantiles, signal_processing, diagonals, einstein_summation, matrix_products,
)  # fmt: skip
_MATRICES = (linear_systems, determinants, decompositions, singular_values, matrix_products)

# What NumPy calls otherwise, or means otherwise by a name of ours.
_OTHERWISE: dict[str, Callable[..., Any]] = {
    "copy": lift,
    "gradient": signal_processing.slopes,
    "ndim": lambda a: lift(a).ndim,
    "result_type": lambda *values: np.result_type(*(plain(x) for x in values)),
    "select": selection.piecewise_select,
    "shape": lambda a: lift(a).shape,
    "size": lambda a, axis=None: lift(a).size if axis is None else lift(a).shape[axis],
    # What stands in np.linalg, where some names of np mean something else.
    "linear_systems.norm": norms.norm,
    "linear_systems.vector_norm": norms.vector_norm,
    "linear_systems.svd": singular_values.numpy_svd,
    "linear_systems.trace": lambda x, offset=0: diagonals.trace(x, offset, -2, -1),
    "linear_systems.diagonal": lambda x, offset=0: diagonals.diagonal(x, offset, -2, -1),
    "linear_systems.matrix_transpose": shape_manipulation.matrix_transpose,
}
_OURS_ALONE = ("cond", "getitem", "identity")

# NumPy's names of arguments, where they are not ours.
_FIRST = ("a", "m", "arr", "ary", "v", "x1", "p", "array", "arrays", "tup", "arys")
_ARGUMENTS = {
    "a_max": "hi", "a_min": "lo", "indices_or_sections": "sections", "max": "hi", "min": "lo", "newshape": "shape",
    "reps": "repetitions", "x2": "b",
}  # fmt: skip
# What changes nothing here: how memory is laid out, which algorithm sorts, whether a copy is made.
_IDLE = ("casting", "copy", "device", "kind", "like", "order", "overwrite_input", "subok")
_CASTS = ("sum", "mean", "prod", "cumsum", "cumprod", "nansum", "nanprod", "nanmean", "var", "std")


def _only_known(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ours that is called with NumPy's arguments.

    NumPy hands on defaults of its own, such as ``out=None``; those mean nothing and are dropped.
    """

    def call(*args: Any, **options: Any) -> Any:
        kept = {k: x for k, x in options.items() if x is not None and x is not np._NoValue and k not in _IDLE}
        if not args:
            first = next((k for k in _FIRST if k in kept), None)
            args = (kept.pop(first),) if first else ()
        if name in _CASTS and "dtype" in kept:
            args = (rounding.cast(args[0], kept.pop("dtype")), *args[1:])
        if kept or len(args) > 2:
            signature = inspect.signature(function)  # not before it is asked for: there are hundreds of functions
            kept = {k if k in signature.parameters else _ARGUMENTS.get(k, k): x for k, x in kept.items()}
            _check_arguments(name, signature, args, kept)
        return function(*args, **kept)

    call.__name__ = name
    return call


def _check_arguments(name: str, signature: inspect.Signature, args: Any, options: Any) -> None:
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise ArgumentError(
            f"np.{name} of a tensor: {error}; the kit's own takes ({', '.join(signature.parameters)}). "
            "Use what it takes, or leave the record on purpose with np.asarray(t)."
        ) from error


def _offered(modules: tuple[Any, ...], prefix: str = "") -> dict[str, Callable[..., Any]]:
    names = ((module, name) for module in modules for name in module.__all__ if name not in _OURS_ALONE)
    return {prefix + name: getattr(module, name) for module, name in names}


_FOUND = _offered(_ARRAYS) | _offered(_MATRICES, "linalg.") | _OTHERWISE
Value._numpy.update({name: _only_known(name, f) for name, f in _FOUND.items()})
