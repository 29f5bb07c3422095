"""NumPy's functions on tensors: which operation carries out ``np.f(tensor)``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, add_method, unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import ArgumentError, DtypeError
from autodiff_kit.ops import (
    arithmetic,
    axis_order,
    creation,
    diagonals,
    differences,
    dtypes,
    elementary_functions,
    norms,
    reductions,
    rounding,
    shape_manipulation,
)
from autodiff_kit.ops.axes import checked_ints
from autodiff_kit.ops.selection import select
from autodiff_kit.ops.singular_values import SVDResult, svd, svdvals


def _numpy_svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> SVDResult | Tensor:
    """``np.linalg.svd``, whose default is full matrices; raises for a matrix that is not square."""
    return svd(a, full_matrices) if compute_uv else svdvals(a)


def _numpy_select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """``np.select``: for each entry the choice of the first true condition, otherwise the default."""
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ArgumentError(
            f"select: got {len(condlist)} conditions and {len(choicelist)} choices; give one choice for each condition"
        )
    values = [x if type(x) in (int, float) else as_tensor(x) for x in (*choicelist, default)]
    kind = np.result_type(*[x if type(x) in (int, float) else x.dtype for x in values])
    *choices, out = (dtypes.cast(x, kind) if isinstance(x, Tensor) else as_array(x, kind) for x in values)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        if as_tensor(condition).dtype != bool:
            raise DtypeError(f"select: the conditions must be boolean, got dtype {as_tensor(condition).dtype}")
        out = select(choice, out, condition)
    return as_tensor(out)


def _numpy_reshape(x: Any, shape: Any, order: str = "C") -> Tensor:
    """``np.reshape``, also in Fortran's order, in which the first index changes fastest."""
    if check_choice("reshape: order", order, "C", "F") == "C":
        return shape_manipulation.reshape(x, shape)
    lengths = checked_ints(shape, "reshape")
    return axis_order.permute_dims(shape_manipulation.reshape(axis_order.permute_dims(x), lengths[::-1]))


def _numpy_gradient(f: Any, *spacing: Any, axis: Any = None) -> Any:
    """``np.gradient``, which takes one distance for all axes, or one for each."""
    if len(spacing) < 2:
        return differences.slopes(f, spacing[0] if spacing else 1.0, axis)
    axes = range(as_tensor(f).ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(spacing) != len(axes):
        raise ArgumentError(f"gradient: got {len(spacing)} distances for {len(axes)} axes; give one for each, or one")
    return tuple(differences.slopes(f, step, k) for step, k in zip(spacing, axes, strict=True))


# Functions that have another name in NumPy, and names that have another meaning in NumPy.
_DIFFERENT_NAMES: dict[str, Callable[..., Any]] = {
    "amax": reductions.max,
    "amin": reductions.min,
    "around": rounding.round,
    "astype": dtypes.cast,
    "copy": as_tensor,
    "deg2rad": elementary_functions.radians,
    "empty_like": creation.zeros_like,  # NumPy leaves the entries undefined; here they are 0
    "fix": rounding.trunc,
    "gradient": _numpy_gradient,
    "nan_to_num": lambda x, copy=True, nan=0.0, posinf=None, neginf=None: arithmetic.nan_to_num(x, nan, posinf, neginf),
    "ndim": lambda a: as_tensor(a).ndim,
    "rad2deg": elementary_functions.degrees,
    "ravel": lambda x, order="C": _numpy_reshape(x, (-1,), order),
    "reshape": _numpy_reshape,
    "result_type": lambda *values: np.result_type(*(unwrap(x) for x in values)),
    "select": _numpy_select,
    "shape": lambda a: as_tensor(a).shape,
    "size": lambda a, axis=None: as_tensor(a).size if axis is None else as_tensor(a).shape[axis],
    # np.linalg, where some names have another meaning than in np.
    "linalg.norm": norms.norm,
    "linalg.vector_norm": norms.vector_norm,
    "linalg.svd": _numpy_svd,
    "linalg.trace": lambda x, offset=0: diagonals.trace(x, offset, -2, -1),
    "linalg.diagonal": lambda x, offset=0: diagonals.diagonal(x, offset, -2, -1),
    "linalg.matrix_transpose": axis_order.matrix_transpose,
}


# Names of operations that have another meaning in NumPy and no counterpart here.
_NOT_NUMPYS = ("cond", "getitem", "identity")


# NumPy's argument names where they differ from the kit's: of the first argument, and of the others.
_FIRST_ARGUMENT_NAMES = ("a", "m", "arr", "ary", "v", "x1", "p", "array", "arrays", "tup", "arys")


_ARGUMENT_NAMES = {
    "a_max": "hi", "a_min": "lo", "indices_or_sections": "sections", "max": "hi", "min": "lo", "newshape": "shape",
    "reps": "repetitions", "x2": "b",
}  # fmt: skip


# Arguments without effect on the result: memory layout, sorting algorithm, copies.
_IGNORED_ARGUMENTS = ("casting", "copy", "device", "kind", "like", "order", "subok")


# Those of NumPy's arguments by position from which on the kit's functions have others.
_PASSED_BY_NAME = (*_IGNORED_ARGUMENTS, "dtype", "out", "UPLO", "retstep")


# Functions whose result depends on the order in which entries are read.
_TAKES_ORDER = ("reshape", "ravel")


# Reductions with a dtype, and those that divide.
_TAKES_DTYPE = ("sum", "prod", "cumsum", "cumprod", "mean", "var", "std")
_DIVIDES = ("mean", "var", "std")


# The operations by NumPy's functions themselves: a name may belong to other functions too, such as a user's ufunc
# called "square", or np.emath.sqrt beside np.sqrt.
_OPERATIONS: dict[Callable[..., Any], Callable[..., Any]] = {}


def _array_ufunc(_: Value, ufunc: np.ufunc, how: str, *inputs: Any, **options: Any) -> Any:
    function = _OPERATIONS.get(ufunc)
    if how != "__call__" or function is None or options:
        _refuse(ufunc, "" if how == "__call__" else f".{how}", options)
    return function(*inputs)


def _array_function(_: Value, func: Any, _types: Any, args: Any, kwargs: Any) -> Any:
    function = _OPERATIONS.get(func)
    if function is None:
        _refuse(func)
    return function(*args, **kwargs)


def _refuse(function: Any, how: str = "", options: Any = ()) -> NoReturn:
    """Raise the error for a function of NumPy, or of a library on top of it, that is no operation of the kit."""
    own = getattr(np, function.__name__, None) is function
    module = "np" if own else getattr(function, "__module__", "").replace("numpy", "np", 1)
    name = f"{module}.{function.__name__}" if module else f"the ufunc {function.__name__}"
    if "out" in options:
        raise DtypeError(
            f"{name}{how} would write a tensor's values into an existing array, which no tape can follow. "
            "Write y = y + t in place of y += t, without out=..., or convert the tensor on purpose with np.asarray(t)."
        )
    raise DtypeError(
        f"{name}{how}{' with ' + ', '.join(options) if options else ''} has no derivative in the kit. "
        "Use a function of autodiff_kit, or convert the tensor on purpose with np.asarray(t), which no tape follows."
    )


add_method("__array_ufunc__", _array_ufunc)
add_method("__array_function__", _array_function)


def _adapted(name: str, function: Callable[..., Any], numpys: Callable[..., Any]) -> Callable[..., Any]:
    """An operation that accepts NumPy's arguments.

    NumPy passes its own defaults, such as ``out=None``; they are dropped.
    """
    by_name: tuple[int, tuple[str, ...]] | None = None

    def call(*args: Any, **options: Any) -> Any:
        nonlocal by_name
        if len(args) > 1:
            by_name = by_name or _passed_by_name(function, numpys)
            options = dict(zip(by_name[1], args[by_name[0] :], strict=False)) | options
            args = args[: by_name[0]]
        kept = {
            k: x
            for k, x in options.items()
            if (x is not None or k == "axis")  # None may be another axis than the default: that of sort is -1
            and x is not np._NoValue
            and (k not in _IGNORED_ARGUMENTS or (k == "order" and name in _TAKES_ORDER))
        }
        if not args:
            first = next((k for k in _FIRST_ARGUMENT_NAMES if k in kept), None)
            args = (kept.pop(first),) if first else ()
        if name in _TAKES_DTYPE and "dtype" in kept:
            return _in_dtype(call, args, kept.pop("dtype"), kept)
        if kept or len(args) > 2:
            signature = inspect.signature(function)  # computed on demand: there are hundreds of functions
            kept = {k if k in signature.parameters else _ARGUMENT_NAMES.get(k, k): x for k, x in kept.items()}
            _check_arguments(name, signature, args, kept)
        return function(*args, **kept)

    call.__name__ = name
    return call


def _passed_by_name(function: Callable[..., Any], numpys: Callable[..., Any]) -> tuple[int, tuple[str, ...]]:
    """Where NumPy's positional arguments begin to differ from the kit's, and their names from there on."""
    try:
        theirs = [p.name for p in inspect.signature(numpys).parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    except ValueError:  # a function in C that does not tell
        theirs = []
    own = list(inspect.signature(function).parameters)
    for k, name in enumerate(theirs[1:], 1):
        if own[k : k + 1] != [_ARGUMENT_NAMES.get(name, name)] and name in _PASSED_BY_NAME:
            return k, tuple(theirs[k:])
    return sys.maxsize, ()


def _in_dtype(reduction: Callable[..., Any], args: tuple[Any, ...], dtype: Any, options: dict[str, Any]) -> Tensor:
    """A reduction whose entries are converted first and whose result has that dtype, as in NumPy."""
    name, x = reduction.__name__, as_tensor(args[0])
    converted = dtypes.cast(x, dtype)
    kind = converted.dtype
    if name in _DIVIDES and kind.kind != "f":
        raise DtypeError(
            f"np.{name} with dtype {kind} would cut off the fraction of the result. Give a floating dtype or none, and "
            f"convert the result: ak.cast(np.{name}(t), {kind.name!r})."
        )
    if name in ("var", "std"):  # deviations from the mean are not rounded
        converted = dtypes.cast(x, np.result_type(x.dtype, kind))
    y = reduction(converted, *args[1:], **options)
    return y if y.dtype == kind else dtypes.cast(y, kind)


def _check_arguments(name: str, signature: inspect.Signature, args: Any, options: Any) -> None:
    """Raise if an argument of NumPy's function has no counterpart here."""
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise ArgumentError(
            f"np.{name} of a tensor: {error}; the kit's function takes ({', '.join(signature.parameters)}). "
            "Use these arguments, or convert the tensor on purpose with np.asarray(t), which no tape follows."
        ) from error


def install_numpy_functions(operations: Mapping[str, Callable[..., Any]]) -> None:
    """Register operations as implementations of NumPy's functions of the same names, in ``np`` and in ``np.linalg``."""
    same_names = {name: function for name, function in operations.items() if name not in _NOT_NUMPYS}
    in_linalg = {f"linalg.{name}": function for name, function in same_names.items()}
    functions = same_names | in_linalg | _DIFFERENT_NAMES
    for name, function in functions.items():
        numpys = getattr(np.linalg if name.startswith("linalg.") else np, name.removeprefix("linalg."), None)
        if numpys is not None:
            _OPERATIONS[numpys] = _adapted(name, function, numpys)
